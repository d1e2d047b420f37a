import { holidaysOn } from '../../platform/time/working-days.ts';
import { dayOfNumber, weekdayOf } from './day-numbers.ts';

/** Days whose price curves look alike. */
export type DayClass = 'workday' | 'saturday' | 'sunday_or_holiday';

const SUNDAY = 0;
const SATURDAY = 6;

/**
 * The nine holidays of the whole country: New Year, Good Friday, Easter Monday, 1 May, Ascension, Whit Monday, 3 October,
 * 25 and 26 December; in 2017 also 31 October. Those of single Länder move the German price too little to count.
 */
export function isHoliday(dayNumber: number): boolean {
  return holidaysOn(dayOfNumber(dayNumber)).length > 0;
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
