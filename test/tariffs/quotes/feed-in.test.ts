import { describe, expect, test } from 'vitest';
import { groupsOf } from '../../../src/tariffs/quotes/amounts.ts';
import { type FeedInPricing, feedInRows } from '../../../src/tariffs/quotes/feed-in.ts';
import { plainReference } from './plain-figures.ts';

const eeg = { kind: 'eeg', scope: 'partial', upToKw: 10 } as const;
const direct = { ...eeg, kind: 'direct', margin_ct_net: '0.40' } as const;

function pricingOf(given: Partial<FeedInPricing> = {}): FeedInPricing {
  return {
    ...{ base_fee_net: '2.50', compensation: eeg, isTaxExempt: false },
    reference: plainReference(),
    ...given,
  };
}

function lines(given: Partial<FeedInPricing>): string[] {
  return feedInRows(pricingOf(given)).map(
    ({ group, subgroup, name, amount }) => `${group} ${subgroup} ${name} ${amount.toFixed(6)}`,
  );
}

test('what is received is positive, the fee is negative', () => {
  expect(lines({})).toEqual([
    'base fee Grundgebühr -2.975000',
    'variable energy EEG-Einspeisevergütung 0.091630',
  ]);
});

test('an exempt customer gets the compensation without VAT and pays the fee with it', () => {
  expect(lines({ isTaxExempt: true })).toEqual([
    'base fee Grundgebühr -2.975000',
    'variable energy EEG-Einspeisevergütung 0.077000',
  ]);
});

test('without a base fee there is no base group', () => {
  const rows = feedInRows(pricingOf({ base_fee_net: '0.00' }));
  expect(groupsOf(rows, '5000').map(({ group }) => group)).toEqual(['variable']);
});

test('half a cent is rounded away from zero', () => {
  const [base, variable] = groupsOf(feedInRows(pricingOf()), '5000');
  expect([base?.amount, variable?.amount].map(String)).toEqual(['-2.98', '38.18']);
});

describe('direct marketing pays', () => {
  const energy = (value: string, market: string, compensation: FeedInPricing['compensation'] = direct) => {
    const reference = plainReference({ eeg: { value, tariff: '1' }, solarMarketValue: market });
    return lines({ compensation, reference }).at(1);
  };

  test.each([
    ['the value of the law where the market pays less', '8.10', '5.875', '0.091630'],
    ['what the market pays where that is more', '5.84', '12.5', '0.143990'],
    ['either where they are the same', '9.9', '9.90', '0.113050'],
  ])('%s, less the margin of the plan', (_what, value, market, amount) => {
    expect(energy(value, market)).toBe(`variable energy Direktvermarktung ${amount}`);
  });

  test('nothing below zero is hidden', () => {
    expect(energy('0.1', '-1')).toBe('variable energy Direktvermarktung -0.003570');
  });
});

test('a fixed rate is the rate of the plan', () => {
  expect(lines({ compensation: { kind: 'fixed', ct_net: '7.62' } }).at(1)).toBe(
    'variable energy Einspeisevergütung 0.090678',
  );
});

test('rows say which figures they were made of', () => {
  const tables = (given: Partial<FeedInPricing>) =>
    feedInRows(pricingOf(given)).map(({ figures }) => figures.map(({ origin }) => origin.table).join(' '));
  expect(tables({})).toEqual(['vat_rates', 'eeg_rates vat_rates']);
  expect(tables({ isTaxExempt: true })).toEqual(['vat_rates', 'eeg_rates']);
  expect(tables({ compensation: direct })).toEqual(['vat_rates', 'eeg_rates market_values vat_rates']);
  expect(tables({ compensation: { kind: 'fixed', ct_net: '1' } })).toEqual(['vat_rates', 'vat_rates']);
});
