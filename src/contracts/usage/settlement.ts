import { OVERLAP_SECONDS } from '../../platform/database/time-limits.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { addWorkingDays } from '../../platform/time/working-days.ts';
import { ALL_DAYS, type MeterPart, partsWithin } from './meter-parts.ts';
import type { MonthDays } from './queries.ts';

/** Values of a month that come after these working days change nothing. */
const WORKING_DAYS = 8;
/** The hour in Berlin at which the values of the day before are there, and at which a month is settled. */
const HOUR = 16;

/** Own measurements of a day are shown from 16:00 of the next one: up to which instant, in milliseconds since 1970. */
export function shownUntil(nowMilliseconds: number): number {
  const today = berlinDayAt(nowMilliseconds);
  const isThere = nowMilliseconds >= berlinMilliseconds(today, HOUR);
  return berlinMilliseconds(isThere ? today : addDays(today, -1));
}

/** 16:00 of the 8th working day of the following month, in milliseconds since 1970; of a month by its first day. */
export function settlesAt(month: CalendarDay): number {
  const lastOfMonth = addDays(addMonths(month, 1), -1);
  return berlinMilliseconds(addWorkingDays(lastOfMonth, WORKING_DAYS), HOUR);
}

/**
 * From then on a month is frozen: a snapshot has the instant at which its transaction began, and all that began before the
 * month was settled have ended.
 */
export function freezesAt(month: CalendarDay): number {
  return settlesAt(month) + OVERLAP_SECONDS * 1_000;
}

/** The first day that is not frozen yet: the beginning of this month, or of the one before it. */
export function settledUntil(nowMilliseconds: number): CalendarDay {
  const thisMonth = firstOfMonth(berlinDayAt(nowMilliseconds));
  const lastMonth = addMonths(thisMonth, -1);
  return nowMilliseconds >= freezesAt(lastMonth) ? thisMonth : lastMonth;
}

/** The months, ascending, that are settled by now, each with those of its days on which the meter was smart. */
export function settledMonths(parts: readonly MeterPart[], nowMilliseconds: number): MonthDays[] {
  const settled = partsWithin(parts, ALL_DAYS.first, settledUntil(nowMilliseconds)).filter(
    ({ type }) => type === 'smart',
  );
  const months = new Set<CalendarDay>();
  for (const { first, end } of settled) {
    for (let month = firstOfMonth(first); month < end; month = addMonths(month, 1)) months.add(month);
  }
  return [...months].map((month) => ({ month, days: partsWithin(settled, month, addMonths(month, 1)) }));
}
