import { describe, expect, test } from 'vitest';
import { instalmentOf, prepaymentCharges } from '../../../../src/billing/invoices/calculate/prepayment.ts';
import { figure, plainGrid } from '../../../tariffs/quotes/plain-figures.ts';
import { contractOf, dated, listsFrom, moduleFrom, REFERENCE, termsOf } from './billed.ts';

const MEAN = figure('8.932', 'day_ahead_means');
const VAT = figure('0.19', 'vat_rates');
/* Berlin of the worked examples: GP 33.36, AP 7.46, class T4. */
const berlin = {
  ...plainGrid({ basePriceYear: '33.36', workingPrice: '7.46' }),
  concessionFee: figure('2.39'),
};
const lists = listsFrom({ grid: berlin });

describe('an instalment', () => {
  test('is the amount of a quote for the forecast with the rate of the plan, rounded up to whole EUR', () => {
    /* Example A2: 72.96. */
    expect(instalmentOf(contractOf(), '2026-11-20', lists, MEAN).amount).toBe('73.00');
  });

  test('is without the discount of the plan', () => {
    const terms = [termsOf({ discount_amount_off: '30', discount_duration: 'recurring' })];
    expect(instalmentOf(contractOf({ terms }), '2026-11-20', lists, MEAN).amount).toBe('73.00');
  });

  test('has the modules of the contract', () => {
    const schedule = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '0' };
    const grid = { ...plainGrid({ schedule }), concessionFee: figure('1.99') };
    const modules = [moduleFrom(1, '2026-01-01'), moduleFrom(3, '2026-01-01')];
    const contract = contractOf({
      estimatedUsage: '6000',
      modules,
      terms: [termsOf({ optimization_rate: '0.2' })],
    });
    /* Example A3 is 155.86 with a blended price that is 0.006 ct higher. */
    expect(instalmentOf(contract, '2026-11-20', listsFrom({ grid }), MEAN).amount).toBe('156.00');
  });

  test('of an amount in whole EUR is that amount, and never below 0', () => {
    const free = listsFrom({ grid: { ...berlin, basePriceYear: figure('0') } });
    const terms = [termsOf({ base_fee_net: '0', optimization_rate: '1' })];
    const below = instalmentOf(
      contractOf({ terms, estimatedUsage: '100' }),
      '2026-11-20',
      free,
      figure('-900'),
    );
    expect(below.amount).toBe('0.00');
  });

  test('goes by rows that are valid on the day, as bills do', () => {
    const ended = { ...REFERENCE, levy: () => dated(figure('1', 'levies', 'kwkg'), '2025-01-01', true) };
    expect(() => instalmentOf(contractOf(), '2026-11-20', listsFrom({ reference: ended }), MEAN)).toThrow(
      'levies kwkg',
    );
  });
});

test('the document of an instalment comes to its amount to the cent, tax included', () => {
  const month = { from: '2026-02-01', until: '2026-03-01' };
  for (let eur = 1; eur <= 300; eur += 1) {
    const { lines, sums } = prepaymentCharges(month, `${eur}.00`, VAT);
    expect(sums.total).toBe(`${eur}.00`);
    expect(lines).toMatchObject([{ kind: 'prepayment', ...month, net: sums.net, vatRate: '0.19' }]);
    expect(Math.abs(Number(sums.tax) - Number(sums.net) * 0.19)).toBeLessThan(0.01);
  }
});
