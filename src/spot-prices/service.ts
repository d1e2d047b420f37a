import type { Connection, Database } from '../platform/database/db.ts';
import { addDays, berlinDays, berlinMilliseconds } from '../platform/time/berlin-calendar.ts';
import { type DeliveryDay, zoneOf } from './calendar.ts';
import { findDay, listServedPricesByDay, shownState } from './queries.ts';
import { type CurvePoint, curveOf, dayCurve } from './serve/curve.ts';
import { type Period, periodOf } from './serve/period.ts';
import { type DayMark, SERIES_SOURCES } from './serve/series-source.ts';
import { latenessAt } from './upkeep/lateness.ts';

export { startText } from './calendar.ts';
export { createPriceKind, licenseLink } from './price-kind.ts';
export { assertDates, createToday, isLongPeriod } from './serve/period.ts';
export { findPriceKind } from './upkeep/day-queries.ts';

/* The realized day-ahead prices for other nouns that build on them, by the same rules as the series has. */

export type { CurvePoint, DayMark, Period };

export function realizedPeriod(start: DeliveryDay, end: DeliveryDay, today: DeliveryDay): Period {
  return periodOf({ type: 'day_ahead', start, end }, today);
}

/** Marks of the delivery days at the moment; days without anything stored are left out. */
export function realizedMarks(
  database: Database,
  period: Period,
  nowMilliseconds: number,
): Promise<readonly DayMark[]> {
  return SERIES_SOURCES.day_ahead.marks(database, period, nowMilliseconds);
}

export type Publication = 'held_back' | 'stored' | 'late' | 'expected';

/** How far the prices of a day are; `stored`: in full or in part. */
export async function publicationOf(database: Database, day: DeliveryDay, now: number): Promise<Publication> {
  const known = await database.asService((connection) => findDay(connection, zoneOf(day), day));
  if (known?.is_held_back) return 'held_back';
  if (shownState(known) !== 'missing') return 'stored';
  return latenessAt(day, now) === 'normal' ? 'expected' : 'late';
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
 * prices repeated, null where none is published. Bills ask for a month or a year of them: the calendar of all contracts
 * has the days ready.
 */
export async function realizedQuarterHours(
  connection: Connection,
  first: DeliveryDay,
  end: DeliveryDay,
): Promise<CurvePoint[]> {
  const prices = new Map<number, string>();
  const days = berlinDays(first, end);
  const ends = berlinMilliseconds(end);
  for (const [zone, ofZone] of Map.groupBy(days, ({ day }) => zoneOf(day))) {
    const from = ofZone[0]?.begins ?? ends;
    const to = berlinMilliseconds(addDays(ofZone.at(-1)?.day ?? first, 1));
    for (const [start, amount] of await listServedPricesByDay(connection, zone, from, to))
      prices.set(start, amount);
  }
  return days.flatMap(({ day, begins }, index) =>
    curveOf({ deliveryOn: day, from: begins, to: days[index + 1]?.begins ?? ends }, '15min', prices),
  );
}
