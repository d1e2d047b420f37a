import { beforeAll, describe, expect, test } from 'vitest';
import { yearShares } from '../../../src/tariffs/load-profiles/year-shares.ts';
import { h25 } from './h25.ts';

let profile: number[][][];
beforeAll(async () => {
  profile = await h25();
});

/** With the same energy in every quarter hour of a kind of day. */
function flat(workingDay: number, saturday: number, sunday: number): number[][][] {
  const ofKind = [workingDay, saturday, sunday].map((kwh) => Array.from({ length: 96 }, () => kwh));
  return Array.from({ length: 12 }, () => ofKind);
}

/** What each single day takes, as the differences of the running sums. */
function dayShares(of: number[][][], year: string): ReadonlyMap<string, number> {
  const { before, total } = yearShares(of, year);
  const days = [...before];
  return new Map(
    days.map(([day, sum], index) => [
      day,
      (days[index + 1]?.[1] ?? total).minus(sum).dividedBy(total).toNumber(),
    ]),
  );
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

/** By the definition: the correction of the day of the year, to be divided out. */
function correctionOf(day: string): number {
  const t = (Date.parse(day) - Date.parse(`${day.slice(0, 4)}-01-01`)) / 86_400_000 + 1;
  return -3.92e-10 * t ** 4 + 3.2e-7 * t ** 3 - 7.02e-5 * t ** 2 + 2.1e-3 * t + 1.24;
}

function weightsOf(shares: ReadonlyMap<string, number>, days: readonly string[]): number[] {
  const [reference = 0, ...rest] = days.map((day) => (shares.get(day) ?? 0) / correctionOf(day));
  return rest.map((weight) => Number((weight / reference).toFixed(9)));
}

test.each([
  ['2024', 366],
  ['2025', 365],
  ['2026', 365],
  ['2027', 365],
])('the days of %s are one year', (year, days) => {
  const shares = dayShares(profile, year);
  expect(shares.size).toBe(days);
  expect(sum(shares.values())).toBeCloseTo(1, 12);
});

test('the quarters of 2026 have the shares that the profile is known for', () => {
  const quarters = [0, 0, 0, 0];
  for (const [day, share] of dayShares(profile, '2026')) {
    const quarter = Math.floor((Number(day.slice(5, 7)) - 1) / 3);
    quarters[quarter] = (quarters[quarter] ?? 0) + share;
  }
  expect(quarters.map((share) => share.toFixed(4))).toEqual(['0.2770', '0.2315', '0.2200', '0.2715']);
});

test('the days of a year are added up once for each profile', () => {
  const [first, other] = [flat(1, 2, 3), flat(1, 2, 3)];
  const shares = yearShares(first, '2026');
  expect(yearShares(first, '2025').before.has('2025-01-01')).toBe(true);
  expect(yearShares(first, '2026')).toBe(shares);
  expect(yearShares(other, '2026')).not.toBe(shares);
});

describe('kinds of day', () => {
  test('public holidays count as Sundays, 24 and 31 December as Saturdays', () => {
    const shares = dayShares(flat(1, 2, 3), '2026');
    /* A Tuesday; Saturday, Sunday, Good Friday, Easter Monday, Labour Day, Unity Day (a Saturday), both Christmas days. */
    const days = ['2026-11-24', '2026-11-21', '2026-11-22', '2026-04-03', '2026-04-06', '2026-05-01'];
    const christmas = ['2026-10-03', '2026-12-24', '2026-12-25', '2026-12-26', '2026-12-31', '2026-01-01'];
    expect(weightsOf(shares, [...days, ...christmas])).toEqual([2, 3, 3, 3, 3, 3, 2, 3, 3, 2, 3]);
  });

  test('unless they are Sundays', () => {
    const shares = dayShares(flat(1, 2, 3), '2028');
    expect(weightsOf(shares, ['2028-11-21', '2028-12-24', '2028-12-31'])).toEqual([3, 3]);
  });

  test('holidays of single states are working days', () => {
    const shares = dayShares(flat(1, 2, 3), '2026');
    expect(weightsOf(shares, ['2026-11-24', '2026-01-06', '2026-06-04'])).toEqual([1, 1]);
  });
});

test('a day of 23 or 25 hours takes the hour between 2:00 and 3:00 not at all or twice', () => {
  const shares = dayShares(flat(1, 1, 1), '2026');
  const weights = weightsOf(shares, ['2026-03-28', '2026-03-29', '2026-10-25']);
  expect(weights).toEqual([Number((92 / 96).toFixed(9)), Number((100 / 96).toFixed(9))]);
});
