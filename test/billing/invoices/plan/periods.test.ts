import { describe, expect, test } from 'vitest';
import { type BillingTerms, deadlineOf, periodsOf } from '../../../../src/billing/invoices/plan/periods.ts';

const advance = (validFrom: string, instalment: string | null = '90'): BillingTerms => ({
  validFrom,
  mode: 'advance',
  instalment,
});
const shown = (...schedule: Parameters<typeof periodsOf>) =>
  periodsOf(...schedule).map(({ number, type, from, until }) => `${number} ${type} ${from} ${until}`);

describe('the periods of a contract', () => {
  test('are its calendar months, cut where supply begins and ends', () => {
    expect(shown({ first: '2026-01-15', end: '2026-03-10' }, [], '2026-12-31')).toEqual([
      '1 usage 2026-01-15 2026-02-01',
      '2 usage 2026-02-01 2026-03-01',
      '3 usage 2026-03-01 2026-03-10',
    ]);
  });

  test('are twelve months in advance with a bill behind them', () => {
    const periods = shown({ first: '2026-01-15', end: null }, [advance('2026-01-01')], '2027-02-01');
    expect([periods.length, periods[0], periods[11], periods[12], periods[13]]).toEqual([
      14,
      '1 prepayment 2026-01-15 2026-02-15',
      '12 prepayment 2026-12-15 2027-01-15',
      '13 usage 2026-01-15 2027-01-15',
      '14 prepayment 2027-01-15 2027-02-15',
    ]);
  });

  test('keep their numbers when supply ends or goes on', () => {
    const supply = { first: '2026-01-01', end: null };
    const before = shown(supply, [advance('2026-03-01')], '2026-05-20');
    const after = shown({ ...supply, end: '2026-06-11' }, [advance('2026-03-01')], '2026-07-20');
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(-2)).toEqual(['5 prepayment 2026-05-01 2026-06-01', '6 usage 2026-03-01 2026-06-11']);
  });

  test('count a prepayment of the month in which supply ends, where it was issued before the end was known', () => {
    const supply = { first: '2026-12-01', end: '2027-06-20' };
    const numbers = (...prepaid: string[]) =>
      shown(supply, [advance('2026-12-01')], '2027-07-20', prepaid).slice(-2);
    expect(numbers('2027-05-01', '2027-06-01')).toEqual([
      '7 prepayment 2027-06-01 2027-07-01',
      '8 usage 2026-12-01 2027-06-20',
    ]);
    expect(numbers('2027-05-01', '2027-07-01')).toEqual([
      '6 prepayment 2027-05-01 2027-06-01',
      '7 usage 2026-12-01 2027-06-20',
    ]);
  });

  test('with another instalment are the same; with another mode they are closed', () => {
    const terms = [advance('2026-01-01'), advance('2026-03-01', '70')];
    const back: BillingTerms = { validFrom: '2026-04-01', mode: 'monthly', instalment: null };
    const periods = periodsOf({ first: '2026-01-01', end: null }, [...terms, back], '2026-05-01');
    expect(periods.map(({ instalment }) => instalment)).toEqual(['90', '90', '70', null, null]);
    expect(periods.slice(-2).map(({ from, until }) => [from, until])).toEqual([
      ['2026-01-01', '2026-04-01'],
      ['2026-04-01', '2026-05-01'],
    ]);
  });

  test('of another system are none of ours', () => {
    const none: BillingTerms = { validFrom: '2026-01-01', mode: 'none', instalment: null };
    const ours: BillingTerms = { validFrom: '2026-03-01', mode: 'monthly', instalment: null };
    expect(shown({ first: '2025-01-01', end: null }, [none, ours], '2026-03-20').at(-1)).toBe(
      '13 usage 2026-03-01 2026-04-01',
    );
  });

  test('are late three weeks behind a month, and six weeks behind a year and behind the end', () => {
    const monthly = periodsOf({ first: '2026-01-01', end: '2026-03-01' }, [], '2026-12-31');
    expect(monthly.map(deadlineOf)).toEqual(['2026-02-22', '2026-04-12']);
    const yearly = periodsOf({ first: '2025-01-01', end: null }, [advance('2025-01-01')], '2026-01-01');
    expect([yearly[0], yearly.at(-1)].map((period) => period && deadlineOf(period))).toEqual([
      null,
      '2026-02-12',
    ]);
  });
});
