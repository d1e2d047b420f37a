import { describe, expect, test } from 'vitest';
import type { GridLine } from '../../../../src/billing/invoices/calculate/module-1-cap.ts';
import { amounts, billOf, moduleFrom } from './billed.ts';

const contract = { modules: [moduleFrom(1, '2024-01-01')] };
const DECEMBER = { from: '2026-12-01', until: '2027-01-01' };
const june = (kind: GridLine['kind'], net: string): GridLine => ({
  ...{ kind, net, from: '2026-06-01', until: '2026-07-01' },
});
/* Earlier bills of the year: 10.00 - 40.00 + 5.00 of grid fees. */
const EARLIER = [june('grid_base', '10.00'), june('module_1', '-40.00'), june('grid_energy', '5.00')];

describe('"Begrenzung Modul 1"', () => {
  test('takes back in the last bill of the year what would make its grid fees negative', () => {
    const bill = billOf({
      ...{ contract, period: DECEMBER, energy: { kwh: '10' } },
      context: { earlierGridLines: EARLIER },
    });
    /* December: 80.30 × 31 / 365 = 6.82; -138.70 × 31 / 365 = -11.78; 10 × 9.53 ct = 0.95. With -25.00: -29.01. */
    expect(amounts(bill, 'module_1_cap')).toEqual(['2026-12-01 29.01']);
  });

  test('is not there where the grid fees of the year are above zero, nor without module 1', () => {
    const used = billOf({
      ...{ contract, period: DECEMBER, energy: { kwh: '500' } },
      context: { earlierGridLines: EARLIER },
    });
    expect(amounts(used, 'module_1_cap')).toEqual([]);
    expect(amounts(billOf({ period: DECEMBER, energy: { kwh: '0' } }), 'module_1_cap')).toEqual([]);
  });

  test('is not settled before the end of the year, but in the final bill', () => {
    const period = { from: '2026-05-01', until: '2026-06-01' };
    const bill = (isFinal: boolean) =>
      billOf({ contract, period, energy: { kwh: '0' }, context: { isFinal } });
    expect(amounts(bill(false), 'module_1_cap')).toEqual([]);
    /* 6.82 - 11.78 */
    expect(amounts(bill(true), 'module_1_cap')).toEqual(['2026-05-01 4.96']);
  });

  test('settles each calendar year of a bill that spans two by itself', () => {
    const period = { from: '2026-07-01', until: '2027-07-01' };
    const bill = billOf({ contract, period, energy: { kwh: '0' } });
    /* Six months of 2026 at 0.22 and -0.38 a day: 40.48 - 69.92. The year 2027 goes on. */
    expect(amounts(bill, 'module_1_cap')).toEqual(['2026-12-01 29.44']);
    const final = billOf({ contract, period, energy: { kwh: '0' }, context: { isFinal: true } });
    /* 181 days of 2027: 39.82 - 68.78 */
    expect(amounts(final, 'module_1_cap')).toEqual(['2026-12-01 29.44', '2027-06-01 28.96']);
  });

  test('is settled by no bill before it, and deducts what such a bill took back', () => {
    const period = { from: '2026-05-01', until: '2026-06-01' };
    expect(amounts(billOf({ contract, period, energy: { kwh: '0' } }), 'module_1_cap')).toEqual([]);
    const december = billOf({
      ...{ contract, period: DECEMBER, energy: { kwh: '10' } },
      context: { earlierGridLines: [...EARLIER, june('module_1_cap', '9.01')] },
    });
    expect(amounts(december, 'module_1_cap')).toEqual(['2026-12-01 20.00']);
  });

  test('looks at grid fees only', () => {
    const other = june('energy', '-500.00');
    const bill = billOf({
      ...{ contract, period: DECEMBER, energy: { kwh: '500' } },
      context: { earlierGridLines: [other] },
    });
    expect(amounts(bill, 'module_1_cap')).toEqual([]);
  });
});
