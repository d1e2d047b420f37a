import type { LoadProfileRow } from './queries.ts';
import { isValidOn, MissingReferenceError, rowsThatApply, type Validity } from './validity.ts';

/** Working day, Saturday, Sunday or public holiday: the order in which a profile has them. */
export const DAY_TYPES = ['WT', 'SA', 'FT'] as const;
export const MONTHS = 12;
export const QUARTER_HOURS = 96;

/** kWh at 1,000,000 kWh a year: 12 months, 3 kinds of day in the order of DAY_TYPES, 96 quarter hours. */
export type LoadProfile = readonly (readonly (readonly number[])[])[];

type ProfileRow = Pick<LoadProfileRow, 'month' | 'quarter_hour' | 'kwh'> & { day_type: string } & Validity;

/** The profile of a day from the rows of all days; every one of the 3,456 values has to be there. */
export function wholeProfile(rows: readonly ProfileRow[], profile: string, on: string): LoadProfile {
  const ofQuarterHour = Map.groupBy(rows, keyOf);
  const value = (month: number, day_type: string, quarter_hour: number): number => {
    const key = keyOf({ month, day_type, quarter_hour });
    const [row] = rowsThatApply(ofQuarterHour.get(key) ?? [], on).rows;
    if (row === undefined) throw new MissingReferenceError('load_profiles', `${profile} ${key}`, on);
    return Number(row.kwh);
  };
  return [...Array(MONTHS).keys()].map((month) =>
    DAY_TYPES.map((dayType) =>
      [...Array(QUARTER_HOURS).keys()].map((quarter) => value(month + 1, dayType, quarter)),
    ),
  );
}

/** Whether every value of it is valid on a day, and none is carried forward. */
export function isWholeOn(rows: readonly Validity[], on: string): boolean {
  return rows.filter((row) => isValidOn(row, on)).length === MONTHS * DAY_TYPES.length * QUARTER_HOURS;
}

function keyOf(row: { month: number; day_type: string; quarter_hour: number }): string {
  return `${row.month} ${row.day_type} ${row.quarter_hour}`;
}
