import { describe, expect, test } from 'vitest';
import { amountOffOf, groupsOf, regularAmountOf } from '../../../src/tariffs/quotes/amounts.ts';
import {
  type ConsumptionPricing,
  consumptionRows,
  meteringFeeOf,
} from '../../../src/tariffs/quotes/consumption.ts';
import { figure, meteringCase, NONE, plainGrid, plainReference, pricingOf } from './plain-figures.ts';

/** `base grid Netzentgelte 1.23` */
function lines(given: Partial<ConsumptionPricing>, only = ''): string[] {
  return consumptionRows(pricingOf(given))
    .map(({ group, subgroup, name, amount }) => `${group} ${subgroup} ${name} ${amount.toFixed(6)}`)
    .filter((line) => line.startsWith(only));
}

const LEVIES = [
  'variable levies Konzessionsabgabe 0.023681',
  'variable levies Stromsteuer 0.024395',
  'variable levies Offshore-Netzumlage 0.011198',
  'variable levies Aufschlag für besondere Netznutzung 0.018552',
  'variable levies KWKG-Umlage 0.005307',
];

describe('rows', () => {
  test('of an analog meter without module stand in the order of the bill', () => {
    expect(lines({})).toEqual([
      'base fee Grundgebühr 5.950000',
      'base grid Netzentgelte 7.963083',
      'base metering Messstellengebühren 2.083333',
      'variable energy EPEX Day-Ahead Preis (12m avg.) 0.106291',
      'variable fee Beschaffung 0.021420',
      'variable grid Netzentgelte 0.113407',
      ...LEVIES,
    ]);
  });

  test('of a smart meter with module 1 hold credit and optimization, each at its place', () => {
    const modules = { ...NONE, module1: true };
    expect(lines({ modules, meter: 'smart', rate: '0.1', kwh: '4000' })).toEqual([
      'base fee Grundgebühr 5.950000',
      'base grid Netzentgelte 7.963083',
      'base grid Pauschale Netzentgeltreduktion (§14a EnWG Modul 1) -13.754417',
      'base metering Messstellengebühren 4.166667',
      'variable energy EPEX Day-Ahead Preis (12m avg.) 0.106291',
      'variable optimization Optimierung (Lastverschiebung) -0.010629',
      'variable fee Beschaffung 0.021420',
      'variable grid Netzentgelte 0.113407',
      ...LEVIES,
    ]);
  });

  test('of module 2 have no base price of the grid, and the reduction behind the working price', () => {
    const modules = { ...NONE, module2: true };
    expect(lines({ modules, meter: 'smart' })).toEqual([
      'base fee Grundgebühr 5.950000',
      'base metering Messstellengebühren 4.166667',
      'variable energy EPEX Day-Ahead Preis (12m avg.) 0.106291',
      'variable fee Beschaffung 0.021420',
      'variable grid Netzentgelte 0.113407',
      'variable grid Prozentuale Netzentgeltreduktion (§14a EnWG Modul 2) -0.068068',
      ...LEVIES,
    ]);
  });

  test('say which figures they were made of', () => {
    const modules = { ...NONE, module1: true };
    const tables = consumptionRows(pricingOf({ modules, meter: 'smart' })).map(({ figures }) =>
      figures.map(({ origin }) => origin.table).join(' '),
    );
    expect(tables).toEqual([
      'vat_rates',
      'grid_fees vat_rates',
      'grid_fees grid_fees grid_fees vat_rates',
      'metering_fees',
      'day_ahead_means vat_rates',
      'vat_rates',
      'grid_fees vat_rates',
      'concession_fees vat_rates',
      'levies vat_rates',
      'levies vat_rates',
      'levies vat_rates',
      'levies vat_rates',
    ]);
  });

  test('of a base fee of 0 are there, of a margin of 0 they are not', () => {
    const terms = { base_fee_net: '0.00', margin_ct_net: '0.0' };
    expect(lines({ terms }, 'base fee')).toEqual(['base fee Grundgebühr 0.000000']);
    expect(lines({ terms }, 'variable fee')).toEqual([]);
  });
});

describe('optimization', () => {
  const optimization = (given: Partial<ConsumptionPricing>) => lines(given, 'variable optimization');

  test('is a share of the energy row as it is shown', () => {
    /* 1.19 × 8.932 / 100 = 0.1062908, shown as 0.106291. 0.098 of it is 0.010416 of the one, 0.010417 of the other. */
    expect(optimization({ rate: '0.098' })).toEqual([
      'variable optimization Optimierung (Lastverschiebung) -0.010417',
    ]);
  });

  test.each([
    ['0', undefined],
    ['0.000001', undefined],
    ['0.000004', undefined],
    ['0.000005', '-0.000001'],
    ['1', '-0.106291'],
  ])('of a rate of %s is %s', (rate, amount) => {
    expect(optimization({ rate }).at(0)?.split(' ').at(-1)).toBe(amount);
  });

  test.each(['0', '-0.0001', '-8.932'])('of a mean of %s ct has no row', (mean) => {
    expect(optimization({ dayAheadMean: figure(mean), rate: '1' })).toEqual([]);
  });
});

