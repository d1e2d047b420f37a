import { describe, expect, test } from 'vitest';
import { plainGrid, plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import {
  amounts,
  billOf,
  contractOf,
  linesOfKind,
  listsFrom,
  moduleFrom,
  shownLines,
  termsOf,
} from './billed.ts';

const JANUARY = { from: '2026-01-01', until: '2026-02-01' };

describe('a bill of usage', () => {
  /*
   * By hand, for 300.5 kWh in February 2028, a leap year: 80.30 × 29 / 366 = 6.3626; 30 / 1.19 × 29 / 366 = 1.9975; 27.845
   * is half a cent; 300.5 × 1.80 ct = 5.409; × 9.53 ct = 28.6377; × 1.99 = 5.9800; × 2.05 = 6.1603; × 0.941 = 2.8277;
   * × 1.559 = 4.6848; × 0.446 = 1.3402. Sum 96.25, tax 18.2875.
   */
  const draft = billOf({
    period: { from: '2028-02-01', until: '2028-03-01' },
    energy: { kwh: '300.5', eur: '27.845' },
  });

  test('has every line of the law in the order of the bill, each rounded by itself', () => {
    expect(shownLines(draft.lines)).toEqual([
      ...['base_fee 5.00', 'grid_base 6.36', 'metering 2.00', 'energy 27.85', 'margin 5.41'],
      ...['grid_energy 28.64', 'concession_fee 5.98', 'electricity_tax 6.16', 'offshore 2.83'],
      ...['special_grid_use 4.68', 'kwkg 1.34'],
    ]);
  });

  test('has a net sum that is the sum of the lines, and tax that is rounded once', () => {
    expect(draft.sums).toEqual({
      ...{ net: '96.25', taxes: [{ rate: '0.19', net: '96.25', tax: '18.29' }], tax: '18.29' },
      ...{ deducted: '0.00', total: '114.54' },
    });
    expect(draft.usageKwh).toBe('300.5');
  });

  test('charges yearly prices by the days of the year: 366 in a leap year', () => {
    const day = (year: number) =>
      billOf({ period: { from: `${year}-02-01`, until: `${year}-02-11` } }).lines.find(
        ({ kind }) => kind === 'grid_base',
      );
    /* 80.30 / 366 and 80.30 / 365, ten days of each. */
    expect(day(2028)).toMatchObject({ quantity: '10', unit: 'day', unitPrice: '0.2193989071', net: '2.19' });
    expect(day(2027)).toMatchObject({ quantity: '10', unit: 'day', unitPrice: '0.22', net: '2.20' });
  });

  test('charges metering by the days of the year too, without the VAT of the fee', () => {
    const prices = [2028, 2027].map((year) => {
      const bill = billOf({ period: { from: `${year}-02-01`, until: `${year}-03-01` } });
      return linesOfKind(bill, 'metering').map(({ unitPrice }) => unitPrice);
    });
    /* 30 / 1.19 / 366 and 30 / 1.19 / 365 */
    expect(prices).toEqual([['0.068880011'], ['0.0690687234']]);
  });

  test('charges the base fee whole for a whole month, and by the days of the month for a part', () => {
    const first = billOf({ period: { from: '2026-02-17', until: '2026-03-01' } });
    expect(linesOfKind(billOf(), 'base_fee')).toMatchObject([
      { quantity: '1', unit: 'month', unitPrice: '5', net: '5.00' },
    ]);
    /* 5.00 × 12 / 28 */
    expect(linesOfKind(first, 'base_fee')).toMatchObject([{ quantity: '12', unit: 'day', net: '2.14' }]);
  });

  test('says of each figure where it stands: table, key, first day, source', () => {
    const [kwkg] = linesOfKind(billOf(), 'kwkg');
    expect(kwkg?.figures).toEqual([
      {
        ...{ name: 'levy', value: '0.446', unit: 'of the test', table: 'levies', key: 'kwkg' },
        ...{ source: 'tests', validFrom: '2026-01-01' },
      },
    ]);
    const figures = billOf({ contract: { modules: [moduleFrom(1, '2026-01-01')] } }).lines.map(
      ({ kind, figures: of }) => `${kind} ${of.map(({ table, source }) => table ?? source).join('+')}`,
    );
    expect(figures).toEqual([
      ...['base_fee plan_terms', 'grid_base grid_fees', 'module_1 grid_fees'],
      ...['metering metering_fees+vat_rates', 'energy spot_prices', 'margin plan_terms'],
      ...['grid_energy grid_fees+usage', 'concession_fee concession_fees+zip_areas'],
      ...['electricity_tax levies', 'offshore levies', 'special_grid_use levies', 'kwkg levies'],
    ]);
  });

  test('has no line for a margin of 0, and one for a base fee of 0', () => {
    const terms = [termsOf({ margin_ct_net: '0.0000', base_fee_net: '0' })];
    const kinds = billOf({ contract: { terms } }).lines.map(({ kind }) => kind);
    expect(kinds).not.toContain('margin');
    expect(kinds).toContain('base_fee');
  });

  test('has an energy line below zero where prices were, and no optimization line', () => {
    const draftBelow = billOf({ energy: { kwh: '100', eur: '-0.005' } });
    expect(amounts(draftBelow, 'energy')).toEqual(['2026-01-01 -0.01']);
    expect(linesOfKind(draftBelow, 'energy')).toMatchObject([{ quantity: '100', unitPrice: '-0.00005' }]);
  });

  test('without energy still has all of its lines', () => {
    const none = billOf({ energy: [] });
    expect(linesOfKind(none, 'energy')).toMatchObject([{ quantity: '0', unitPrice: null, net: '0.00' }]);
    expect(none.usageKwh).toBe('0');
  });

  test('deducts paid prepayments with their tax below the full tax', () => {
    const { sums } = billOf({ context: { deducted: '75.00' } });
    const { sums: full } = billOf();
    expect(sums).toMatchObject({ net: full.net, tax: full.tax, taxes: full.taxes, deducted: '75.00' });
    expect(Number(full.total) - Number(sums.total)).toBeCloseTo(75, 6);
  });
});

describe('grid fees of §14a EnWG', () => {
  const schedule = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '0.4986' };
  const lists = listsFrom({ grid: plainGrid({ schedule }) });

  test('module 1 is credited by the days of the year', () => {
    const draft = billOf({ contract: { modules: [moduleFrom(1, '2026-01-11')] } });
    /* 138.70 × 21 / 365 = 7.98 */
    expect(amounts(draft, 'module_1')).toEqual(['2026-01-11 -7.98']);
    expect(amounts(draft, 'grid_base')).toHaveLength(2);
  });

  test('module 2 has its own price and no base price', () => {
    const draft = billOf({ contract: { modules: [moduleFrom(2, '2025-01-01')] } });
    expect(linesOfKind(draft, 'grid_base')).toEqual([]);
    expect(linesOfKind(draft, 'grid_energy')).toMatchObject([{ net: '3.81', band: 'module_2' }]);
  });

  test('module 3 has the price of the band of each quarter hour, in one line that is rounded once', () => {
    const modules = [moduleFrom(1, '2025-01-01'), moduleFrom(3, '2025-01-01')];
    const draft = billOf({
      ...{ contract: { modules }, lists },
      energy: [{ kwh: '10.3' }, { kwh: '20.7' }, { kwh: '5.5' }],
    });
    /* Slots in the order of the day: low from midnight, standard, high. 0.09785 + 1.97271 + 0.86075 = 2.93131. */
    expect(linesOfKind(draft, 'grid_energy')).toMatchObject([{ quantity: '36.5', net: '2.93', band: null }]);
    const [line] = linesOfKind(draft, 'grid_energy');
    expect(line?.figures.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['grid_price_low 0.95', 'kwh_low 10.3', 'grid_price_standard 9.53', 'kwh_standard 20.7'],
      ...['grid_price_high 15.65', 'kwh_high 5.5'],
    ]);
  });
});

