import type { Decimal } from 'decimal.js';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { Exact } from '../../platform/money.ts';
import {
  addDays,
  berlinMilliseconds,
  type CalendarDay,
  weekdayOf,
} from '../../platform/time/berlin-calendar.ts';
import { holidaysOn } from '../../platform/time/working-days.ts';

/* The days of a year as a load profile of BDEW sees them. */

/** Month, kind of day (working day, Saturday, Sunday or holiday), quarter hour; decimal texts or whole numbers. */
export type Profile = readonly (readonly (readonly Decimal.Value[])[])[];

export interface DayOfYear {
  readonly day: CalendarDay;
  /** From 0. */
  readonly month: number;
  readonly kind: typeof WORKING_DAY | typeof SATURDAY | typeof SUNDAY_OR_HOLIDAY;
  /** 23, 24 or 25. */
  readonly hours: number;
}

const WORKING_DAY = 0;
const SATURDAY = 1;
const SUNDAY_OR_HOLIDAY = 2;

const HOUR_MILLISECONDS = 3_600_000;
export const HOURS = 24;
/** The quarter hours between 2:00 and 3:00, which a day in March has not and a day in October has twice. */
export const CHANGED_QUARTER_HOURS = [8, 9, 10, 11];

/** BDEW, standard load profiles of 2025-03-18: more in winter than in summer. By the day of the year. */
const CORRECTION = ['-3.92e-10', '3.2e-7', '-7.02e-5', '2.1e-3', '1.24'].map((text) => new Exact(text));

/** By year: the library for time zones takes longer than everything else here. */
const calendars = new BoundedCache<readonly DayOfYear[]>(100);

/** The factor of a day, counted from 1. */
export function correction(ordinal: number): Decimal {
  return CORRECTION.reduce((sum, coefficient) => sum.times(ordinal).plus(coefficient), new Exact(0));
}

export function calendarOf(year: string): readonly DayOfYear[] {
  const kept = calendars.get(year);
  if (kept !== undefined) return kept;
  const days: DayOfYear[] = [];
  let begins = berlinMilliseconds(`${year}-01-01`);
  for (let day = `${year}-01-01`; day.startsWith(`${year}-`); ) {
    const next = addDays(day, 1);
    const ends = berlinMilliseconds(next);
    const hours = (ends - begins) / HOUR_MILLISECONDS;
    days.push({ day, month: Number(day.slice(5, 7)) - 1, kind: kindOf(day), hours });
    day = next;
    begins = ends;
  }
  calendars.set(year, days);
  return days;
}

/** 24 and 31 December are as Saturdays, unless they are Sundays. */
function kindOf(day: CalendarDay): DayOfYear['kind'] {
  const weekday = weekdayOf(day);
  if (weekday === 7 || holidaysOn(day).length > 0) return SUNDAY_OR_HOLIDAY;
  if (weekday === 6 || day.endsWith('-12-24') || day.endsWith('-12-31')) return SATURDAY;
  return WORKING_DAY;
}
