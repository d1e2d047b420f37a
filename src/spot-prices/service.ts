import type { Connection, Database } from '../platform/database/db.ts';
import { addDays, type DeliveryDay, daysBetween, gridOf, zoneOf } from './calendar.ts';
import { instantFrom } from './providers/instants.ts';
import { listServedPrices } from './queries.ts';
import { type CurvePoint, dayCurve } from './serve/curve.ts';
import { type Period, periodOf } from './serve/period.ts';
import { type DayMark, SERIES_SOURCES } from './serve/series-source.ts';

export { licenseLink, SYNTHETIC_TITLE } from './serve/license-link.ts';
export { assertDates, createToday, isLongPeriod, secondsToKeep } from './serve/period.ts';
export { findPriceKind } from './upkeep/day-queries.ts';

/* The realized day-ahead prices for other nouns that build on them, by the same rules as the series has. */

export type { CurvePoint, DayMark, Period };

export function realizedPeriod(start: DeliveryDay, end: DeliveryDay, today: DeliveryDay): Period {
  return periodOf({ type: 'day_ahead', start, end }, today);
}

/** What stands for each delivery day at the moment; days without anything stored are left out. */
export function realizedMarks(
  database: Database,
  period: Period,
  nowMilliseconds: number,
): Promise<readonly DayMark[]> {
  return SERIES_SOURCES.day_ahead.marks(database, period, nowMilliseconds);
}

/**
 * The curves of the delivery days, in the resolution of the period. Days without a mark have no prices. Null where a day is
 * not what its mark says any more.
 */
export async function realizedCurves(
  database: Database,
  days: readonly DeliveryDay[],
  marks: readonly DayMark[],
  resolution: Period['resolution'],
): Promise<CurvePoint[][] | null> {
  const prices =
    marks.length === 0
      ? new Map()
      : await database.asService((connection) => SERIES_SOURCES.day_ahead.prices(connection, marks));
  if (marks.some(({ deliveryOn }) => !prices.has(deliveryOn))) return null;
  return days.map((day) => dayCurve(day, resolution, prices.get(day)));
}

/**
 * The realized price of each quarter hour of some days, ascending, the second day exclusive: as it is stored now, hourly
 * prices repeated, null where none is published.
 */
export async function realizedQuarterHours(
  connection: Connection,
  first: DeliveryDay,
  end: DeliveryDay,
): Promise<CurvePoint[]> {
  const days = daysBetween(first, addDays(end, -1));
  const prices = new Map<number, string>();
  for (const [zone, ofZone] of Map.groupBy(days, zoneOf)) {
    const [from, to] = [gridOf(ofZone[0] ?? first).from, gridOf(ofZone.at(-1) ?? first).to];
    for (const { interval_start, amount } of await listServedPrices(connection, zone, from, to)) {
      prices.set(instantFrom(interval_start)?.milliseconds ?? Number.NaN, amount);
    }
  }
  return days.flatMap((day) => dayCurve(day, '15min', prices));
}
