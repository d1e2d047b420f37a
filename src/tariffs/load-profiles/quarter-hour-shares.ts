import type { Decimal } from 'decimal.js';
import { Exact, wholeNumbers } from '../../platform/money.ts';
import type { BerlinDay } from '../../platform/time/berlin-calendar.ts';
import { quarterHoursOf } from '../../platform/time/berlin-calendar.ts';
import { calendarOf, correction, type Profile } from './profile-calendar.ts';

/** A quarter hour, and what it takes of the year. */
interface QuarterHourShare {
  /** Milliseconds since 1970. */
  readonly begins: number;
  readonly share: Decimal;
}

const QUARTER_HOUR_MINUTES = 15;
const DAYS_OF_LEAP_YEAR = 366;

/**
 * The quarter hours of a day by a profile that is corrected by the day of the year, as H25 is. `yearTotal` is the sum of all
 * days, so that the day's shares add up to what the day takes of its year.
 */
export function quarterHourShares(
  profile: Profile,
  day: BerlinDay,
  ends: number,
  yearTotal: Decimal,
): QuarterHourShare[] {
  const { ordinal, month, kind } = placeOf(day.day);
  const values = profile[month]?.[kind] ?? [];
  const factor = correction(ordinal).dividedBy(yearTotal);
  return quarterHoursOf(day.begins, ends).map(({ begins, minuteOfDay }) => ({
    begins,
    share: new Exact(values[minuteOfDay / QUARTER_HOUR_MINUTES] ?? 0).times(factor),
  }));
}

/** Kept with the profile. */
const wholeProfiles = new WeakMap<Profile, readonly (readonly (readonly bigint[])[])[]>();

/** By the day of the year, from 1: as whole numbers of one unit, which is the same for all days. */
const corrections = wholeNumbers(
  [...Array(DAYS_OF_LEAP_YEAR).keys()].map((index) => correction(index + 1).toFixed()),
).numbers;

/**
 * How the quarter hours of a day weigh against each other and against those of every other day of the year. Whole numbers of
 * one unit: the sums of a month are exact, and made in a tenth of the time.
 */
export function quarterHourWeights(profile: Profile, day: BerlinDay, ends: number): bigint[] {
  const { ordinal, month, kind } = placeOf(day.day);
  const values = wholeProfile(profile)[month]?.[kind] ?? [];
  const factor = corrections[ordinal - 1] ?? 0n;
  return quarterHoursOf(day.begins, ends).map(
    ({ minuteOfDay }) => (values[minuteOfDay / QUARTER_HOUR_MINUTES] ?? 0n) * factor,
  );
}

function wholeProfile(profile: Profile): readonly (readonly (readonly bigint[])[])[] {
  const kept = wholeProfiles.get(profile);
  if (kept !== undefined) return kept;
  const texts = profile.flat(2).map((value) => new Exact(value).toFixed());
  const { numbers } = wholeNumbers(texts);
  let next = 0;
  const whole = profile.map((kinds) =>
    kinds.map((values) => {
      next += values.length;
      return numbers.slice(next - values.length, next);
    }),
  );
  wholeProfiles.set(profile, whole);
  return whole;
}

/** The place of a day's values in a profile, and the day's number in the year. */
function placeOf(day: string): { ordinal: number; month: number; kind: number } {
  const calendar = calendarOf(day.slice(0, 4));
  const index = calendar.findIndex((calendarDay) => calendarDay.day === day);
  const like = calendar[index];
  if (like === undefined) throw new RangeError(`Not a day of the calendar: ${day}`);
  return { ordinal: index + 1, month: like.month, kind: like.kind };
}
