import type { Connection } from '../../platform/database/db.ts';
import { differsByMoreThan } from '../amounts.ts';
import { type DayGrid, startText, type Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { StartAmounts } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';

/** EUR/MWh. What feeds round differently lies below. */
export const TOLERANCE = '0.01';

export interface PriceDifference {
  readonly start: number;
  readonly a: string;
  readonly b: string;
}

/** Intervals that both have, with values further apart than the tolerance. */
export function differences(a: StartAmounts, b: StartAmounts): PriceDifference[] {
  const found: PriceDifference[] = [];
  for (const [start, amount] of a) {
    const other = b.get(start);
    if (other !== undefined && differsByMoreThan(amount, other, TOLERANCE)) {
      found.push({ start, a: amount, b: other });
    }
  }
  return found;
}

/** Whether both have the whole day and agree in every interval. */
export function agreeWholly(grid: DayGrid, a: StartAmounts, b: StartAmounts): boolean {
  return a.size === grid.count && b.size === grid.count && differences(a, b).length === 0;
}

/** The clocks change on a day that has not 24 hours: feeds are known to be an hour off, or to send zeros. */
function alarmKind(grid: DayGrid): 'disagreement' | 'clock_change' {
  return grid.to - grid.from === 24 * 3_600_000 ? 'disagreement' : 'clock_change';
}

export interface PriceComparison {
  readonly zone: Zone;
  readonly grid: DayGrid;
  /** Two feeds in the order of their names in the alarm. */
  readonly names: readonly [string, string];
  readonly differences: readonly PriceDifference[];
  /** Intervals that were compared; hours where the second one has hours. */
  readonly compared: number;
  readonly fetchId: number | null;
}

/** An alarm that names both values, or the end of one that stood. Nothing is ever overwritten or averaged. */
export async function reportComparison(
  connection: Connection,
  parts: Pick<PriceParts, 'clock' | 'log' | 'metrics'>,
  { zone, grid, names, differences: found, compared, fetchId }: PriceComparison,
): Promise<void> {
  const about = { kind: alarmKind(grid), zone, source: names.join('/'), deliveryOn: grid.deliveryOn };
  const [first] = found;
  if (first === undefined) {
    await resolveAlarms(connection, parts, about);
    return;
  }
  const detail =
    `${grid.deliveryOn}: at ${startText(first.start)} ${names[0]} has ${first.a}, ${names[1]} ${first.b} EUR/MWh; ` +
    `${found.length} of ${compared} compared intervals differ by more than ${TOLERANCE}`;
  await raiseAlarm(connection, parts, { ...about, detail, fetchId });
}
