import {
  addDays,
  addMonths,
  berlinMilliseconds,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import { addWorkingDays } from '../../platform/time/working-days.ts';

/** Values that come after these working days change nothing. */
const WORKING_DAYS = 8;
const HOUR = 16;

/** 16:00 of the 8th working day of the following month, in milliseconds since 1970; of a month by its first day. */
export function settlesAt(month: CalendarDay): number {
  const lastOfMonth = addDays(addMonths(month, 1), -1);
  return berlinMilliseconds(addWorkingDays(lastOfMonth, WORKING_DAYS), HOUR);
}