describe('the credit of module 1', () => {
  const modules = { ...NONE, module1: true };
  const credit = (given: Partial<ConsumptionPricing>) =>
    lines({ modules, ...given }, 'base grid Pauschale')
      .at(0)
      ?.split(' ')
      .at(-1);

  test('brings the grid fees of the year down to zero and not below', () => {
    /* 80.30 + 9.53 = 89.83 for 100 kWh, less than 138.70. */
    expect(credit({ kwh: '100' })).toBe('-8.908142');
    expect(credit({ kwh: '612' })).toBe('-13.746840');
    expect(credit({ kwh: '613' })).toBe('-13.754417');
  });

  test('is capped by the working price of module 3 where that is chosen too', () => {
    const schedule = { low: '1', standard: '9.53', high: '20', shareOfYear: '0.5' };
    const three = { ...modules, module3: true };
    /* (1 - 0.5) × 9.53 + 0.5 × (0.2 + 4.765 + 6) = 10.2475; 80.30 + 10.2475 = 90.5475. */
    expect(credit({ kwh: '100', modules: three, grid: plainGrid({ schedule }) })).toBe('-8.979294');
  });

  test('of 0 is 0 without a sign', () => {
    const row = consumptionRows(pricingOf({ modules, grid: plainGrid({ module1CreditYear: '0' }) }))[2];
    expect(Object.is(row?.amount.toNumber(), 0)).toBe(true);
  });
});

describe('the working price of module 3', () => {
  test('is not rounded before it enters a row, and takes its standard from the schedule', () => {
    const schedule = { low: '0.47', standard: '4.72', high: '9.0333', shareOfYear: '0.5014' };
    const grid = plainGrid({ schedule, workingPrice: '99' });
    const modules = { ...NONE, module1: true, module3: true };
    /* 0.4986 × 4.72 + 0.5014 × (0.094 + 2.36 + 2.70999) = 4.9426… ct */
    expect(lines({ grid, modules }, 'variable grid')).toEqual(['variable grid Netzentgelte 0.058817']);
  });

  test('of an operator without a schedule is a mistake of the caller', () => {
    expect(() => lines({ modules: { ...NONE, module3: true } })).toThrow('test-netz');
  });
});

describe('the metering fee', () => {
  const feeOf = (kwh: string, modules = NONE, meter: 'analog' | 'smart' = 'smart') =>
    meteringFeeOf({ kwh, modules, meter, reference: plainReference() }).fee.value;

  test.each([
    ['100', '30'],
    ['6000', '30'],
    ['6000.01', '40'],
    ['10000', '40'],
    ['10000.01', '50'],
    ['10001', '50'],
    ['20000', '50'],
    ['20000.01', '110'],
    ['20001', '110'],
    ['50000', '110'],
  ])('of a smart meter at %s kWh is %s EUR a year', (kwh, eur) => {
    expect(feeOf(kwh)).toBe(eur);
  });

  test.each(['module1', 'module2', 'module3'])('with %s is that of §14a where no higher one fits', (name) => {
    const modules = { ...NONE, [name]: true };
    expect(['100', '6000', '10000', '20000', '20001'].map((kwh) => feeOf(kwh, modules))).toEqual([
      ...['50', '50', '50', '50', '110'],
    ]);
  });

  test('of an analog meter is the same whatever is used and chosen', () => {
    const all = { module1: true, module2: true, module3: true };
    expect(['100', '6001', '50000'].map((kwh) => feeOf(kwh, all, 'analog'))).toEqual(['25', '25', '25']);
  });

  test('is the highest by its value, not by its text', () => {
    const reference = plainReference({
      meteringFees: [meteringCase('smart', '9'), meteringCase('smart', '10.0')],
    });
    expect(meteringFeeOf({ kwh: '100', modules: NONE, meter: 'smart', reference }).fee.value).toBe('10.0');
  });

  test('that no row knows is named with its table and the day', () => {
    const reference = plainReference({ meteringFees: [meteringCase('analog', '25')] });
    expect(() => meteringFeeOf({ kwh: '100', modules: NONE, meter: 'smart', reference })).toThrow(
      'No row of metering_fees for smart counts on 2026-11-20',
    );
  });

  test('is the given one where several cases share a meter', () => {
    const fees = lines({ meteringFee: meteringCase('smart', '60') }, 'base metering');
    expect(fees).toEqual(['base metering Messstellengebühren 5.000000']);
  });
});

describe('amounts', () => {
  test('are the exact sum of rounded rows times the quantity, each group by itself', () => {
    const groups = groupsOf(consumptionRows(pricingOf()), '2500');
    expect(
      groups.map(({ group, unitAmount, quantity, amount }) => [
        group,
        ...[unitAmount, quantity, amount].map(String),
      ]),
    ).toEqual([
      ['base', '15.996416', '1', '16'],
      ['variable', '0.324251', '208.3333', '67.55'],
    ]);
    expect(regularAmountOf(groups).toFixed(2)).toBe('83.55');
  });

  test('of decimal fractions are exact', () => {
    const [, variable] = groupsOf(
      consumptionRows(pricingOf({ kwh: '1000.1', rate: '0.3', meter: 'smart' })),
      '1000.1',
    );
    expect(variable?.quantity.toFixed()).toBe('83.3417');
    expect(variable?.unitAmount.toFixed()).toBe('0.292364');
    expect(variable?.amount.toFixed()).toBe('24.37');
  });

  test.each([
    ['3.00', '72.96', '3'],
    ['100', '72.96', '72.96'],
    ['100', '-1.50', '0'],
    ['0.01', '0', '0'],
  ])('a discount of %s off %s is %s', (discount, regular, off) => {
    expect(amountOffOf(discount, regularAmountOf([{ amount: regular }] as never)).toString()).toBe(off);
  });
});
