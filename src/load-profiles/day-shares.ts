import { Decimal } from 'decimal.js';
import { getHolidays } from 'feiertagejs';
import { DateTime } from 'luxon';
import { BoundedCache } from '../platform/bounded-cache.ts';
import { addDays, berlinMilliseconds, type CalendarDay } from '../platform/time/berlin-calendar.ts';

/** Month, kind of day (working day, Saturday, Sunday or holiday), quarter hour; decimal texts or whole numbers. */
type Profile = readonly (readonly (readonly Decimal.Value[])[])[];

interface DayOfYear {
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
const HOURS = 24;
/** The quarter hours between 2:00 and 3:00, which a day in March has not and a day in October has twice. */
const CHANGED_QUARTER_HOURS = [8, 9, 10, 11];

/** Enough for weights without any rounding; a division is rounded behind so many digits. */
export const Exact = Decimal.clone({ defaults: true, precision: 40 });

/** BDEW, standard load profiles of 2025-03-18: more in winter than in summer. By the day of the year. */
const CORRECTION = ['-3.92e-10', '3.2e-7', '-7.02e-5', '2.1e-3', '1.24'].map((text) => new Exact(text));

/** By year: the library for holidays and the one for time zones take longer than everything else here. */
const calendars = new BoundedCache<readonly DayOfYear[]>(100);

/**
 * What the days of a calendar year take of it by a profile that is corrected by the day of the year, as H25 is. Kept as
 * running sums: what a span of days takes is one difference, however long it is.
 */
export interface YearShares {
  /** The weights of all days before a day of this year. */
  readonly before: ReadonlyMap<CalendarDay, Decimal>;
  readonly total: Decimal;
}

export function yearShares(profile: Profile, year: string): YearShares {
  const before = new Map<CalendarDay, Decimal>();
  /* Days of the same kind and month have the same energy: 40 sums of 96 quarter hours in place of 365. */
  const energies = new Map<string, Decimal>();
  let total = new Exact(0);
  for (const [index, one] of calendarOf(year).entries()) {
    const key = `${one.month} ${one.kind} ${one.hours}`;
    const energy = energies.get(key) ?? energyOf(profile, one);
    energies.set(key, energy);
    before.set(one.day, total);
    total = total.plus(correction(index + 1).times(energy));
  }
  return { before, total };
}

function correction(ordinal: number): Decimal {
  return CORRECTION.reduce((sum, coefficient) => sum.times(ordinal).plus(coefficient), new Exact(0));
}

function energyOf(profile: Profile, { month, kind, hours }: DayOfYear): Decimal {
  const quarterHours = profile[month]?.[kind] ?? [];
  const whole = sumOf(quarterHours);
  const changed = sumOf(CHANGED_QUARTER_HOURS.map((index) => quarterHours[index] ?? 0));
  return whole.plus(changed.times(hours - HOURS));
}

const sumOf = (values: readonly Decimal.Value[]) =>
  values.reduce<Decimal>((sum, value) => sum.plus(value), new Exact(0));

function calendarOf(year: string): readonly DayOfYear[] {
  const kept = calendars.get(year);
  if (kept !== undefined) return kept;
  const holidays = new Set(getHolidays(year, 'BUND').map(({ dateString }) => dateString));
  const days: DayOfYear[] = [];
  let begins = berlinMilliseconds(`${year}-01-01`);
  for (let day = `${year}-01-01`; day.startsWith(`${year}-`); ) {
    const next = addDays(day, 1);
    const ends = berlinMilliseconds(next);
    const hours = (ends - begins) / HOUR_MILLISECONDS;
    days.push({ day, month: Number(day.slice(5, 7)) - 1, kind: kindOf(day, holidays), hours });
    day = next;
    begins = ends;
  }
  calendars.set(year, days);
  return days;
}

/** 24 and 31 December are as Saturdays, unless they are Sundays. */
function kindOf(day: CalendarDay, holidays: ReadonlySet<string>): DayOfYear['kind'] {
  const { weekday } = DateTime.fromISO(day, { zone: 'utc' });
  if (weekday === 7 || holidays.has(day)) return SUNDAY_OR_HOLIDAY;
  if (weekday === 6 || day.endsWith('-12-24') || day.endsWith('-12-31')) return SATURDAY;
  return WORKING_DAY;
}
