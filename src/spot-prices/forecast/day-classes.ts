import { getHolidays } from 'feiertagejs';
import { dayOfNumber, weekdayOf } from './day-numbers.ts';

/** Days whose price curves look alike. */
export type DayClass = 'workday' | 'saturday' | 'sunday_or_holiday';

const SUNDAY = 0;
const SATURDAY = 6;

const holidaysOfYears = new Map<number, ReadonlySet<string>>();

/**
 * The nine holidays of the whole country: New Year, Good Friday, Easter Monday, 1 May, Ascension, Whit Monday, 3 October,
 * 25 and 26 December; in 2017 also 31 October. Those of single Länder move the German price too little to count.
 *
 * The library gives instants at noon UTC. Their calendar parts in UTC are the day, in whatever zone this process runs;
 * its own comparison would build a formatter for every question.
 */
function holidaysOf(year: number): ReadonlySet<string> {
  const known = holidaysOfYears.get(year);
  if (known !== undefined) return known;
  const days = new Set(getHolidays(year, 'BUND').map(({ date }) => date.toISOString().slice(0, 10)));
  holidaysOfYears.set(year, days);
  return days;
}

export function isHoliday(dayNumber: number): boolean {
  const day = dayOfNumber(dayNumber);
  return holidaysOf(Number(day.slice(0, 4))).has(day);
}

export function dayClassOf(dayNumber: number): DayClass {
  const weekday = weekdayOf(dayNumber);
  if (weekday === SUNDAY || isHoliday(dayNumber)) return 'sunday_or_holiday';
  return weekday === SATURDAY ? 'saturday' : 'workday';
}

/** 0 to 6 from Sunday on; a holiday counts as a Sunday. */
export function weekdayWithHolidays(dayNumber: number): number {
  return isHoliday(dayNumber) ? SUNDAY : weekdayOf(dayNumber);
}
