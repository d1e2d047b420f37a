import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Exact,
  euros,
  roundAmount,
  roundHalfUp,
  roundUnitPrice,
  wholeNumbers,
  withoutVat,
  withVat,
} from '../../src/platform/money.ts';

/** Whole units of 10 ** -12: what whole numbers say is beyond doubt. */
const DECIMALS = 12;
const units = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const decimalOf = (whole: bigint) => new Exact(whole.toString()).times(new Exact(10).pow(-DECIMALS));
const amounts = units.map(decimalOf);
const vatRates = fc
  .integer({ min: 0, max: 3000 })
  .map((basisPoints) => new Exact(basisPoints).dividedBy(10_000));

function roundedByWholeNumbers(whole: bigint, decimals: number): string {
  const step = 10n ** BigInt(DECIMALS - decimals);
  const positive = whole < 0n ? -whole : whole;
  const steps = (positive + step / 2n) / step;
  return decimalOf((whole < 0n ? -steps : steps) * step).toFixed();
}

describe('rounding', () => {
  test('is half away from zero, as whole numbers have it', () => {
    /* Halves are rare among random numbers: half of these are halves. */
    const withHalves = fc.oneof(
      units,
      fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }).map((n) => n * 10n ** 10n + 5n * 10n ** 9n),
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).map((n) => n * 10n ** 6n + 5n * 10n ** 5n),
    );
    fc.assert(
      fc.property(withHalves, (whole) => {
        expect(roundAmount(decimalOf(whole)).toFixed()).toBe(roundedByWholeNumbers(whole, 2));
        expect(roundUnitPrice(decimalOf(whole)).toFixed()).toBe(roundedByWholeNumbers(whole, 6));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a half goes up below zero too, away from it', () => {
    expect(['2.975', '-2.975', '2.985', '-2.985'].map((text) => roundAmount(text).toFixed())).toEqual([
      '2.98',
      '-2.98',
      '2.99',
      '-2.99',
    ]);
    expect(roundUnitPrice('-0.0000005').toFixed()).toBe('-0.000001');
  });

  test('of a charge and the same credit nothing is left', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(roundAmount(amount).plus(roundAmount(amount.negated())).isZero()).toBe(true);
      }),
    );
  });

  test('what is rounded stays as it is, and moved by half a unit at most', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 6 }), (amount, decimals) => {
        const rounded = roundHalfUp(amount, decimals);
        expect(roundHalfUp(rounded, decimals).toFixed()).toBe(rounded.toFixed());
        const half = new Exact(10).pow(-decimals).dividedBy(2);
        expect(rounded.minus(amount).abs().lessThanOrEqualTo(half)).toBe(true);
      }),
    );
  });

  test('zero has no sign, in texts and in JSON', () => {
    for (const value of ['-0', '-0.001', '0.001']) {
      expect(roundAmount(value).toFixed()).toBe('0');
      expect(Object.is(roundAmount(value).toNumber(), 0)).toBe(true);
    }
  });
});

test('decimal texts are whole numbers of one unit, the smallest that any of them has', () => {
  expect(wholeNumbers(['81.2', '-0.05', '7', '-500'])).toEqual({
    digits: 2,
    numbers: [8_120n, -5n, 700n, -50_000n],
  });
  const texts = fc
    .tuple(units, fc.nat({ max: DECIMALS }))
    .map(([whole, zeros]) => decimalOf(whole - (whole % 10n ** BigInt(zeros))).toFixed());
  fc.assert(
    fc.property(fc.array(texts), (all) => {
      const { digits, numbers } = wholeNumbers(all);
      const unit = new Exact(10).pow(-digits);
      expect(numbers.map((whole) => new Exact(whole).times(unit).toFixed())).toEqual(all);
    }),
  );
});

describe('VAT', () => {
  test('what is put on can be taken off again, to the cent and far beyond', () => {
    fc.assert(
      fc.property(amounts, vatRates, (net, rate) => {
        expect(roundHalfUp(withoutVat(withVat(net, rate), rate), 12).toFixed()).toBe(net.toFixed());
      }),
    );
  });

  test('nothing is lost before the rounding: 1.19 times 2.50 is a half, and becomes 2.98', () => {
    expect(withVat('2.50', '0.19').toFixed()).toBe('2.975');
    expect(roundAmount(withVat('2.50', '0.19')).toFixed()).toBe('2.98');
    expect(roundUnitPrice(euros(withVat('7.70', '0.19'))).toFixed()).toBe('0.09163');
  });

  test('an invoice of rounded lines is off by half a cent a line at most', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 50 }), (lines) => {
        const sum = (values: readonly InstanceType<typeof Exact>[]) =>
          values.reduce((total, value) => total.plus(value), new Exact(0));
        const off = sum(lines.map((line) => roundAmount(line)))
          .minus(sum(lines))
          .abs();
        expect(off.lessThanOrEqualTo(new Exact('0.005').times(lines.length))).toBe(true);
      }),
    );
  });
});
