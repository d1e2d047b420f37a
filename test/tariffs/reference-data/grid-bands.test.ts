import { expect, test } from 'vitest';
import { type ClockWindow, clockWindows } from '../../../src/tariffs/reference-data/clock-windows.ts';
import { bandAt, blendedPrice, hourShares } from '../../../src/tariffs/reference-data/grid-bands.ts';
import { berlinQuarterHours } from './berlin-quarter-hours.ts';

const windows = (text: string): readonly ClockWindow[] => clockWindows(text) ?? [];

/* Across midnight, two windows of a kind, and one that ends where the other kind begins. */
const SCHEDULE = {
  quarters: [1, 4],
  lowWindows: windows('23:00-06:00;12:00-14:15'),
  highWindows: windows('06:00-07:30;18:00-21:00'),
};

/** What a price sheet says in words. */
const BANDS = [
  ['00:00', 'low'],
  ['06:00', 'high'],
  ['07:30', 'standard'],
  ['12:00', 'low'],
  ['14:15', 'standard'],
  ['18:00', 'high'],
  ['21:00', 'standard'],
  ['23:00', 'low'],
] as const;
const printed = (time: string) => BANDS.findLast(([from]) => from <= time)?.[1];

test.each([
  ['an ordinary day', '2026-01-14', 96],
  ['the day on which an hour is left out', '2026-03-29', 92],
  ['the day on which an hour comes twice', '2026-10-25', 100],
])('%s: every quarter hour has the band of its wall clock', (_, day, count) => {
  const bands = berlinQuarterHours(day).map(({ time, quarter, minuteOfDay }) => {
    expect(bandAt(SCHEDULE, { quarter, minuteOfDay }), time).toBe(printed(time));
    return time;
  });
  expect(bands).toHaveLength(count);
});

test('in a quarter without windows every quarter hour is standard', () => {
  const moments = berlinQuarterHours('2026-07-01');
  expect(moments).toHaveLength(96);
  expect(new Set(moments.map((moment) => bandAt(SCHEDULE, moment)))).toEqual(new Set(['standard']));
  const clockChange = berlinQuarterHours('2026-03-29');
  const summer = { ...SCHEDULE, quarters: [2, 3] };
  expect(new Set(clockChange.map((moment) => bandAt(summer, moment)))).toEqual(new Set(['standard']));
});

/* By hand: 0.4986 × 4.72 + 0.5014 × (0.2265 × 0.47 + 0.4927 × 4.72 + 0.2808 × 9.03), not rounded on the way. */
test('the blended price is exact', () => {
  const bayernwerk = {
    low: '0.47',
    standard: '4.72',
    high: '9.03',
    weights: { low: '0.2265', standard: '0.4927', high: '0.2808' },
    shareOfYear: '0.5014',
  };
  expect(blendedPrice(bayernwerk).toFixed()).toBe('4.8441581722');
});

/* Westnetz 2026: 8.30 ct by the clock, 9.54 ct by the profile, which is what a household pays. */
test('hours of the day are exact parts, and promise a saving to a household that shifts nothing', () => {
  const weights = hourShares(windows('00:00-07:00'), windows('15:00-20:00'));
  expect(Number(weights.low)).toBeCloseTo(7 / 24, 15);
  expect(weights.standard).toBe('0.5');
  const westnetz = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '1' };
  expect(blendedPrice({ ...westnetz, weights }).toFixed(2)).toBe('8.30');
  const ofProfile = { low: '0.1910', standard: '0.5402', high: '0.2688' };
  expect(blendedPrice({ ...westnetz, weights: ofProfile }).toFixed(2)).toBe('9.54');
});
