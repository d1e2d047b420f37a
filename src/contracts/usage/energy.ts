import { Decimal } from 'decimal.js';

/** No sum of these energies ever reaches so many digits: nothing is rounded but the answer. */
export const Energy = Decimal.clone({ defaults: true, precision: 60 });

/** Digits behind the point of a kept quarter hour, as in the column. */
export const KWH_FRACTION_DIGITS = 12;
/** Upper bound of the stored energy of a quarter hour. */
export const KWH_MAX = 1_000_000;

const SHOWN_FRACTION_DIGITS = 4;

/** A number of JSON: half up, after the sum. Below 10 ** 12 kWh every such number is exact. */
export function shownKwh(kwh: Decimal): number {
  return kwh.toDecimalPlaces(SHOWN_FRACTION_DIGITS, Decimal.ROUND_HALF_UP).toNumber();
}
