import type { Decimal } from 'decimal.js';
import type { Connection } from '../../platform/database/db.ts';
import { Exact } from '../../platform/money.ts';
import {
  addDays,
  berlinDays,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  later,
} from '../../platform/time/berlin-calendar.ts';
import { quarterHourShares, quarterHourWeights } from '../load-profiles/quarter-hour-shares.ts';
import { yearShares } from '../load-profiles/year-shares.ts';
import { HOUSEHOLD_PROFILE, isProfileValid, loadProfile } from '../reference-data/service.ts';

/** H25 was published in this year; it stands for the years before, too. */
const FIRST_DAY = '2025-01-01';

/** A quarter hour by its start, in milliseconds since 1970, and what it takes of its year. */
type QuarterHourShare = ReturnType<typeof quarterHourShares>[number];

type Profile = Awaited<ReturnType<typeof loadProfile>>;
type YearShares = ReturnType<typeof yearShares>;

/** The share of their years that the days from one to another, the second one exclusive, use: 1 for each whole year. */
export type ShareOf = (from: CalendarDay, until: CalendarDay) => Decimal;

/** The load profile of households for the days of a span, the second day exclusive. */
export async function householdShares(
  connection: Connection,
  first: CalendarDay,
  end: CalendarDay,
): Promise<ShareOf> {
  const ofYear = new Map<string, YearShares>();
  for (let year = yearOf(first); year <= yearOf(end); year += 1) {
    const text = String(year).padStart(4, '0');
    ofYear.set(text, yearShares(await profileOf(connection, text), text));
  }
  return (from, until) => {
    let share = new Exact(0);
    for (let year = yearOf(from); from < until && year <= yearOf(until); year += 1) {
      const text = String(year).padStart(4, '0');
      const shares = ofYear.get(text);
      if (shares === undefined) throw new RangeError(`${from} to ${until} is outside of ${first} to ${end}`);
      const { before, total } = shares;
      const begin = before.get(from) ?? new Exact(0);
      const weight = (before.get(until) ?? total).minus(begin);
      share = share.plus(weight.dividedBy(total));
    }
    return share;
  };
}

/** The quarter hours of some days by the same profile, ascending; the second day is exclusive. */
export async function householdQuarterHours(
  connection: Connection,
  first: CalendarDay,
  end: CalendarDay,
): Promise<QuarterHourShare[]> {
  const days = berlinDays(first, end);
  const shares: QuarterHourShare[] = [];
  for (const [index, day] of days.entries()) {
    const year = day.day.slice(0, 4);
    const profile = await profileOf(connection, year);
    const ends = days[index + 1]?.begins ?? berlinMilliseconds(end);
    shares.push(...quarterHourShares(profile, day, ends, yearShares(profile, year).total));
  }
  return shares;
}

/**
 * How the quarter hours of some days of one year weigh against each other by the same profile, ascending; the second day is
 * exclusive.
 */
export async function householdWeights(
  connection: Connection,
  first: CalendarDay,
  end: CalendarDay,
): Promise<bigint[]> {
  const days = berlinDays(first, end);
  const year = first.slice(0, 4);
  if (days.at(-1)?.day.startsWith(year) === false)
    throw new RangeError(`${first} to ${end}: years have weights of their own`);
  const profile = await profileOf(connection, year);
  return days.flatMap((day, index) =>
    quarterHourWeights(profile, day, days[index + 1]?.begins ?? berlinMilliseconds(end)),
  );
}

/**
 * One of some days, the last one exclusive, that has no valid profile; null: there is none. Estimates go on with a profile
 * that ran out, bills wait for the next one.
 */
export async function dayWithoutProfile(
  connection: Connection,
  first: CalendarDay,
  end: CalendarDay,
): Promise<CalendarDay | null> {
  const last = addDays(end, -1);
  for (let year = yearOf(first); year <= yearOf(last); year += 1) {
    /* The profile of its first day stands for a year. */
    for (const day of [`${year}-01-01`, earlier(last, `${year}-12-31`)]) {
      if (!(await isProfileValid(connection, HOUSEHOLD_PROFILE, later(day, FIRST_DAY)))) return day;
    }
  }
  return null;
}

function profileOf(connection: Connection, year: string): Promise<Profile> {
  return loadProfile(connection, HOUSEHOLD_PROFILE, later(`${year}-01-01`, FIRST_DAY));
}

const yearOf = (day: CalendarDay) => Number(day.slice(0, 4));

/** kWh that a contract is expected to use on the days of a span: its yearly estimate, spread by the profile. */
export async function forecastKwh(
  connection: Connection,
  estimatedUsage: string,
  first: CalendarDay,
  end: CalendarDay,
): Promise<Decimal> {
  return (await householdShares(connection, first, end))(first, end).times(estimatedUsage);
}
