import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerText, plainDecimal } from '../../../src/platform/interface/answer-text.ts';

test('numbers of an answer are written without an exponent', () => {
  expect(answerText({ a: 1e-7, b: -2.5e21, c: 0.1, d: 12 })).toBe(
    '{"a":0.0000001,"b":-2500000000000000000000,"c":0.1,"d":12}',
  );
});

test('a text that only looks like an exponent stays as it is', () => {
  expect(answerText({ name: '1e-7', value: 3 })).toBe('{"name":"1e-7","value":3}');
});

test('every double is written so that it reads back as itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainDecimal(value);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text)).toBe(value === 0 ? 0 : value);
    }),
  );
});
