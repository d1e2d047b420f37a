import type { Connection } from '../../../../platform/database/db.ts';
import { berlinMilliseconds, type CalendarDay } from '../../../../platform/time/berlin-calendar.ts';
import { type CurvePoint, startText } from '../../../../spot-prices/service.ts';
import { dayWithoutProfile } from '../../../../tariffs/expected-usage/service.ts';
import { HOUSEHOLD_PROFILE } from '../../../../tariffs/reference-data/service.ts';
import type { SlotPlan } from '../../calculate/energy.ts';
import { missingRow } from '../../calculate/strict.ts';
import { BillingRefused } from '../../refusal.ts';

/** Days, the second one exclusive. */
export interface DaySpan {
  readonly first: CalendarDay;
  readonly end: CalendarDay;
}

export interface PlannedQuarterHour {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly slot: number;
  /** Index of the span in which it lies. */
  readonly span: number;
  /** EUR/MWh. */
  readonly price: string;
}

/**
 * The quarter hours of some spans, ascending, each with its slot and its price. Throws where one has no price: no price is
 * ever made up for a bill.
 */
export function plannedQuarterHours(
  { key, runs }: SlotPlan,
  prices: readonly CurvePoint[],
  spans: readonly DaySpan[],
): PlannedQuarterHour[] {
  const planned: PlannedQuarterHour[] = [];
  const missing: CurvePoint[] = [];
  let run = 0;
  for (const [span, { first, end }] of spans.entries()) {
    const [from, until] = [berlinMilliseconds(first), berlinMilliseconds(end)];
    for (let index = firstFrom(prices, from); index < prices.length; index += 1) {
      const point = prices[index];
      if (point === undefined || point.start >= until) break;
      while ((runs[run]?.until ?? Number.POSITIVE_INFINITY) <= point.start) run += 1;
      const { from: begins, slot } = runs[run] ?? {};
      if (begins === undefined || slot === undefined || begins > point.start)
        throw new Error(`The plan ${key} has no slot for ${startText(point.start)}`);
      if (point.eurMwh === null) missing.push(point);
      else planned.push({ start: point.start, slot, span, price: point.eurMwh });
    }
  }
  const [first] = missing;
  if (first !== undefined) {
    const count = `${missing.length} of ${missing.length + planned.length} quarter hours`;
    throw new BillingRefused(
      'missing_price',
      `spot_prices: ${count} have no realized price, the first ${startText(first.start)}; cli prices backfill asks for them, cli prices release serves what is held back`,
    );
  }
  return planned;
}

/** By halves: a year has 35,000 of them. */
function firstFrom(prices: readonly CurvePoint[], from: number): number {
  let low = 0;
  let high = prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((prices[middle]?.start ?? from) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Why energy of some days cannot be spread by the load profile: no row of it is valid, and a bill carries none forward. */
export async function missingProfile(
  connection: Connection,
  { first, end }: DaySpan,
): Promise<BillingRefused | null> {
  const day = await dayWithoutProfile(connection, first, end);
  return day === null ? null : missingRow({ table: 'load_profiles', key: HOUSEHOLD_PROFILE }, day);
}
