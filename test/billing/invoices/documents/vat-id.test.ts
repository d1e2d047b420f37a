import { expect, test } from 'vitest';
import { taxNumberOf, vatIdOf } from '../../../../src/billing/invoices/documents/vat-id.ts';

test('a VAT id is taken without spaces and with its country in capitals', () => {
  expect(vatIdOf(' de 811.569.869 ')).toBe('DE811569869');
  expect(vatIdOf('ATU12345675')).toBe('ATU12345675');
});

test.each([null, '', 'DE811569868', '811569869', 'none', '12/345/67890'])(
  'what is no VAT id is left out of a structured document: %s',
  (given) => {
    expect(vatIdOf(given)).toBeNull();
  },
);

test('the number of a tax office is told apart', () => {
  expect(taxNumberOf('12/345/67890')).toBe('12/345/67890');
  expect(taxNumberOf('5133081508159')).toBe('5133081508159');
  expect(taxNumberOf('DE811569869')).toBeNull();
  expect(taxNumberOf('123')).toBeNull();
  expect(taxNumberOf(null)).toBeNull();
});
