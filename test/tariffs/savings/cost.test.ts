import { describe, expect, test } from 'vitest';
import { Exact } from '../../../src/platform/money.ts';
import { type PricedStep, savingsCosts } from '../../../src/tariffs/savings/cost.ts';
import type { DescribedHousehold } from '../../../src/tariffs/savings/household.ts';
import { figure, plainGrid, plainReference, pricingOf } from '../quotes/plain-figures.ts';

const { terms, dayAheadMean } = pricingOf();

type Described = Partial<Pick<DescribedHousehold, 'module1' | 'module3' | 'meter'>>;

function costs(kwh: number, rate: string, described: Described = {}, benchmark = ['36', '14.54']) {
  const [baseFee = '', energy = ''] = benchmark;
  const reference = {
    ...plainReference(),
    benchmark: () => ({ baseFeeYearGross: figure(baseFee), energy: figure(energy) }),
  };
  const zero = new Exact(0);
  const household: DescribedHousehold = {
    energy: { household: zero, ev: zero, heatpump: zero, load: zero, covered: zero, shifted: zero },
    consumption: new Exact(kwh),
    rate: new Exact(rate),
    ...{ module1: false, module3: false, meter: 'analog', parameters: [] },
    ...described,
  };
  return savingsCosts(household, { terms, reference, grid: plainGrid(), dayAheadMean }, undefined);
}

const shown = ({ cost }: Pick<PricedStep, 'cost'>) => `${cost.base.toFixed(2)} ${cost.variable.toFixed(2)}`;

describe('the cost before', () => {
  /* 1.19 × 14.5404 ct is 0.17303076 EUR: of 50,000 kWh the last digits make a cent. */
  test('is made of rows of 6 decimals, the energy of the benchmark too', () => {
    const { before, plain } = costs(50_000, '0', {}, ['36', '14.5404']);
    const difference = before.cost.variable.minus(plain.cost.variable);
    expect(difference.toFixed()).toBe(new Exact('0.173031').minus('0.127711').times(50_000).toFixed());
  });

  test('holds grid, metering and levies of the place, and nothing of the plan', () => {
    const { before } = costs(2500, '0.1', { meter: 'smart' });
    expect(before.rows.map(({ subgroup, name }) => `${subgroup} ${name}`)).toEqual([
      'grid Netzentgelte',
      'metering Messstellengebühren',
      'grid Netzentgelte',
      'levies Konzessionsabgabe',
      'levies Stromsteuer',
      'levies Offshore-Netzumlage',
      'levies Aufschlag für besondere Netznutzung',
      'levies KWKG-Umlage',
    ]);
    /* The modern meter, 25 EUR a year, whatever meter the plan needs; 1.19 × 80.30 EUR of the grid. */
    expect(before.cost.base.toFixed()).toBe('156.56');
  });

  test('names the figures of the benchmark', () => {
    expect(costs(2500, '0').before.supplierFigures.map(({ value }) => value)).toEqual(['36', '14.54']);
  });
});

test('every step has the meter of the finished result', () => {
  const { before, plain, withModule1, after } = costs(2500, '0.1', { module1: true, meter: 'smart' });
  const metering = ({ rows }: Pick<PricedStep, 'rows'>) =>
    rows.find(({ subgroup }) => subgroup === 'metering')?.amount.toFixed();
  /* 50 EUR a year: a device is controlled. */
  expect([plain, withModule1, after].map(metering)).toEqual(['4.166667', '4.166667', '4.166667']);
  expect(metering(before)).toBe('2.083333');
});

test('a step that is not earned costs what the one before it costs', () => {
  const { plain, withModule1, withModule3, after } = costs(2500, '0');
  expect([withModule1, withModule3, after].map(shown)).toEqual([plain, plain, plain].map(shown));
});
