import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
} from '../platform/berlin-calendar.ts';
import { addWorkingDays } from '../platform/working-days.ts';
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

/** Whether the month of an instant is settled: 16:00 of the 8th working day of the following month has passed. */
export function settledAt(nowMilliseconds: number): (milliseconds: number) => boolean {
  const settledUntil = berlinMilliseconds(firstUnsettledMonth(nowMilliseconds));
  return (milliseconds) => milliseconds < settledUntil;
}

function firstUnsettledMonth(nowMilliseconds: number): CalendarDay {
  const thisMonth = firstOfMonth(berlinDayAt(nowMilliseconds));
  const settling = addWorkingDays(addDays(thisMonth, -1), WORKING_DAYS);
  /* The month before this one is settled in the course of this one; older ones are. */
  return nowMilliseconds >= berlinMilliseconds(settling, HOUR) ? thisMonth : addMonths(thisMonth, -1);
}
