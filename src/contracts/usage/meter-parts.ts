import type { Connection } from '../../platform/database/db.ts';
import { type CalendarDay, earlier, later } from '../../platform/time/berlin-calendar.ts';
import { ALL_DAYS, type MeterPart, meterPartsOf } from '../meters/parts.ts';
import { listMeterStates } from '../meters/queries.ts';

export type { MeterPart };
export { ALL_DAYS };

/** What the meter was on all days, ascending and without a gap. */
export async function findMeterParts(
  connection: Connection,
  organization: string,
  meter: string,
): Promise<MeterPart[]> {
  return meterPartsOf(await listMeterStates(connection, organization, meter));
}

/** What the meter was on a day: the last part that has begun. */
export function partOn(parts: readonly MeterPart[], day: CalendarDay): MeterPart {
  const part = parts.findLast(({ first }) => first <= day);
  if (part === undefined) throw new Error(`The meter was nothing on ${day}`);
  return part;
}

/** The parts of some days, cut at both ends. */
export function partsWithin(parts: readonly MeterPart[], first: CalendarDay, end: CalendarDay): MeterPart[] {
  return parts.flatMap((part) => {
    const cut = { ...part, first: later(part.first, first), end: earlier(part.end, end) };
    return cut.first < cut.end ? [cut] : [];
  });
}
