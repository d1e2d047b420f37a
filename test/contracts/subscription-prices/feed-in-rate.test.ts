import { describe, expect, test } from 'vitest';
import {
  compensationCents,
  type FeedInTerms,
  rateOfPlant,
} from '../../../src/contracts/subscription-prices/feed-in-rate.ts';

/* Partial feed-in, commissioned from 2026-08-01 on. */
const tariffUpTo = (upToKw: number) => ({ 10: '7.70', 40: '6.66', 100: '5.44' })[upToKw] ?? null;
const valueUpTo = (upToKw: number) => ({ 10: '8.10', 40: '7.06', 100: '5.84' })[upToKw] ?? null;

describe('a plant has the mean of the rates of its classes, weighted by the power in each of them', () => {
  test.each([
    ['0.6', '7.7'],
    ['10', '7.7'],
    /* (10 × 7.70 + 10 × 6.66) / 20 */
    ['20', '7.18'],
    ['40', '6.92'],
    /* (10 × 7.70 + 30 × 6.66 + 35.5 × 5.44) / 75.5 */
    ['75.5', '6.224'],
    ['100', '6.032'],
    ['100.001', null],
  ])('%s kW: %s', (size, expected) => {
    const rate = rateOfPlant(size, tariffUpTo);
    expect(rate === null ? null : Number(Number(rate).toFixed(3))).toBe(
      expected === null ? null : Number(expected),
    );
  });

  test('a class without a rate that the plant does not reach is not asked for', () => {
    const onlyFirst = (upToKw: number) => (upToKw === 10 ? '7.70' : null);
    expect([rateOfPlant('9.8', onlyFirst), rateOfPlant('10.1', onlyFirst)]).toEqual(['7.7', null]);
  });
});

describe('the compensation by the kind of the plan', () => {
  const terms = (kind: FeedInTerms['feed_in_kind'], more: Partial<FeedInTerms> = {}): FeedInTerms => ({
    feed_in_kind: kind,
    feed_in_up_to_kw: 40,
    feed_in_ct_net: null,
    feed_in_margin_ct_net: null,
    ...more,
  });
  const figures = { tariffUpTo, valueUpTo, solarMarketValue: '5.875' };

  test('fixed: what the plan says, whatever the plant is', () => {
    const fixed = terms('fixed', { feed_in_ct_net: '8.5' });
    expect(compensationCents(fixed, '20', { ...figures, solarMarketValue: null })).toBe('8.5');
  });

  test('eeg: by the plant, or by the class of the plan where its size is not known', () => {
    expect(compensationCents(terms('eeg'), '9.8', figures)).toBe('7.7');
    expect(compensationCents(terms('eeg'), null, figures)).toBe('6.66');
  });

  test('direct: the larger of value and market value, less the margin of the supplier', () => {
    const direct = terms('direct', { feed_in_margin_ct_net: '0.5' });
    expect(compensationCents(direct, '9.8', figures)).toBe('7.6');
    expect(compensationCents(direct, null, figures)).toBe('6.56');
    expect(compensationCents(direct, '9.8', { ...figures, solarMarketValue: '9.1' })).toBe('8.6');
    expect(compensationCents(direct, '9.8', { ...figures, solarMarketValue: null })).toBe(null);
  });
});
