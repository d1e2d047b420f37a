import type { Decimal } from 'decimal.js';
import { Exact, roundAmount } from '../../../platform/money.ts';
import type { Bill, BilledLine, Format } from './bill.ts';
import { pricedQuantity, taxCategory } from './lines.ts';

/*
 * Rules of EN 16931 that follow from stored figures, under the names that validators use for them. The form follows from the
 * writers, and the tests hold it.
 */

interface Rule {
  readonly name: string;
  /** Of this format only. */
  readonly format?: Format;
  readonly says: string;
  holds(bill: Bill): boolean;
}

/** The standard's own tolerance between the tax of a rate and its basis times the rate. */
const TAX_TOLERANCE_EUR = 1;

const RULES: readonly Rule[] = [
  {
    name: 'BR-16',
    says: 'there is at least one line',
    holds: ({ lines }) => lines.length > 0,
  },
  {
    name: 'BR-CO-10',
    says: 'the net sum is the sum of the lines',
    holds: ({ lines, sums }) => sum(lines, ({ net }) => net).equals(sums.net),
  },
  {
    name: 'BR-S-08',
    says: 'the basis of a tax rate is the sum of its lines, and each rate of a line has a basis',
    holds: ({ lines, sums }) =>
      sums.taxes.every(({ rate, net }) => sum(lines.filter(ofRate(rate)), (line) => line.net).equals(net)) &&
      lines.every(
        ({ vatRate }) => sums.taxes.filter(({ rate }) => new Exact(rate).equals(vatRate)).length === 1,
      ),
  },
  {
    name: 'BR-CO-17',
    says: 'the tax of a rate is its basis times the rate',
    holds: ({ sums }) =>
      sums.taxes.every(({ rate, net, tax }) =>
        new Exact(net).times(rate).minus(tax).abs().lessThan(TAX_TOLERANCE_EUR),
      ),
  },
  {
    name: 'BR-CO-14',
    says: 'the tax is the sum over the rates',
    holds: ({ sums }) => sum(sums.taxes, ({ tax }) => tax).equals(sums.tax),
  },
  {
    name: 'BR-CO-16',
    says: 'what is left to pay is net sum and tax without what was paid',
    holds: ({ sums }) => new Exact(sums.net).plus(sums.tax).minus(sums.deducted).equals(sums.total),
  },
  {
    name: 'PEPPOL-EN16931-R120',
    says: 'quantity times price is the amount of a line',
    holds: ({ lines, isReversal }) =>
      lines.every((line) => {
        const { quantity, price } = pricedQuantity(line, isReversal);
        return roundAmount(new Exact(quantity).times(price)).equals(line.net);
      }),
  },
  {
    name: 'BR-S-02',
    says: 'the seller has a VAT id or a tax number',
    holds: ({ seller }) => (seller.vatId ?? seller.taxNumber) !== null,
  },
  {
    name: 'BR-CO-26',
    says: 'the seller is known by a VAT id, a number in the register or the number that the buyer gave it',
    holds: ({ seller }) => (seller.vatId ?? seller.registration ?? seller.id) !== null,
  },
  {
    name: 'BR-Z-01',
    says: 'lines without VAT have one reason for it, or the rate is zero by law',
    holds: ({ sums, exemption }) =>
      new Set(
        sums.taxes.map(({ rate }) => taxCategory(rate, exemption)).filter((category) => category !== 'S'),
      ).size <= 1,
  },
  {
    name: 'BR-DE-6',
    format: 'xrechnung',
    says: 'the seller names a contact with telephone number and mail address',
    holds: ({ seller }) => ![seller.contact, seller.phone, seller.email].includes(null),
  },
  {
    name: 'BR-DE-26',
    says: 'a document that reverses or corrects names what it reverses or corrects',
    holds: ({ typeCode, isReversal, preceding }) =>
      preceding.length > 0 || (typeCode !== '384' && !isReversal),
  },
];

/** Rules that a bill breaks, as `BR-CO-10: what should be`. */
export function brokenRules(bill: Bill, format: Format): string[] {
  const rules = RULES.filter((rule) => rule.format === undefined || rule.format === format);
  return rules.filter((rule) => !rule.holds(bill)).map(({ name, says }) => `${name}: ${says}`);
}

const ofRate =
  (rate: string) =>
  ({ vatRate }: BilledLine): boolean =>
    new Exact(vatRate).equals(rate);

function sum<Part>(parts: readonly Part[], amount: (part: Part) => string): Decimal {
  return parts.reduce((before, part) => before.plus(amount(part)), new Exact(0));
}
