import { getHolidays, type Holiday } from 'feiertagejs';
import { addDays, type CalendarDay, weekdayOf } from './berlin-calendar.ts';

const SATURDAY = 6;

/* The library works a year out anew for each question: 2 ms, and a date is counted from several days. */
const holidaysByYear = new Map<number, ReadonlyMap<CalendarDay, readonly Holiday[]>>();

/** The holidays that all federal states have on a day: none, one, or two as on 1 May 2008. */
export function holidaysOn(day: CalendarDay): readonly Holiday[] {
  const year = Number(day.slice(0, 4));
  const holidays =
    holidaysByYear.get(year) ?? Map.groupBy(getHolidays(year, 'BUND'), ({ dateString }) => dateString);
  holidaysByYear.set(year, holidays);
  return holidays.get(day) ?? [];
}

/** Monday to Friday, without the holidays that all federal states have. */
export function isWorkingDay(day: CalendarDay): boolean {
  return weekdayOf(day) < SATURDAY && holidaysOn(day).length === 0;
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
