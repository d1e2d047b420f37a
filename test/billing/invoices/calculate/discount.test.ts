import { describe, expect, test } from 'vitest';
import { plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import { amounts, billOf, listsFrom, moduleFrom, termsOf } from './billed.ts';

const once = termsOf({ discount_amount_off: '20.00', discount_duration: 'once' });
const recurring = termsOf({
  ...{ discount_amount_off: '11.90', discount_duration: 'recurring', discount_duration_in_months: 2 },
});
const supply = { first: '2026-01-17', end: null };
const FIRST = { from: '2026-01-17', until: '2026-02-01' };

describe('a discount', () => {
  test('once is taken off the first bill, whole', () => {
    /* 20.00 / 1.19 */
    const bill = billOf({ contract: { terms: [once], supply }, period: FIRST });
    expect(amounts(bill, 'discount')).toEqual(['2026-01-17 -16.81']);
    const next = { from: '2026-02-01', until: '2026-03-01' };
    expect(amounts(billOf({ contract: { terms: [once], supply }, period: next }), 'discount')).toEqual([]);
  });

  test('that recurs runs for its months from the start of supply, by the days of the month, then ends', () => {
    const bill = billOf({
      contract: { terms: [recurring], supply },
      period: { from: '2026-01-17', until: '2026-05-01' },
    });
    /* 10.00 net: × 15 / 31, whole, × 16 / 31 until 16 March. */
    expect(amounts(bill, 'discount')).toEqual([
      ...['2026-01-17 -4.84', '2026-02-01 -10.00', '2026-03-01 -5.16'],
    ]);
  });

  test('without a number of months runs as long as the terms', () => {
    const endless = termsOf({ ...recurring, discount_duration_in_months: null });
    const terms = [endless, termsOf({ valid_from: '2026-03-10' })];
    const bill = billOf({ contract: { terms, supply }, period: { from: '2026-02-01', until: '2026-05-01' } });
    /* 10.00 × 9 / 31 in March. */
    expect(amounts(bill, 'discount')).toEqual(['2026-02-01 -10.00', '2026-03-01 -2.90']);
  });

  test('has the net amount of the VAT of its days', () => {
    const lists = listsFrom({}, { '2026-01-20': { reference: plainReference({ vatRate: '0.16' }) } });
    const bill = billOf({ contract: { terms: [recurring], supply }, period: FIRST, lists });
    /* 11.90 / 1.19 × 3 / 31 = 0.968; 11.90 / 1.16 × 12 / 31 = 3.971 */
    expect(amounts(bill, 'discount')).toEqual(['2026-01-17 -0.97', '2026-01-20 -3.97']);
  });

  test('never brings the net sum below zero', () => {
    const large = termsOf({ ...once, discount_amount_off: '900.00' });
    const bill = billOf({ contract: { terms: [large], supply }, period: FIRST });
    expect(bill.sums).toMatchObject({ net: '0.00', tax: '0.00', total: '0.00' });
    const monthly = termsOf({ ...recurring, discount_amount_off: '900.00' });
    const year = { from: '2026-01-17', until: '2026-03-17' };
    expect(billOf({ contract: { terms: [monthly], supply }, period: year }).sums.net).toBe('0.00');
  });

  test('is none where the other lines are below zero already', () => {
    const bill = billOf({
      ...{ contract: { terms: [once], supply }, period: FIRST },
      energy: { kwh: '100', eur: '-300' },
    });
    expect(amounts(bill, 'discount')).toEqual([]);
    expect(Number(bill.sums.net)).toBeLessThan(0);
  });

  test('comes after the credit of module 1 and what takes it back', () => {
    const bill = billOf({
      contract: { terms: [once], supply, modules: [moduleFrom(1, '2025-01-01')] },
      ...{ period: FIRST, context: { isFinal: true }, energy: { kwh: '0' } },
    });
    expect(bill.lines.slice(-2).map(({ kind }) => kind)).toEqual(['module_1_cap', 'discount']);
  });
});
