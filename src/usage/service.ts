import { addDays, type CalendarDay } from '../platform/berlin-calendar.ts';
import type { Connection } from '../platform/db.ts';
import { loadProfile } from '../tariffs/service.ts';
import { sumOfShares } from './analog.ts';
import { dayShares } from './day-shares.ts';

export { settleUsage } from './settle.ts';

const PROFILE = 'h25';

/** H25 was published in this year; it stands for the years before, too. */
const FIRST_YEAR = '2025';

type Profile = Awaited<ReturnType<typeof loadProfile>>;

/* Kept as long as the profile itself, which is read again after some seconds. */
const known = new WeakMap<Profile, Map<string, ReadonlyMap<CalendarDay, number>>>();

/** What each day of a span, the second day exclusive, takes of its year by the load profile of households. */
export async function householdShares(
  connection: Connection,
  first: CalendarDay,
  end: CalendarDay,
): Promise<(day: CalendarDay) => number> {
  const ofYear = new Map<string, ReadonlyMap<CalendarDay, number>>();
  const last = addDays(end, -1);
  for (
    let year = first.slice(0, 4);
    year <= last.slice(0, 4);
    year = addDays(`${year}-12-31`, 1).slice(0, 4)
  ) {
    const on = `${year < FIRST_YEAR ? FIRST_YEAR : year}-01-01`;
    ofYear.set(year, sharesOf(await loadProfile(connection, PROFILE, on), year));
  }
  return (day) => {
    const share = ofYear.get(day.slice(0, 4))?.get(day);
    if (share === undefined) throw new RangeError(`${day} is outside of ${first} to ${end}`);
    return share;
  };
}

function sharesOf(profile: Profile, year: string): ReadonlyMap<CalendarDay, number> {
  const years = known.get(profile) ?? new Map<string, ReadonlyMap<CalendarDay, number>>();
  known.set(profile, years);
  const shares = years.get(year) ?? dayShares(profile, year);
  years.set(year, shares);
  return shares;
}

/** What a contract is expected to use on the days of a span: its yearly estimate, spread by the profile. */
export async function forecastKwh(
  connection: Connection,
  estimatedUsage: number,
  first: CalendarDay,
  end: CalendarDay,
): Promise<number> {
  return estimatedUsage * sumOfShares(first, end, await householdShares(connection, first, end));
}
