import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  centsPerKilowattHour,
  differsByMoreThan,
  eurMwhFrom,
  wholeNumberFrom,
} from '../../../src/spot-prices/amounts.ts';

describe('literals', () => {
  test.each([
    ['93.28', 1, '93.28'],
    ['0.5700000000000001', 1, '0.57'],
    ['-0.0', 1, '0'],
    ['-0.0000000001', 1, '0'],
    ['0.001000000', 1, '0.001'],
    ['12.3450000009', 1, '12.3450000009'],
    ['9.467', 10, '94.67'],
    ['0.09467', 1000, '94.67'],
    ['0.0000000012', 1, '0.0000000012'],
    ['+007.50', 1, '7.5'],
  ] as const)('%s times %i is %s', (literal, factor, eurMwh) => {
    expect(eurMwhFrom(literal, { factor })).toBe(eurMwh);
  });

  test('exponents are for JSON', () => {
    expect(eurMwhFrom('1.5e-3')).toBeUndefined();
    expect(eurMwhFrom('1.5e-3', { exponent: true })).toBe('0.0015');
    expect(eurMwhFrom('1e5', { exponent: true })).toBe('100000');
    expect(eurMwhFrom('1e999999999', { exponent: true })).toBeUndefined();
    expect(eurMwhFrom('9'.repeat(1_001))).toBeUndefined();
  });

  test.each([
    ['100000', 1, '100000'],
    ['-100000', 1, '-100000'],
    ['100000.000000001', 1, undefined],
    ['-100000.01', 1, undefined],
    ['10000.1', 10, undefined],
    ['1e399', 1, undefined],
    ['-1e399', 1000, undefined],
  ] as const)('%s times %i lies within 100,000 EUR/MWh, or is none', (literal, factor, eurMwh) => {
    expect(eurMwhFrom(literal, { factor, exponent: true })).toBe(eurMwh);
  });

  test.each(['', '.', '-', '1,5', 'NaN', 'Infinity', '1 ', '0x1', '1e', '1.2.3', '１'])(
    '%j is no number',
    (literal) => {
      expect(eurMwhFrom(literal, { exponent: true })).toBeUndefined();
    },
  );

  test('every literal is its exact decimal, or none', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 60 });
    const wholes = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom('', '-', '+'), wholes, digits, (sign, whole, decimals) => {
        const read = eurMwhFrom(`${sign}${whole}.${decimals}`) ?? 'none';
        const exact = BigInt(`${sign === '-' ? '-' : ''}${whole}${decimals}`);
        const places = decimals.length;
        const [readWhole = '', readDecimals = ''] = read.split('.');
        const back = BigInt(`${readWhole}${readDecimals.padEnd(places, '0')}`);
        expect(read).toMatch(/^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        const away = back > exact ? back - exact : exact - back;
        /* Float noise is less than 1e-9. */
        expect(
          away === 0n || (readDecimals.length <= 2 && away < 10n ** BigInt(Math.max(places - 9, 0))),
        ).toBe(true);
      }),
    );
  });

  test('any text is a plain decimal, or none', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'0123456789.+-eE ,') });
    fc.assert(
      fc.property(texts, (text) => {
        const read = eurMwhFrom(text, { exponent: true });
        const isLiteral = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text);
        if (!isLiteral) expect(read).toBeUndefined();
        /* Beyond what a float can hold there is nothing to compare with. */
        if (read !== undefined && Number.isFinite(Number(text)))
          expect(Math.abs(Number(read) - Number(text))).toBeLessThanOrEqual(
            Math.max(1e-9, Math.abs(Number(text)) * 1e-15),
          );
      }),
    );
  });
});

test('whole numbers come with and without a decimal point', () => {
  for (const literal of ['133', '133.0', '1.33e2']) expect(wholeNumberFrom(literal)).toBe(133);
  for (const literal of ['133.5', '1e300', '9007199254740993', 'x'])
    expect(wholeNumberFrom(literal)).toBeUndefined();
});

test.each([
  ['93.28', '9.328'],
  ['0.57', '0.057'],
  ['50', '5'],
  ['-0.01', '-0.001'],
  ['0.0000012', '0.00000012'],
  ['0', '0'],
])('%s EUR/MWh are %s ct/kWh', (eurMwh, cents) => {
  expect(centsPerKilowattHour(eurMwh)).toBe(cents);
});

test('two amounts agree exactly at the tolerance', () => {
  expect(differsByMoreThan('94.33', '94.34', '0.01')).toBe(false);
  expect(differsByMoreThan('94.34', '94.33', '0.01')).toBe(false);
  expect(differsByMoreThan('94.33', '94.3400000001', '0.01')).toBe(true);
  expect(differsByMoreThan('-0.01', '0.01', '0.01')).toBe(true);
});
