import { Decimal } from 'decimal.js';

/*
 * Prices are decimal texts from the feed to the answer: 0.57 / 10 is 0.056999999999999995 in binary floats. Literals are
 * bounded below so that no operation here ever reaches the precision and rounds.
 */
const Exact = Decimal.clone({ defaults: true, precision: 4_000 });

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const WITH_EXPONENT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?$/;

/** No price needs them; 1e999999999 would be a text of a gigabyte. */
const LITERAL_LENGTH_MAX = 1_000;
const EXPONENT_MAX = 400;

/** EUR/MWh. Exchanges take bids between -500 and 4,000; what lies beyond this is no price but a broken writer. */
export const EUR_MWH_MAX = 100_000;

/** What JavaScript and Python leave behind in the 13th digit: 0.5700000000000001 means 0.57. */
const FLOAT_NOISE = new Exact('1e-9');

function decimalFrom(literal: string, exponentAllowed: boolean): Decimal | undefined {
  if (literal.length > LITERAL_LENGTH_MAX) return undefined;
  const match = (exponentAllowed ? WITH_EXPONENT : PLAIN).exec(literal);
  if (match === null || Math.abs(Number(match[1] ?? 0)) > EXPONENT_MAX) return undefined;
  return new Exact(literal);
}

/**
 * The plain decimal text of a literal in EUR/MWh: no exponent, no trailing zeros, no minus zero. Undefined where the text
 * is no number, one of more than 1,000 digits, or one beyond 100,000 EUR/MWh on either side. `factor` converts: 10 from
 * ct/kWh, 1000 from EUR/kWh. Exponents are for JSON; XML has none.
 */
export function eurMwhFrom(
  literal: string,
  options: { factor?: 1 | 10 | 1000; exponent?: boolean } = {},
): string | undefined {
  const amount = decimalFrom(literal, options.exponent ?? false)?.times(options.factor ?? 1);
  if (amount === undefined || amount.abs().greaterThan(EUR_MWH_MAX)) return undefined;
  const cents = amount.toDecimalPlaces(2);
  const noisy = amount.minus(cents).abs().lessThan(FLOAT_NOISE);
  return (noisy ? cents : amount).toFixed();
}

/** A JSON literal that stands for a whole number: `133`, and `60.0` as well. */
export function wholeNumberFrom(literal: string): number | undefined {
  const number = decimalFrom(literal, true);
  if (number === undefined || !number.isInteger()) return undefined;
  const value = number.toNumber();
  return Number.isSafeInteger(value) ? value : undefined;
}

/** EUR/MWh as ct/kWh, exact, plain: `93.28` is `9.328`, `50` is `5`. */
export function centsPerKilowattHour(eurMwh: string): string {
  return new Exact(eurMwh).times('0.1').toFixed();
}

/** Whether two amounts lie further apart than the tolerance; exactly at it they agree. */
export function differsByMoreThan(a: string, b: string, tolerance: string): boolean {
  return new Exact(a).minus(b).abs().greaterThan(tolerance);
}
