import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConsumptionTerms,
  type PriceTerms,
  subscriptionPrices,
} from '../../../src/spot-prices/serve/subscription-prices.ts';

const NOON = Date.UTC(2026, 4, 17, 10);
const QUARTER = 15 * 60_000;
const ALWAYS = { from: 0, to: null };

function consumption(plan: Partial<ConsumptionTerms> = {}, vatRate = '0.19'): PriceTerms {
  return {
    vatRateAt: () => vatRate,
    plan: {
      product: 'consumption',
      marginCents: '1.5',
      gridCentsAt: () => '7.29',
      leviesCentsAt: () => '6.986',
      ...plan,
    },
  };
}

const one = (eurMwh: string | null, terms: PriceTerms) =>
  subscriptionPrices([{ start: NOON, eurMwh }], terms, ALWAYS)?.[0];

test('market price and margin, grid and levies, with VAT each, and their sum', () => {
  expect(one('93.28', consumption())).toEqual({
    timestamp: '2026-05-17T10:00:00Z',
    amount: '29.87376',
    components: [
      { type: 'electricity', amount: '12.88532' },
      { type: 'grid', amount: '8.6751' },
      { type: 'levies', amount: '8.31334' },
    ],
  });
});

test('below zero the market pays, and VAT is on that as well', () => {
  const item = one('-58.64', consumption({ marginCents: '0' }));
  expect(item?.components[0]).toEqual({ type: 'electricity', amount: '-6.97816' });
  const free = consumption({ marginCents: '0', gridCentsAt: () => '0', leviesCentsAt: () => '0' });
  expect(one('-0.0000001', free)?.amount).toBe('0');
});

describe('six decimals, half away from zero', () => {
  const bare = consumption({ marginCents: '0', gridCentsAt: () => '0', leviesCentsAt: () => '0' }, '0');
  test.each([
    ['0.000005', '0.000001'],
    ['-0.000005', '-0.000001'],
    ['0.000004', '0'],
    ['0.00001499', '0.000001'],
    ['12.345678', '1.234568'],
    ['50.00', '5'],
    ['1e1', '1'],
  ])('%s EUR/MWh is %s ct/kWh', (eurMwh, cents) => {
    expect(one(eurMwh, bare)?.amount).toBe(cents);
  });
});

test('without a published price the market part and the sum are null, the rest is known', () => {
  expect(one(null, consumption())).toMatchObject({
    amount: null,
    components: [
      { type: 'electricity', amount: null },
      { type: 'grid', amount: '8.6751' },
      { type: 'levies', amount: '8.31334' },
    ],
  });
});

test('the grid follows the band of the interval, and VAT and levies the day', () => {
  const curve = [0, 1, 2].map((index) => ({ start: NOON + index * QUARTER, eurMwh: '0' }));
  const terms: PriceTerms = {
    vatRateAt: (start) => (start < NOON + 2 * QUARTER ? '0.19' : '0.16'),
    plan: {
      product: 'consumption',
      marginCents: '0',
      gridCentsAt: (start) => (start === NOON ? '1' : '10'),
      leviesCentsAt: () => '0',
    },
  };
  expect(subscriptionPrices(curve, terms, ALWAYS)?.map(({ amount }) => amount)).toEqual([
    '1.19',
    '11.9',
    '11.6',
  ]);
});

test('feed-in has one component, whatever the market does; exempt without VAT', () => {
  const terms = (isTaxExempt: boolean): PriceTerms => ({
    vatRateAt: () => '0.19',
    plan: { product: 'feed_in', compensationCentsAt: () => '7.70', isTaxExempt },
  });
  expect(one('-20', terms(true))).toEqual({
    timestamp: '2026-05-17T10:00:00Z',
    amount: '7.7',
    components: [{ type: 'electricity', amount: '7.7' }],
  });
  expect(one(null, terms(false))?.amount).toBe('9.163');
});

test('intervals outside supply are left out; none inside is null', () => {
  const curve = [0, 1, 2, 3].map((index) => ({ start: NOON + index * QUARTER, eurMwh: '10' }));
  const starts = (from: number, to: number | null) =>
    subscriptionPrices(curve, consumption(), { from, to })?.map(({ timestamp }) => timestamp.slice(11, 16)) ??
    null;
  expect(starts(NOON + QUARTER, NOON + 3 * QUARTER)).toEqual(['10:15', '10:30']);
  expect(starts(NOON + 2 * QUARTER, null)).toEqual(['10:30', '10:45']);
  expect(starts(NOON + 4 * QUARTER, null)).toBe(null);
  expect(starts(0, NOON)).toBe(null);
  expect(subscriptionPrices([], consumption(), ALWAYS)).toBe(null);
});

test('the amount is always exactly the sum of what is shown', () => {
  const cents = fc.integer({ min: -5_000_000, max: 5_000_000 }).map((value) => (value / 1000).toFixed(3));
  fc.assert(
    fc.property(cents, cents, cents, cents, (eurMwh, marginCents, grid, levies) => {
      const item = one(
        eurMwh,
        consumption({ marginCents, gridCentsAt: () => grid, leviesCentsAt: () => levies }),
      );
      const millionths = (amount: string | null) => Math.round(Number(amount) * 1e6);
      const sum = item?.components.reduce((total, { amount }) => total + millionths(amount), 0);
      expect(millionths(item?.amount ?? null)).toBe(sum);
      for (const { amount } of item?.components ?? []) expect(amount).toMatch(/^-?\d+(\.\d{1,6})?$/);
    }),
  );
});
