import { describe, expect, test } from 'vitest';
import type { BilledContract, ReferenceOf } from '../../../../src/billing/invoices/calculate/contract.ts';
import { piecesOf } from '../../../../src/billing/invoices/calculate/pieces.ts';
import { BillingRefused } from '../../../../src/billing/invoices/refusal.ts';
import { MissingReferenceError } from '../../../../src/tariffs/reference-data/validity.ts';
import { figure, METERING_FEES, plainGrid, plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import { contractOf, dated, GRID, listsFrom, meterPart, moduleFrom, REFERENCE, termsOf } from './billed.ts';

const PERIOD = { from: '2026-01-20', until: '2026-03-10' };

function starts(contract: Partial<BilledContract> = {}, lists: ReferenceOf = listsFrom()): string[] {
  return piecesOf(contractOf(contract), PERIOD, lists).map(({ from }) => from);
}

function refusal(lists: ReferenceOf, contract: Partial<BilledContract> = {}): string {
  try {
    piecesOf(contractOf(contract), PERIOD, lists);
  } catch (error) {
    if (error instanceof BillingRefused) return `${error.code} ${error.detail}`;
    throw error;
  }
  return 'billed';
}

describe('a period is split', () => {
  test('where a calendar month begins, and nowhere else while nothing changes', () => {
    const pieces = piecesOf(contractOf(), PERIOD, listsFrom());
    expect(pieces.map(({ from, until, days }) => `${from} ${until} ${days}`)).toEqual([
      ...['2026-01-20 2026-02-01 12', '2026-02-01 2026-03-01 28', '2026-03-01 2026-03-10 9'],
    ]);
  });

  test('where a price of the plan changes', () => {
    const terms = [termsOf(), termsOf({ valid_from: '2026-02-14' })];
    expect(starts({ terms })).toEqual(['2026-01-20', '2026-02-01', '2026-02-14', '2026-03-01']);
  });

  test.each([
    ['the VAT', { reference: plainReference({ vatRate: '0.16' }) }],
    ['a levy', { reference: plainReference({ levies: { kwkg: '0.5' } }) }],
    ['a metering fee', { reference: plainReference({ meteringFees: METERING_FEES.slice(0, -1) }) }],
    ['a price of the grid', { grid: plainGrid({ workingPrice: '9.54' }) }],
    [
      'the row of a price of the same amount',
      { grid: { ...GRID, workingPrice: dated(GRID.workingPrice, '2026-02-14') } },
    ],
    ['who runs the grid', { grid: { ...GRID, operator: 'other-netz' } }],
  ])('where %s changes', (_, change) => {
    expect(starts({}, listsFrom({}, { '2026-02-14': change }))).toContain('2026-02-14');
  });

  test('where another metering operator with a fee of its own takes over: until then it is the grid operator', () => {
    const own = { 'test-netz': '20', messwerk: '24' };
    const meteringFeesOf = (operator: string) =>
      METERING_FEES.map((fee) =>
        operator in own ? { ...fee, fee: figure(own[operator as keyof typeof own], 'metering_fees') } : fee,
      );
    const lists = listsFrom({ reference: { ...REFERENCE, meteringFeesOf } });
    const meteringOperators = [
      { from: '0001-01-01', operator: null },
      { from: '2026-02-14', operator: 'messwerk' },
    ];
    const pieces = piecesOf(contractOf({ meteringOperators }), PERIOD, lists);
    expect(pieces.map(({ from, meteringFee }) => `${from} ${meteringFee?.value}`)).toEqual([
      ...['2026-01-20 20', '2026-02-01 20', '2026-02-14 24', '2026-03-01 24'],
    ]);
  });

  test('where the meter becomes another kind of meter, but not where it is only exchanged', () => {
    const parts = [
      meterPart('analog'),
      meterPart('analog', '2026-02-05', 2),
      meterPart('smart', '2026-02-14', 3),
    ];
    expect(starts({ meterParts: parts })).toEqual(['2026-01-20', '2026-02-01', '2026-02-14', '2026-03-01']);
  });

  test('where a module begins or ends', () => {
    const modules = [moduleFrom(1, '2026-02-03', '2026-02-20')];
    expect(starts({ modules })).toEqual([
      ...['2026-01-20', '2026-02-01', '2026-02-03', '2026-02-20', '2026-03-01'],
    ]);
  });

  test('where a discount of some months ends', () => {
    const terms = [
      termsOf({
        discount_amount_off: '3.00',
        discount_duration: 'recurring',
        discount_duration_in_months: 2,
      }),
    ];
    const supply = { first: '2025-12-15', end: null };
    expect(starts({ terms, supply })).toContain('2026-02-15');
  });

  test('but not by changes of prices by the clock for those who are not billed by them', () => {
    const schedule = { low: '1', standard: '9.53', high: '12', shareOfYear: '0.4986' };
    const lists = listsFrom({}, { '2026-02-14': { grid: plainGrid({ schedule }) } });
    expect(starts({}, lists)).not.toContain('2026-02-14');
  });
});

describe('a missing row stops the bill with its name', () => {
  test('one that had ended and counts for quotes only', () => {
    const ended = { ...REFERENCE, levy: () => dated(figure('0.446', 'levies', 'kwkg'), '2025-01-01', true) };
    expect(refusal(listsFrom({}, { '2026-03-01': { reference: ended } }))).toMatch(
      /^missing_reference levies kwkg: no row is valid on 2026-03-01/,
    );
  });

  test('VAT that had ended', () => {
    const ended = { ...REFERENCE, vatRate: dated(REFERENCE.vatRate, '2021-01-01', true) };
    expect(refusal(listsFrom({ reference: ended }))).toMatch(/^missing_reference vat_rates: .* 2026-01-20/);
  });

  test('one that was never there', () => {
    const none = {
      ...REFERENCE,
      levy: () => {
        throw new MissingReferenceError('levies', 'offshore', '2026-01-20');
      },
    };
    expect(refusal(listsFrom({ reference: none }))).toMatch(/^missing_reference levies offshore: /);
    const noVat = () => {
      throw new MissingReferenceError('vat_rates', '', '2026-01-20');
    };
    expect(refusal(noVat)).toMatch(/^missing_reference vat_rates: /);
  });

  test.each(['zip_areas', 'grid_fees', 'concession_fees'])('one of %s that had ended', (table) => {
    const carriedForward = [{ table, key: 'some-key', endedOn: '2026-01-01' }];
    const detail = `${table} some-key: no row is valid on 2026-01-20; the last one ended on 2026-01-01`;
    expect(refusal(listsFrom({ grid: { ...GRID, carriedForward } }))).toContain(detail);
  });

  test('a metering fee, where it is the one that counts', () => {
    const [analog, smart] = [METERING_FEES.at(-1), METERING_FEES.at(-2)].map((fee) => {
      if (fee === undefined) throw new Error('There are fees');
      return { ...fee, fee: dated(fee.fee, '2025-01-01', true) };
    });
    const list = (fee: typeof analog) =>
      listsFrom({
        reference: plainReference({ meteringFees: [...METERING_FEES.slice(0, -2), ...(fee ? [fee] : [])] }),
      });
    expect(refusal(list(smart))).toMatch(/^missing_reference metering_fees/);
    expect(refusal(list(undefined))).toMatch(/^missing_reference metering_fees smart/);
    expect(
      refusal(
        listsFrom({
          reference: plainReference({
            meteringFees: [...METERING_FEES.slice(0, -1), ...(analog ? [analog] : [])],
          }),
        }),
      ),
    ).toBe('billed');
  });

  test('prices by the clock, for those who are billed by them', () => {
    const carriedForward = [{ table: 'grid_fee_schedules', key: 'test-netz', endedOn: '2026-01-01' }];
    const schedule = { low: '1', standard: '9.53', high: '12', shareOfYear: '0.4986' };
    const ended = listsFrom({ grid: { ...plainGrid({ schedule }), carriedForward } });
    const modules = [moduleFrom(1, '2025-01-01'), moduleFrom(3, '2025-01-01')];
    expect(refusal(ended, { modules })).toMatch(/^missing_reference grid_fee_schedules test-netz/);
    expect(refusal(listsFrom(), { modules })).toMatch(/^missing_reference grid_fee_schedules test-netz/);
    expect(refusal(ended)).toBe('billed');
  });

  test('a grid that nobody runs, and a contract without an address or terms', () => {
    expect(refusal(listsFrom({ grid: undefined }))).toMatch(
      /^missing_reference zip_areas or grid_fees 12345/,
    );
    expect(refusal(listsFrom(), { zip: null })).toMatch(/^missing_address .*sub_test/);
    expect(refusal(listsFrom(), { terms: [] })).toMatch(/^missing_terms .*sub_test/);
  });
});
