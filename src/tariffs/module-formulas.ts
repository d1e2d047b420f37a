import { Decimal } from 'decimal.js';

/*
 * Reductions of grid fees for controllable devices (BNetzA BK8-22/010-A). A figure that an operator publishes wins over
 * these; operators round each in their own way.
 */

const MODULE_1_EUR_GROSS = 80;
/** A standard device draws so much a year, a fifth of which is refunded. */
const MODULE_1_KWH = 3750;
const MODULE_1_SHARE = '0.2';
const MODULE_2_SHARE = '0.4';
const CENT_PER_EUR = 100;
const DECIMALS = 2;

/** Yearly credit of module 1 in EUR without VAT. */
export function module1Net(workingCtNet: string, vatRate: string): Decimal {
  const flat = new Decimal(MODULE_1_EUR_GROSS).dividedBy(new Decimal(1).plus(vatRate));
  const refund = new Decimal(MODULE_1_SHARE).times(MODULE_1_KWH).times(workingCtNet).dividedBy(CENT_PER_EUR);
  return flat.plus(refund).toDecimalPlaces(DECIMALS, Decimal.ROUND_HALF_UP);
}

/** Working price of module 2 in ct/kWh without VAT. */
export function module2Net(workingCtNet: string): Decimal {
  return new Decimal(MODULE_2_SHARE).times(workingCtNet).toDecimalPlaces(DECIMALS, Decimal.ROUND_HALF_UP);
}
