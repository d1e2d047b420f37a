import { getHolidays } from 'feiertagejs';
import { expect, test } from 'vitest';
import { feedDay, shiftDate } from '../../../../src/cli/demo/feed/days.ts';
import { forecastPrice, hash, noise, pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import { isNationwideHoliday, weekdayOf } from '../../../../src/cli/demo/feed/holidays.ts';

function daysOf(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = shiftDate(day, 1)) days.push(day);
  return days;
}

test('the hash is FNV-1a with 32 bits', () => {
  expect([hash(''), hash('a'), hash('day|2026-11-20')]).toEqual([2166136261, 3826002220, 3092003731]);
});

test('noise stays within its bounds and reaches both', () => {
  const seen = new Set(Array.from({ length: 200 }, (_, index) => noise(`x|${index}`, 2)));
  expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2]);
});

/* Cents per MWh: count, first, last, least, greatest, sum. */
test.for([
  ['2025-09-30', 24, 6077, 8276, 816, 13580, 165223],
  ['2025-10-01', 96, 8492, 9418, 5499, 16163, 965457],
  ['2026-03-29', 92, 4636, 5521, 1077, 12499, 564616],
  ['2026-05-17', 96, 3222, 3828, -5864, 10950, 328186],
  ['2026-10-25', 100, 5682, 6882, 3094, 13320, 718263],
  ['2026-11-21', 96, 9426, 10336, 8025, 17029, 1069914],
] as const)('the values of %s are the published ones', ([day, count, first, last, least, greatest, sum]) => {
  const prices = [...pricesOf(day)];
  const total = prices.reduce((left, price) => left + price, 0);
  expect([prices.length, prices[0], prices.at(-1)]).toEqual([count, first, last]);
  expect([Math.min(...prices), Math.max(...prices), total]).toEqual([least, greatest, sum]);
});

test('the example day repeats at positions 6, 36, 64, 88, 92 and from 94 to the end, and is negative 20 times', () => {
  const prices = [...pricesOf('2026-05-17')];
  const repeats = prices.flatMap((price, index) => (price === prices[index - 1] ? [index + 1] : []));
  expect(repeats).toEqual([6, 36, 64, 88, 92, 94, 95, 96]);
  expect(prices.filter((price) => price < 0)).toHaveLength(20);
  expect(prices.slice(0, 2)).toEqual([3222, 3517]);
});

test('a whole year has its negative quarters, its bounds and its flat ends', () => {
  const year = daysOf('2026-01-01', '2026-12-31').map((day) => [...pricesOf(day)]);
  const all = year.flat();
  expect(all).toHaveLength(365 * 96);
  expect(all.filter((price) => price < 0)).toHaveLength(1547);
  expect(year.filter((day) => day.some((price) => price < 0))).toHaveLength(117);
  expect([Math.min(...all), Math.max(...all)]).toEqual([-8351, 18572]);
  const hasFlatTail = (day: number[]) => new Set(day.slice(-4)).size === 1;
  expect(year.filter(hasFlatTail)).toHaveLength(76);
});

test('a forecast follows its run: two runs differ, one run does not', () => {
  const run = Date.parse('2026-11-19T03:10:00Z');
  const { starts } = feedDay('2026-11-20');
  const foreseen = [...pricesOf('2026-11-20')].map((price, index) =>
    forecastPrice(price, starts[index] ?? 0, run),
  );
  expect([foreseen[0], foreseen[1], foreseen.at(-1)]).toEqual([9467, 8655, 9775]);
  expect(forecastPrice(0, starts[0] ?? 0, run + 12 * 3_600_000)).not.toBe(
    forecastPrice(0, starts[0] ?? 0, run),
  );
});

test('days have the hours of Berlin, counted in UTC', () => {
  const spans = ['2026-03-29', '2026-10-25', '2025-03-30', '2024-10-27'].map((day) => {
    const { from, to, starts } = feedDay(day);
    return [new Date(from).toISOString(), new Date(to).toISOString(), starts.length];
  });
  expect(spans).toEqual([
    ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 92],
    ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 100],
    ['2025-03-29T23:00:00.000Z', '2025-03-30T22:00:00.000Z', 23],
    ['2024-10-26T22:00:00.000Z', '2024-10-27T23:00:00.000Z', 25],
  ]);
  expect(() => feedDay('2026-02-29')).toThrow(RangeError);
});

test('holidays are those of all sixteen states', () => {
  for (let year = 2015; year <= 2035; year += 1) {
    const known = new Set(getHolidays(year, 'BUND').map(({ dateString }) => dateString));
    /* The library counts Easter Sunday and Whit Sunday too, which are Sundays anyway. */
    const days = daysOf(`${year}-01-01`, `${year}-12-31`).filter((day) => weekdayOf(day) !== 7);
    expect(days.filter(isNationwideHoliday)).toEqual(days.filter((day) => known.has(day)));
  }
});
