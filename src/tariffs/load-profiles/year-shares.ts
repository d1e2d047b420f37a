import type { Decimal } from 'decimal.js';
import { Exact } from '../../platform/money.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import {
  CHANGED_QUARTER_HOURS,
  calendarOf,
  correction,
  type DayOfYear,
  HOURS,
  type Profile,
} from './profile-calendar.ts';

/**
 * The days of a calendar year and their shares of it, by a profile that is corrected by the day of the year, as H25 is. Kept
 * as running sums: what a span of days takes is one difference, however long it is.
 */
export interface YearShares {
  /** The weights of all days before a day of this year. */
  readonly before: ReadonlyMap<CalendarDay, Decimal>;
  readonly total: Decimal;
}

/* Kept as long as the profile itself, which is read again after some seconds. */
const known = new WeakMap<Profile, Map<string, YearShares>>();

export function yearShares(profile: Profile, year: string): YearShares {
  const years = known.get(profile) ?? new Map<string, YearShares>();
  known.set(profile, years);
  const shares = years.get(year) ?? sharesOf(profile, year);
  years.set(year, shares);
  return shares;
}

function sharesOf(profile: Profile, year: string): YearShares {
  const before = new Map<CalendarDay, Decimal>();
  /* Days of the same kind and month have the same energy: 40 sums of 96 quarter hours in place of 365. */
  const energies = new Map<string, Decimal>();
  let total = new Exact(0);
  for (const [index, day] of calendarOf(year).entries()) {
    const key = `${day.month} ${day.kind} ${day.hours}`;
    const energy = energies.get(key) ?? energyOf(profile, day);
    energies.set(key, energy);
    before.set(day.day, total);
    total = total.plus(correction(index + 1).times(energy));
  }
  return { before, total };
}

function energyOf(profile: Profile, { month, kind, hours }: DayOfYear): Decimal {
  const quarterHours = profile[month]?.[kind] ?? [];
  const whole = sumOf(quarterHours);
  const changed = sumOf(CHANGED_QUARTER_HOURS.map((index) => quarterHours[index] ?? 0));
  return whole.plus(changed.times(hours - HOURS));
}

const sumOf = (values: readonly Decimal.Value[]) =>
  values.reduce<Decimal>((sum, value) => sum.plus(value), new Exact(0));
