import { expect, test } from 'vitest';
import { type ClockWindow, clockWindows } from '../../src/tariffs/clock-windows.ts';
import { bandAt, blendedPrice } from '../../src/tariffs/grid-bands.ts';
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
