import { getHolidays } from 'feiertagejs';
import { DateTime } from 'luxon';
import { addDays, type CalendarDay } from './berlin-calendar.ts';

const SATURDAY = 6;

/* The library works a year out anew for each question: 2 ms, and a date is counted from several days. */
const holidaysByYear = new Map<number, ReadonlySet<CalendarDay>>();

/** Days that are holidays in all federal states. */
function holidaysOf(year: number): ReadonlySet<CalendarDay> {
  const known = holidaysByYear.get(year);
  if (known !== undefined) return known;
  const days = new Set(getHolidays(year, 'BUND').map(({ dateString }) => dateString));
  holidaysByYear.set(year, days);
  return days;
}

/** Monday to Friday, without the holidays that all federal states have. */
export function isWorkingDay(day: CalendarDay): boolean {
  const { weekday, year } = DateTime.fromISO(day, { zone: 'utc' });
  return weekday < SATURDAY && !holidaysOf(year).has(day);
}

/** The last of so many working days behind a day, which is not counted itself. */
export function addWorkingDays(day: CalendarDay, count: number): CalendarDay {
  let reached = day;
  for (let left = count; left > 0; ) {
    reached = addDays(reached, 1);
    if (isWorkingDay(reached)) left -= 1;
  }
  return reached;
}
