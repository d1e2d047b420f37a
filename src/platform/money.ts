import { Decimal } from 'decimal.js';

/*
 * Arithmetic with money. Nothing is a binary float and nothing is rounded on the way: of 60 digits no sum here ever
 * needs the last ones. Rounding is half up, which means half away from zero for negative figures too, and happens in two
 * ways: a unit price keeps 6 decimals, an amount that somebody pays or is paid has cents.
 */

export const Exact = Decimal.clone({ defaults: true, precision: 60, rounding: Decimal.ROUND_HALF_UP });

const UNIT_PRICE_DECIMALS = 6;
const AMOUNT_DECIMALS = 2;

/** EUR per kWh, ct per kWh or EUR per month: what is multiplied with a quantity afterwards, and may be added before. */
export function roundUnitPrice(price: Decimal.Value): Decimal {
  return roundHalfUp(price, UNIT_PRICE_DECIMALS);
}

/** EUR with cents. Of several lines each is rounded by itself before they are added. */
export function roundAmount(amount: Decimal.Value): Decimal {
  return roundHalfUp(amount, AMOUNT_DECIMALS);
}

/** Half away from zero, and zero without a sign. */
export function roundHalfUp(value: Decimal.Value, decimals: number): Decimal {
  return new Exact(value).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP).plus(0);
}

/** `rate` is a share: 0.19. */
export function withVat(net: Decimal.Value, rate: Decimal.Value): Decimal {
  return new Exact(rate).plus(1).times(net);
}

export function withoutVat(gross: Decimal.Value, rate: Decimal.Value): Decimal {
  return new Exact(gross).dividedBy(new Exact(rate).plus(1));
}

/**
 * Decimal texts without an exponent as whole numbers of one unit, 10 to the power of minus `digits`: thousands of products
 * add up exactly in them, and several times as fast as in decimals.
 */
export function wholeNumbers(texts: readonly string[]): { digits: number; numbers: bigint[] } {
  const fractionOf = (text: string) => text.length - (text.indexOf('.') + 1 || text.length);
  const digits = texts.reduce((most, text) => Math.max(most, fractionOf(text)), 0);
  return {
    digits,
    numbers: texts.map((text) => BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)))),
  };
}

/** ct as EUR. */
export function euros(cents: Decimal.Value): Decimal {
  return new Exact(cents).dividedBy(100);
}
