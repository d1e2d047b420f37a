import type { Decimal } from 'decimal.js';
import type { BerlinDay } from '../../platform/time/berlin-calendar.ts';
import { quarterHoursOf } from '../../platform/time/berlin-calendar.ts';
import { calendarOf, correction, Exact, type Profile } from './profile-calendar.ts';

/** A quarter hour, and what it takes of the year. */
interface QuarterHourShare {
  /** Milliseconds since 1970. */
  readonly begins: number;
  readonly share: Decimal;
}

const QUARTER_HOUR_MINUTES = 15;

/**
 * The quarter hours of a day by a profile that is corrected by the day of the year, as H25 is. `yearTotal` is the sum of all
 * days, so that the day's shares add up to what the day takes of its year.
 */
export function quarterHourShares(
  profile: Profile,
  { day, begins }: BerlinDay,
  ends: number,
  yearTotal: Decimal,
): QuarterHourShare[] {
  const calendar = calendarOf(day.slice(0, 4));
  const index = calendar.findIndex((calendarDay) => calendarDay.day === day);
  const like = calendar[index];
  if (like === undefined) throw new RangeError(`Not a day of the calendar: ${day}`);
  const values = profile[like.month]?.[like.kind] ?? [];
  const factor = correction(index + 1).dividedBy(yearTotal);
  return quarterHoursOf(begins, ends).map(({ begins: start, minuteOfDay }) => ({
    begins: start,
    share: new Exact(values[minuteOfDay / QUARTER_HOUR_MINUTES] ?? 0).times(factor),
  }));
}
