import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { settlesAt } from './settles-at.ts';

/** The hour of the day in Berlin at which the values of the day before are there. */
const HOUR = 16;

/** Own measurements of a day are shown from 16:00 of the next one: up to which instant, in milliseconds since 1970. */
export function shownUntil(nowMilliseconds: number): number {
  const today = berlinDayAt(nowMilliseconds);
  const isThere = nowMilliseconds >= berlinMilliseconds(today, HOUR);
  return berlinMilliseconds(isThere ? today : addDays(today, -1));
}

/** The first day that is not settled: the beginning of this month, or of the one before it. */
export function settledUntil(nowMilliseconds: number): CalendarDay {
  const thisMonth = firstOfMonth(berlinDayAt(nowMilliseconds));
  const lastMonth = addMonths(thisMonth, -1);
  return nowMilliseconds >= settlesAt(lastMonth) ? thisMonth : lastMonth;
}
