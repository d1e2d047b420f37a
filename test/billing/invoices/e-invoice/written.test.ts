import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bill, BilledLine, Format } from '../../../../src/billing/invoices/e-invoice/bill.ts';
import { pricedQuantity } from '../../../../src/billing/invoices/e-invoice/lines.ts';
import { eInvoiceXml } from '../../../../src/billing/invoices/e-invoice/service.ts';
import { Exact } from '../../../../src/platform/money.ts';
import * as bills from './bills.ts';
import { type ReadInvoice, readCii, readUbl } from './read.ts';

/*
 * What the rules of EN 16931 (BR-…) say about figures, asked of the written documents and not of what they were made from.
 */

const FORMATS = [
  ['zugferd', readCii],
  ['xrechnung', readUbl],
] as const satisfies readonly (readonly [Format, (xml: string) => ReadInvoice])[];

/** The customer's telephone number is not known, which XRechnung wants of a seller. */
const WITH_PHONE: Bill = { ...bills.FEED_IN, seller: { ...bills.FEED_IN.seller, phone: '+49 228 123456' } };
const KINDS = Object.entries({ ...bills.EVERY_KIND, 'feed-in': WITH_PHONE });
const CASES = FORMATS.flatMap(([format, read]) =>
  KINDS.map(([kind, bill]) => ({ format, kind, bill, read })),
);

const sum = (amounts: readonly string[]): string =>
  amounts.reduce((before, amount) => before.plus(amount), new Exact(0)).toFixed(2);

describe.each(CASES)('$kind as $format', ({ format, bill, read }) => {
  const written = async (): Promise<ReadInvoice> => read(eInvoiceXml(bill, format));

  test('BR-CO-10, BR-CO-13: the lines add up to the net sum of the bill', async () => {
    const { lines, sums } = await written();
    expect(lines).toHaveLength(bill.lines.length);
    expect(sum(lines.map(({ net }) => net))).toBe(sums.lines);
    expect(sums.net).toBe(sums.lines);
    expect(sums.net).toBe(bill.sums.net);
  });

  test('BR-21: the lines are numbered from 1 on', async () => {
    const { lines } = await written();
    expect(lines.map(({ position }) => position)).toEqual(bill.lines.map((_, index) => `${index + 1}`));
  });

  test('BR-CO-14, BR-CO-15, BR-CO-16: tax, gross and what is left to pay are those of the bill, to the cent', async () => {
    const { taxes, sums } = await written();
    expect(sum(taxes.map(({ tax }) => tax))).toBe(sums.tax);
    expect(sums.tax).toBe(bill.sums.tax);
    expect(sum([sums.net, sums.tax])).toBe(sums.gross);
    expect(new Exact(sums.prepaid).equals(bill.sums.deducted)).toBe(true);
    expect(new Exact(sums.gross).minus(sums.prepaid).toFixed(2)).toBe(sums.payable);
    expect(sums.payable).toBe(bill.sums.total);
  });

  test('BR-CO-17, BR-CO-18, BR-S-08, BR-S-09: each rate has the sum of its lines and its tax', async () => {
    const { lines, taxes } = await written();
    expect(taxes.length).toBeGreaterThan(0);
    for (const { base, tax, rate, category } of taxes) {
      const ofRate = lines.filter((line) => line.rate === rate && line.category === category);
      expect(sum(ofRate.map(({ net }) => net))).toBe(base);
      expect(new Exact(base).times(rate).dividedBy(100).minus(tax).abs().lessThan('0.01')).toBe(true);
    }
    expect(
      taxes.reduce((before, { rate }) => before + lines.filter((line) => line.rate === rate).length, 0),
    ).toBe(lines.length);
  });

  test('BR-27, R120: no price is negative, and quantity times price is the amount of the line', async () => {
    const { lines } = await written();
    for (const { quantity, price, net, unit } of lines) {
      expect(new Exact(price).isNegative() && !new Exact(price).isZero()).toBe(false);
      expect(new Exact(quantity).times(price).toFixed(2)).toBe(new Exact(net).toFixed(2));
      expect(['KWH', 'DAY', 'MON', 'C62']).toContain(unit);
    }
  });

  test('BR-E-10, BR-S-10: lines without VAT say why, others do not', async () => {
    const { taxes } = await written();
    for (const { category, rate, reason } of taxes) {
      expect(category).toBe(rate === '0' ? 'E' : 'S');
      expect(reason).toEqual(rate === '0' ? [bill.exemption] : []);
    }
  });

  test('says who bills whom, under which number and type', async () => {
    const { type, number, seller, buyer, sellerTaxIds } = await written();
    expect({ type, number, seller, buyer }).toEqual({
      type: bill.typeCode,
      number: bill.number,
      seller: bill.seller.name,
      buyer: bill.buyer.name,
    });
    expect(sellerTaxIds).toEqual([
      bill.seller.vatId === null ? `FC ${bill.seller.taxNumber}` : `VA ${bill.seller.vatId}`,
    ]);
  });
});

test('kilowatt-hours that were used stay positive: energy at a negative price is one piece of its amount', () => {
  const [energy] = bills.NEGATIVE_PRICE.lines;
  expect(energy && pricedQuantity(energy, false)).toEqual({
    quantity: '-1',
    unit: 'C62',
    price: '0.62',
    note: '50.5 kWh, -0.012376 EUR/kWh',
  });
});

test('a document that takes another one back has its kilowatt-hours negative', () => {
  const [energy] = bills.VOID.lines;
  expect(energy && pricedQuantity(energy, true)).toMatchObject({
    quantity: '-100',
    unit: 'KWH',
    price: '0.1',
  });
});

test('quantity times price gives any amount back to the cent', () => {
  const cents = fc.integer({ min: -10_000_000, max: 10_000_000 });
  const thousandths = fc.integer({ min: 0, max: 1_000_000_000 });
  const unit = fc.constantFrom('kWh', 'day', 'month', null);
  fc.assert(
    fc.property(cents, thousandths, unit, fc.boolean(), (net, quantity, of, isReversal) => {
      const line: BilledLine = bills.line({
        net: new Exact(net).dividedBy(100).toFixed(2),
        unit: of,
        quantity: of === null ? null : new Exact(quantity).dividedBy(1000).toFixed(),
        unitPrice: '0.1',
      });
      const priced = pricedQuantity(line, isReversal);
      expect(new Exact(priced.quantity).times(priced.price).toDecimalPlaces(2).equals(line.net)).toBe(true);
      expect(new Exact(priced.price).lessThan(0)).toBe(false);
    }),
  );
});
