import { DateTime } from 'luxon';

/** Easter Sunday of the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
function easterSunday(year: number): DateTime {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor((b + 8) / 25);
  const e = Math.floor((b - d + 1) / 3);
  const f = (19 * a + b - Math.floor(b / 4) - e + 15) % 30;
  const g = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - f - (c % 4)) % 7;
  const h = Math.floor((a + 11 * f + 22 * g) / 451);
  const n = f + g - 7 * h + 114;
  return DateTime.utc(year, Math.floor(n / 31), (n % 31) + 1);
}

/** Good Friday, Easter Monday, Ascension and Whit Monday, in days after Easter Sunday. */
const AFTER_EASTER = [-2, 1, 39, 50];
const FIXED = ['01-01', '05-01', '10-03', '12-25', '12-26'];
/** The 500th anniversary of the Reformation was a holiday in all of Germany, that one year. */
const ONCE = ['2017-10-31'];

const holidaysByYear = new Map<string, Set<string>>();

function holidaysOf(year: string): Set<string> {
  const found = holidaysByYear.get(year);
  if (found !== undefined) return found;
  const easter = easterSunday(Number(year));
  const moving = AFTER_EASTER.map((days) => easter.plus({ days }).toFormat('yyyy-MM-dd'));
  const holidays = new Set([...FIXED.map((day) => `${year}-${day}`), ...moving, ...ONCE]);
  holidaysByYear.set(year, holidays);
  return holidays;
}

/** Whether a day (`YYYY-MM-DD`) is a holiday in all sixteen states of Germany. */
export function isNationwideHoliday(date: string): boolean {
  return holidaysOf(date.slice(0, 4)).has(date);
}

/** 1 is Monday, 7 is Sunday. */
export function weekdayOf(date: string): number {
  return DateTime.fromFormat(date, 'yyyy-MM-dd', { zone: 'utc' }).weekday;
}