describe('where a price changes within the period', () => {
  test('a plan price makes pieces of their own', () => {
    const terms = [termsOf(), termsOf({ valid_from: '2026-01-16', base_fee_net: '6.20' })];
    const draft = billOf({ contract: { terms }, period: JANUARY });
    /* 5.00 × 15 / 31 = 2.419, 6.20 × 16 / 31 = 3.2 */
    expect(amounts(draft, 'base_fee')).toEqual(['2026-01-01 2.42', '2026-01-16 3.20']);
  });

  test('the VAT taxes each piece with its own rate, and a fee with VAT has another net amount', () => {
    const lists = listsFrom({}, { '2026-01-16': { reference: plainReference({ vatRate: '0.16' }) } });
    const draft = billOf({
      lists,
      energy: [
        { kwh: '50', eur: '4' },
        { kwh: '60', eur: '5' },
      ],
    });
    /* 30 / 1.19 × 15 / 365 = 1.036; 30 / 1.16 × 16 / 365 = 1.134 */
    expect(amounts(draft, 'metering')).toEqual(['2026-01-01 1.04', '2026-01-16 1.13']);
    const [before, after] = ['0.19', '0.16'].map((rate) =>
      draft.lines.filter(({ vatRate }) => vatRate === rate).reduce((sum, { net }) => sum + Number(net), 0),
    );
    expect(draft.sums.taxes.map(({ rate, net }) => [rate, Number(net)])).toEqual([
      ['0.19', expect.closeTo(before ?? 0, 6)],
      ['0.16', expect.closeTo(after ?? 0, 6)],
    ]);
  });

  test('a bill of a year has pieces for each month and for the days on both sides of a change of year', () => {
    const draft = billOf({
      contract: contractOf({ supply: { first: '2027-03-01', end: null } }),
      period: { from: '2027-03-01', until: '2028-03-01' },
    });
    const days = linesOfKind(draft, 'grid_base').map(({ quantity }) => quantity);
    expect(days).toEqual(['31', '30', '31', '30', '31', '31', '30', '31', '30', '31', '31', '29']);
    /* 80.30 × 31 / 366 and × 29 / 366 */
    expect(amounts(draft, 'grid_base').slice(-2)).toEqual(['2028-01-01 6.80', '2028-02-01 6.36']);
  });
});
