import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { keptAmount } from '../../../src/tariffs/quotes/kept-amounts.ts';

test('an amount is calculated once for a rule and its figures, and anew for every other one', () => {
  const calculated: string[] = [];
  const amount = (rule: string, ...figures: string[]) =>
    keptAmount(rule, figures, () => {
      calculated.push([rule, ...figures].join(' / '));
      return new Decimal(calculated.length);
    });
  const first = amount('a rule of this test', '1', '0.19');
  expect(amount('a rule of this test', '1', '0.19')).toBe(first);
  for (const other of [
    amount('another rule of this test', '1', '0.19'),
    amount('a rule of this test', '1', '0.16'),
    amount('a rule of this test', '1.0', '0.19'),
    amount('a rule of this test', '1', '0.1', '9'),
  ]) {
    expect(other).not.toBe(first);
  }
  expect(calculated).toHaveLength(5);
});
