import { expect, test } from 'vitest';
import { compareMarketRows, surchargeProblem } from '../../../src/spot-prices/forecast/surcharge.ts';

const QUARTER = 900_000;
const HOUR = 4 * QUARTER;
const start = Date.parse('2026-11-19T11:00:00Z');
const realized = new Map([10, 20, 30, 41].map((price, index) => [start + index * QUARTER, String(price)]));

test('quarters are compared with quarters, hours with the mean of their four', () => {
  const quarter = { start: start + QUARTER, minutes: 15, eurMwh: '20.3' } as const;
  expect(compareMarketRows([quarter], realized).difference?.toFixed()).toBe('0.3');
  const hour = { start, minutes: 60, eurMwh: '25.25' } as const;
  expect(compareMarketRows([hour], realized).difference?.toFixed()).toBe('0');
  const both = compareMarketRows([quarter, { ...hour, eurMwh: '24.25' }], realized);
  expect([both.compared, both.difference?.toFixed()]).toEqual([2, '0.65']);
});

test('rows without a price of ours are left out, hours also when one quarter is missing', () => {
  const later = { start: start + HOUR, minutes: 15, eurMwh: '1' } as const;
  expect(compareMarketRows([later], realized)).toEqual({ compared: 0, difference: null });
  const hole = new Map([...realized].slice(0, 3));
  expect(compareMarketRows([{ start, minutes: 60, eurMwh: '20' }], hole).compared).toBe(0);
});

test('nothing to compare is believed with totals, and refused without', () => {
  const nothing = { compared: 0, difference: null };
  expect(surchargeProblem(nothing, true)).toBeNull();
  expect(surchargeProblem(nothing, false)).toMatch(/at least 4/);
});
