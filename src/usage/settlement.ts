import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
} from '../platform/time/berlin-calendar.ts';
import { addWorkingDays } from '../platform/time/working-days.ts';
import { firstOfMonth } from './intervals.ts';

/** The hour of the day in Berlin at which the values of the day before are there, and at which a month is settled. */
const HOUR = 16;

/** What is not settled by then stays as it is. */
const WORKING_DAYS = 8;

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

/** The first day that is not settled: the beginning of this month, or of the one before it. */
export function settledUntil(nowMilliseconds: number): CalendarDay {
  const thisMonth = firstOfMonth(berlinDayAt(nowMilliseconds));
  const lastMonth = addMonths(thisMonth, -1);
  return nowMilliseconds >= settlesAt(lastMonth) ? thisMonth : lastMonth;
}
