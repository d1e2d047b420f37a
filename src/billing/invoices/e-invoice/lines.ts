import type { Decimal } from 'decimal.js';
import { Exact, roundAmount, roundHalfUp } from '../../../platform/money.ts';
import type { InvoiceSums } from '../calculate/types.ts';
import type { BilledLine, TaxCategory } from './bill.ts';

export const CURRENCY = 'EUR';

/** UN/ECE recommendation 20. */
const UNIT_CODES = { kWh: 'KWH', day: 'DAY', month: 'MON' } as const;
const ONE = 'C62';

/** More than any meter needs: so many digits of a price give the amount of a line back to the cent. */
const PRICE_DECIMALS = 10;

interface PricedQuantity {
  quantity: string;
  unit: (typeof UNIT_CODES)[keyof typeof UNIT_CODES] | typeof ONE;
  price: string;
  /** Of energy that is not told by quantity and price. */
  note: string | null;
}

/**
 * Quantity times price is the net amount, to the cent. A price may not be negative (BR-27), so that the quantity of a credit
 * is; but kilowatt-hours that were used stay positive: energy at a negative price is one piece of its amount.
 */
export function pricedQuantity(line: BilledLine, isReversal: boolean): PricedQuantity {
  const net = new Exact(line.net);
  const quantity = new Exact(line.quantity ?? 0).abs();
  const isTurned = line.unit === 'kWh' && !net.isZero() && net.isNegative() !== isReversal;
  if (line.unit === null || isTurned || (quantity.isZero() && !net.isZero())) {
    const note =
      line.quantity === null
        ? null
        : `${line.quantity} ${line.unit}, ${line.unitPrice ?? '?'} EUR/${line.unit}`;
    return { quantity: net.isNegative() ? '-1' : '1', unit: ONE, price: net.abs().toFixed(), note };
  }
  return {
    quantity: (net.isNegative() ? quantity.negated() : quantity).toFixed(),
    unit: UNIT_CODES[line.unit],
    price: unitPrice(line, quantity, net.abs()).toFixed(),
    note: null,
  };
}

/** The price of the bill; where it is a mean that was rounded too far, the amount divided by the quantity. */
function unitPrice(line: BilledLine, quantity: Decimal, amount: Decimal): Decimal {
  const stored = new Exact(line.unitPrice ?? 0).abs();
  if (roundAmount(stored.times(quantity)).equals(amount)) return stored;
  return roundHalfUp(amount.dividedBy(quantity), PRICE_DECIMALS);
}

export function taxCategory(rate: string, exemption: string | null): TaxCategory {
  if (!new Exact(rate).isZero()) return 'S';
  return exemption === null ? 'Z' : 'E';
}

export const percent = (rate: string): string => new Exact(rate).times(100).toFixed();

/** The stored sums and no new ones: a document that says anything else than the bill is worse than none. */
export const cents = (amount: string): string => new Exact(amount).toFixed(2);

export const grossOf = ({ net, tax }: InvoiceSums): string => new Exact(net).plus(tax).toFixed(2);
