import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupsOf } from '../../../src/tariffs/quotes/amounts.ts';
import { consumptionRows } from '../../../src/tariffs/quotes/consumption.ts';
import { figure, NONE, plainGrid, pricingOf } from './plain-figures.ts';

const LEVY_NAMES = [
  'Konzessionsabgabe',
  'Stromsteuer',
  'Offshore-Netzumlage',
  'Aufschlag für besondere Netznutzung',
  'KWKG-Umlage',
];

const decimals = (max: number, places: number) =>
  fc.integer({ min: 0, max: max * 10 ** places }).map((digits) => {
    const text = String(digits).padStart(places + 1, '0');
    return `${text.slice(0, -places)}.${text.slice(-places)}`;
  });

const anyPricing = fc
  .record({
    kwh: decimals(49_900, 2).map((text) => text.replace(/^\d+/, (whole) => String(Number(whole) + 100))),
    rate: decimals(1, 6),
    modules: fc.constantFrom(
      NONE,
      { ...NONE, module1: true },
      { ...NONE, module2: true },
      { module1: true, module2: false, module3: true },
    ),
    base_fee_net: decimals(30, 4),
    margin_ct_net: fc.oneof(fc.constant('0'), decimals(9, 4)),
    mean: fc.tuple(fc.constantFrom('', '-'), decimals(40, 4)).map(([sign, text]) => sign + text),
    basePriceYear: decimals(200, 2),
    workingPrice: decimals(15, 2),
    credit: decimals(200, 2),
    schedule: fc.record({
      low: decimals(5, 2),
      standard: decimals(15, 2),
      high: decimals(30, 2),
      shareOfYear: decimals(1, 4),
    }),
  })
  .map(({ kwh, rate, modules, base_fee_net, margin_ct_net, mean, ...grid }) =>
    pricingOf({
      ...{ kwh, rate, modules, terms: { base_fee_net, margin_ct_net }, dayAheadMean: figure(mean) },
      meter: Number(rate) > 0 ? 'smart' : 'analog',
      grid: plainGrid({ ...grid, module1CreditYear: grid.credit }),
    }),
  );

describe('of any request, plan and operator', () => {
  test('rows sum to the unit amount, which times the quantity is the amount', () => {
    fc.assert(
      fc.property(anyPricing, (pricing) => {
        const groups = groupsOf(consumptionRows(pricing), pricing.kwh);
        expect(groups.map(({ group }) => group)).toEqual(['base', 'variable']);
        for (const { rows, unitAmount, quantity, amount } of groups) {
          const micro = rows.reduce((sum, row) => sum + BigInt(row.amount.times(1_000_000).toFixed()), 0n);
          expect(unitAmount.times(1_000_000).toFixed()).toBe(micro.toString());
          expect(amount.minus(unitAmount.times(quantity)).abs().lessThanOrEqualTo('0.005')).toBe(true);
          expect(amount.decimalPlaces()).toBeLessThanOrEqual(2);
        }
      }),
    );
  });

  test('there are five levies in order, and no optimization of 0', () => {
    fc.assert(
      fc.property(anyPricing, (pricing) => {
        const rows = consumptionRows(pricing);
        const names = rows.filter(({ subgroup }) => subgroup === 'levies').map(({ name }) => name);
        expect(names).toEqual(LEVY_NAMES);
        expect(rows.slice(-5).map(({ subgroup }) => subgroup)).toEqual(Array(5).fill('levies'));
        for (const row of rows) {
          if (row.subgroup === 'optimization') expect(row.amount.lessThan(0)).toBe(true);
        }
      }),
    );
  });

  test('the grid fees of a year are never below zero, and module 2 has no base price', () => {
    fc.assert(
      fc.property(anyPricing, (pricing) => {
        const grid = consumptionRows(pricing).filter(({ subgroup }) => subgroup === 'grid');
        const yearly = grid.map(({ group, amount }) => amount.times(group === 'base' ? 12 : pricing.kwh));
        if (pricing.modules.module2) {
          expect(grid.map(({ group }) => group)).toEqual(['variable', 'variable']);
          return;
        }
        /* Each rounded row may be half a millionth off; at prices of real operators that is less than a cent a year. */
        const roundedOff = (Number(pricing.kwh) + 24) * 0.0000005;
        expect(Number(yearly.reduce((sum, amount) => sum.plus(amount)))).toBeGreaterThanOrEqual(-roundedOff);
      }),
    );
  });
});
