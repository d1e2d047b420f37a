import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../../src/platform/time/berlin-calendar.ts';
import { runs } from '../../../setup/tier.ts';
import { plainGrid, plainReference } from '../../../tariffs/quotes/plain-figures.ts';
import { billOf, listsFrom, moduleFrom, termsOf } from './billed.ts';

/* Checked with whole numbers of cents: no decimal library stands on both sides. */

const decimals = (max: number, places: number) =>
  fc.integer({ min: 0, max: max * 10 ** places }).map((digits) => {
    const text = String(digits).padStart(places + 1, '0');
    return `${text.slice(0, -places)}.${text.slice(-places)}`;
  });

const dayOf = (from: string) => fc.integer({ min: 0, max: 400 }).map((days) => addDays(from, days));
const schedule = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '0.5' };

const anyBill = fc
  .record({
    first: dayOf('2027-10-01'),
    days: fc.integer({ min: 1, max: 366 }),
    vatChange: dayOf('2027-10-01'),
    priceChange: dayOf('2027-10-01'),
    otherVat: fc.constantFrom('0.16', '0.19', '0.07', '0.2'),
    modules: fc.constantFrom([], [1], [1, 3], [2]),
    fees: fc.tuple(decimals(30, 4), decimals(30, 4)),
    margin: decimals(9, 4),
    discount: fc.constantFrom(null, 'once', 'recurring'),
    off: decimals(200, 2),
    kwh: decimals(2_000, 3),
    eur: fc.tuple(fc.constantFrom('', '-'), decimals(400, 6)).map(([sign, text]) => sign + text),
    deducted: decimals(900, 2),
    isFinal: fc.boolean(),
  })
  .map((given) => {
    const { first, days, vatChange, priceChange, otherVat, fees, margin, discount, off } = given;
    const discounted = {
      ...(discount && { discount_amount_off: off, discount_duration: discount }),
      ...(discount === 'recurring' && { discount_duration_in_months: 3 }),
    };
    const [fee, laterFee] = fees;
    const terms = [
      termsOf({ base_fee_net: fee, margin_ct_net: margin, ...discounted }),
      termsOf({ base_fee_net: laterFee, valid_from: priceChange, ...discounted }),
    ];
    const modules = given.modules.map((module) => moduleFrom(module as 1 | 2 | 3, '2026-01-01'));
    return billOf({
      contract: { terms, modules, supply: { first, end: null } },
      period: { from: first, until: addDays(first, days) },
      lists: listsFrom(
        { grid: plainGrid({ schedule }) },
        { [vatChange]: { reference: plainReference({ vatRate: otherVat }) } },
      ),
      energy: { kwh: given.kwh, eur: given.eur },
      context: { deducted: given.deducted, isFinal: given.isFinal },
    });
  });

/** Of a text with two decimals. */
function cents(text: string): bigint {
  expect(text).toMatch(/^-?\d+\.\d\d$/);
  return BigInt(text.replace('.', ''));
}

/** Half away from zero: cents × a rate of two decimals. */
function taxOn(net: bigint, rate: string): bigint {
  const hundredths = net * BigInt(Math.round(Number(rate) * 100));
  const size = hundredths < 0n ? -hundredths : hundredths;
  const rounded = (size + 50n) / 100n;
  return hundredths < 0n ? -rounded : rounded;
}

const add = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);

describe('of any bill', () => {
  test('the net sum is the sum of its lines in cents, and the total follows from it', () => {
    fc.assert(
      fc.property(anyBill, ({ lines, sums }) => {
        expect(cents(sums.net)).toBe(add(lines.map(({ net }) => cents(net))));
        expect(cents(sums.tax)).toBe(add(sums.taxes.map(({ tax }) => cents(tax))));
        expect(cents(sums.total)).toBe(cents(sums.net) + cents(sums.tax) - cents(sums.deducted));
      }),
      { numRuns: runs(20) },
    );
  });

  test('tax is rounded once for each rate, on the lines of that rate', () => {
    fc.assert(
      fc.property(anyBill, ({ lines, sums }) => {
        const rates = new Set(lines.map(({ vatRate }) => vatRate));
        expect(new Set(sums.taxes.map(({ rate }) => rate))).toEqual(rates);
        for (const { rate, net, tax } of sums.taxes) {
          const ofRate = lines.filter(({ vatRate }) => vatRate === rate);
          expect(cents(net)).toBe(add(ofRate.map((line) => cents(line.net))));
          expect(cents(tax)).toBe(taxOn(cents(net), rate));
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('a discount leaves the net sum at zero or above, or as it was below', () => {
    fc.assert(
      fc.property(anyBill, ({ lines, sums }) => {
        const discounts = lines.filter(({ kind }) => kind === 'discount');
        const others = add(lines.filter(({ kind }) => kind !== 'discount').map(({ net }) => cents(net)));
        expect(discounts.every(({ net }) => cents(net) < 0n)).toBe(true);
        if (others < 0n) expect(discounts).toEqual([]);
        else expect(cents(sums.net)).toBeGreaterThanOrEqual(0n);
      }),
      { numRuns: runs(20) },
    );
  });

  test('quantity times unit price is the amount', () => {
    fc.assert(
      fc.property(anyBill, ({ lines }) => {
        for (const { quantity, unitPrice, net } of lines) {
          if (quantity === null || unitPrice === null) continue;
          expect(Math.abs(Number(quantity) * Number(unitPrice) - Number(net))).toBeLessThan(0.005_01);
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('lines of one kind follow one another without a gap and without a day twice', () => {
    fc.assert(
      fc.property(anyBill, ({ lines }) => {
        for (const kind of ['base_fee', 'energy', 'grid_energy', 'kwkg', 'metering'] as const) {
          const spans = lines.filter((line) => line.kind === kind);
          expect(spans.slice(1).map(({ from }) => from)).toEqual(
            spans.slice(0, -1).map(({ until }) => until),
          );
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('the grid fees of a year that its bill settles are not below zero', () => {
    fc.assert(
      fc.property(anyBill, ({ lines }) => {
        const capped = lines.filter(({ kind }) => kind === 'module_1_cap');
        for (const { from } of capped) {
          const year = lines.filter((line) => line.from.startsWith(from.slice(0, 4)));
          const grid = year.filter(({ kind }) => /^(grid_|module_1)/.test(kind));
          expect(add(grid.map(({ net }) => cents(net)))).toBe(0n);
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('no text of a figure is a negative zero or has an exponent', () => {
    fc.assert(
      fc.property(anyBill, (draft) => {
        const texts = JSON.stringify(draft);
        expect(texts).not.toMatch(/"-0(\.0+)?"|"-?[\d.]+e[-+]?\d+"/);
      }),
      { numRuns: runs(20) },
    );
  });
});
