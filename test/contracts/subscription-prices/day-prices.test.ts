import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConsumptionDay,
  type DayTerms,
  pricesOfDay,
} from '../../../src/contracts/subscription-prices/day-prices.ts';

const NOON = Date.UTC(2026, 4, 17, 10);
const QUARTER = 15 * 60_000;
const ALWAYS = { from: 0, to: null };

function consumption(plan: Partial<ConsumptionDay> = {}, vatRate: string | null = '0.19'): DayTerms {
  return {
    vatRate,
    plan: {
      product: 'consumption',
      marginCents: '1.5',
      gridRuns: [{ from: 0, cents: '7.29' }],
      leviesCents: '6.986',
      ...plan,
    },
  };
}

const gridOf = (cents: string) => ({ gridRuns: [{ from: 0, cents }] });
const point = (index: number, eurMwh: string | null) => ({
  start: NOON + index * QUARTER,
  timestamp: `2026-05-17T10:${String(15 * index).padStart(2, '0')}:00Z`,
  eurMwh,
});
const priceOf = (eurMwh: string | null, terms: DayTerms) =>
  pricesOfDay([point(0, eurMwh)], '15min', terms, ALWAYS)[0];

test('market price and margin, grid and levies, with VAT each, and their sum', () => {
  expect(priceOf('93.28', consumption())).toEqual({
    timestamp: '2026-05-17T10:00:00Z',
    amount: '29.87376',
    components: [
      { type: 'electricity', amount: '12.88532' },
      { type: 'grid', amount: '8.6751' },
      { type: 'levies', amount: '8.31334' },
    ],
  });
});

const bare = { marginCents: '0', leviesCents: '0', ...gridOf('0') };

test('below zero the market pays, and VAT is on that as well', () => {
  const item = priceOf('-58.64', consumption({ marginCents: '0' }));
  expect(item?.components[0]).toEqual({ type: 'electricity', amount: '-6.97816' });
  expect(priceOf('-0.0000001', consumption(bare))?.amount).toBe('0');
});

describe('six decimals, half away from zero', () => {
  test.each([
    ['0.000005', '0.000001'],
    ['-0.000005', '-0.000001'],
    ['0.000004', '0'],
    ['0.00001499', '0.000001'],
    ['12.345678', '1.234568'],
    ['50.00', '5'],
    ['1e1', '1'],
  ])('%s EUR/MWh is %s ct/kWh', (eurMwh, cents) => {
    expect(priceOf(eurMwh, consumption(bare, '0'))?.amount).toBe(cents);
  });
});

test('without a published price the market part and the sum are null, the rest is known', () => {
  expect(priceOf(null, consumption())).toMatchObject({
    amount: null,
    components: [
      { type: 'electricity', amount: null },
      { type: 'grid', amount: '8.6751' },
      { type: 'levies', amount: '8.31334' },
    ],
  });
});

test('a part without a row of the reference data is null, and so is the sum; without VAT all are', () => {
  const parts = (terms: DayTerms) => {
    const item = priceOf('50', terms);
    return [item?.amount, ...(item?.components ?? []).map(({ amount }) => amount)];
  };
  expect(parts(consumption({ leviesCents: null }))).toEqual([null, '7.735', '8.6751', null]);
  expect(parts(consumption({ gridRuns: [{ from: 0, cents: null }] }))).toEqual([
    null,
    '7.735',
    null,
    '8.31334',
  ]);
  expect(parts(consumption({ marginCents: null }))).toEqual([null, null, '8.6751', '8.31334']);
  expect(parts(consumption({}, null))).toEqual([null, null, null, null]);
});

test('the grid follows the band of the interval; an hour has the mean of its quarter hours', () => {
  const gridRuns = [
    { from: 0, cents: '1' },
    { from: QUARTER, cents: '10' },
  ];
  const terms = consumption({ ...bare, gridRuns });
  const curve = [0, 1, 2].map((index) => point(index, '0'));
  expect(pricesOfDay(curve, '15min', terms, ALWAYS).map(({ amount }) => amount)).toEqual([
    '1.19',
    '11.9',
    '11.9',
  ]);
  /* (1 + 3 × 10) / 4 = 7.75 */
  expect(pricesOfDay([point(0, '0')], 'hourly', terms, ALWAYS)[0]?.amount).toBe('9.2225');
});

test('feed-in has one component, whatever the market does; exempt without VAT', () => {
  const terms = (isTaxExempt: boolean, vatRate: string | null = '0.19'): DayTerms => ({
    vatRate,
    plan: { product: 'feed_in', compensationCents: '7.70', isTaxExempt },
  });
  expect(priceOf('-20', terms(true))).toEqual({
    timestamp: '2026-05-17T10:00:00Z',
    amount: '7.7',
    components: [{ type: 'electricity', amount: '7.7' }],
  });
  expect(priceOf(null, terms(false))?.amount).toBe('9.163');
  expect([priceOf('1', terms(true, null))?.amount, priceOf('1', terms(false, null))?.amount]).toEqual([
    '7.7',
    null,
  ]);
});

test('intervals outside supply are left out', () => {
  const curve = [0, 1, 2, 3].map((index) => point(index, '10'));
  const starts = (from: number, to: number | null) =>
    pricesOfDay(curve, '15min', consumption(), { from, to }).map(({ timestamp }) => timestamp.slice(11, 16));
  expect(starts(NOON + QUARTER, NOON + 3 * QUARTER)).toEqual(['10:15', '10:30']);
  expect(starts(NOON + 2 * QUARTER, null)).toEqual(['10:30', '10:45']);
  expect(starts(NOON + 4 * QUARTER, null)).toEqual([]);
  expect(starts(0, NOON)).toEqual([]);
  expect(pricesOfDay([], '15min', consumption(), ALWAYS)).toEqual([]);
});

test('the amount is always exactly the sum of what is shown', () => {
  const cents = fc.integer({ min: -5_000_000, max: 5_000_000 }).map((value) => (value / 1000).toFixed(3));
  fc.assert(
    fc.property(cents, cents, cents, cents, (eurMwh, marginCents, grid, leviesCents) => {
      const item = priceOf(eurMwh, consumption({ marginCents, leviesCents, ...gridOf(grid) }));
      const millionths = (amount: string | null) => Math.round(Number(amount) * 1e6);
      const sum = item?.components.reduce((total, { amount }) => total + millionths(amount), 0);
      expect(millionths(item?.amount ?? null)).toBe(sum);
      for (const { amount } of item?.components ?? []) expect(amount).toMatch(/^-?\d+(\.\d{1,6})?$/);
    }),
  );
});
