import type { Decimal } from 'decimal.js';
import { Exact, euros, roundAmount, roundHalfUp, withoutVat } from '../../platform/money.ts';

/*
 * Reductions of grid fees for controllable devices (BNetzA BK8-22/010-A). A figure that an operator publishes wins over
 * these; operators round each in their own way.
 */

const MODULE_1_EUR_GROSS = 80;
/** A standard device draws so much a year, a fifth of which is refunded. */
const MODULE_1_KWH = 3750;
const MODULE_1_SHARE = '0.2';
const MODULE_2_SHARE = '0.4';
/** Operators publish working prices with so many decimals. */
const WORKING_PRICE_DECIMALS = 2;

/** Yearly credit of module 1 in EUR without VAT. */
export function module1Net(workingCtNet: string, vatRate: string): Decimal {
  const refund = euros(new Exact(MODULE_1_SHARE).times(MODULE_1_KWH).times(workingCtNet));
  return roundAmount(withoutVat(MODULE_1_EUR_GROSS, vatRate).plus(refund));
}

/** Working price of module 2 in ct/kWh without VAT. */
export function module2Net(workingCtNet: string): Decimal {
  return roundHalfUp(new Exact(MODULE_2_SHARE).times(workingCtNet), WORKING_PRICE_DECIMALS);
}
