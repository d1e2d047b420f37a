import { describe, expect, test } from 'vitest';
import { coveragePercent, isCovered, meanOf, windowOf } from '../../../src/tariffs/day-ahead-means/mean.ts';

const DAY = 96;

describe('the window', () => {
  test.each([
    ['2026-11-20', '2025-11-20', 365 * DAY],
    /* A price date of 29 February has 28 February before it; later windows have the leap day in them. */
    ['2028-02-29', '2027-02-28', 366 * DAY],
    ['2028-03-01', '2027-03-01', 366 * DAY],
    ['2029-02-28', '2028-02-28', 366 * DAY],
    ['2029-03-01', '2028-03-01', 365 * DAY],
    /* Clocks went forward on 2025-03-30 and 2026-03-29, and back on 2025-10-26 and 2026-10-25. */
    ['2026-03-29', '2025-03-29', 365 * DAY],
    ['2026-03-30', '2025-03-30', 365 * DAY - 4],
    ['2026-03-31', '2025-03-31', 365 * DAY],
    ['2026-10-26', '2025-10-26', 365 * DAY + 4],
    ['2026-10-27', '2025-10-27', 365 * DAY],
  ])('of %s begins on %s and has all its quarter hours', (priceDate, first, quarterHours) => {
    expect(windowOf(priceDate)).toEqual({ priceDate, first, end: priceDate, quarterHours });
  });
});

describe('the mean', () => {
  test('counts each quarter hour once, whatever day it belongs to', () => {
    const parts = [
      { quarter_hours: 4, amount_sum: '400' },
      { quarter_hours: 96, amount_sum: '-960' },
    ];
    expect(meanOf(parts)).toEqual({ pricedQuarterHours: 100, mean: '-0.5600' });
  });

  test.each([
    ['89.3205', '8.9321'],
    ['89.3204999999999999999999', '8.9320'],
    ['-89.3205', '-8.9321'],
    ['-0.0005', '-0.0001'],
    ['-0.0004', '0.0000'],
  ])('of %s EUR/MWh is %s ct/kWh, rounded half away from zero', (amount_sum, mean) => {
    expect(meanOf([{ quarter_hours: 1, amount_sum }]).mean).toBe(mean);
  });

  test('adds no binary floats', () => {
    const parts = ['0.1', '0.2', '-0.3'].map((amount_sum) => ({ quarter_hours: 1, amount_sum }));
    expect(meanOf(parts).mean).toBe('0.0000');
  });

  test('of no price is none', () => {
    expect(meanOf([{ quarter_hours: 0, amount_sum: '0' }])).toEqual({ pricedQuarterHours: 0, mean: null });
  });
});

test('90 % of the window are needed, to the quarter hour', () => {
  const all = 365 * DAY;
  expect([isCovered(31_535, all), isCovered(31_536, all), isCovered(31_537, all)]).toEqual([
    false,
    true,
    true,
  ]);
  expect([coveragePercent(31_535, all), coveragePercent(31_536, all)]).toEqual(['89.99', '90.00']);
});
