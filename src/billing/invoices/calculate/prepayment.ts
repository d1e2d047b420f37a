import { Exact, roundAmount, withoutVat } from '../../../platform/money.ts';
import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { groupsOf, regularAmountOf } from '../../../tariffs/quotes/amounts.ts';
import { consumptionRows } from '../../../tariffs/quotes/consumption.ts';
import { originsOf } from '../../../tariffs/quotes/rows.ts';
import type { Figure } from '../../../tariffs/reference-data/figures.ts';
import type { BilledContract, BilledPeriod, ReferenceOf } from './contract.ts';
import { counted, lineOf, listed } from './line.ts';
import { piecesOf } from './pieces.ts';
import { sumsOfTaxes } from './sums.ts';
import type { Charges, NamedRow } from './types.ts';

export interface Instalment {
  /** EUR a month, with VAT. */
  readonly amount: string;
  /** What it was made of. */
  readonly rows: readonly NamedRow[];
}

/**
 * Advance payment for a month, EUR with VAT: a quote for the forecast, without discount, rounded up to whole EUR. As in a
 * quote the rate of the plan decides which meter is priced.
 */
export function instalmentOf(
  contract: BilledContract,
  on: CalendarDay,
  referenceOf: ReferenceOf,
  dayAheadMean: Figure,
): Instalment {
  const [piece] = piecesOf(contract, { from: on, until: addDays(on, 1) }, referenceOf);
  if (piece === undefined || piece.grid === null)
    throw new Error(`Nothing is paid in advance for ${contract.id}`);
  const { terms, reference, grid, modules } = piece;
  const kwh = contract.estimatedUsage;
  const rate = terms.optimization_rate ?? '0';
  const meter = new Exact(rate).greaterThan(0) ? 'smart' : 'analog';
  const rows = consumptionRows({ kwh, rate, modules, meter, terms, reference, grid, dayAheadMean });
  const origins = new Set([grid.zipArea, ...originsOf(rows)]);
  return {
    amount: Exact.max(regularAmountOf(groupsOf(rows, kwh)).ceil(), 0).toFixed(2),
    rows: [...origins].map(({ table, key, valid_from }) => ({ table, key, validFrom: valid_from })),
  };
}

/** What asks for an instalment. Its amount is agreed with VAT, so that tax is what remains beside the net. */
export function prepaymentCharges(period: BilledPeriod, instalment: string, vatRate: Figure): Charges {
  const net = roundAmount(withoutVat(instalment, vatRate.value));
  const figures = [
    counted('instalment', instalment, 'EUR/month with VAT', 'billing_terms'),
    listed('vat_rate', vatRate),
  ];
  const line = lineOf({ ...period, vatRate }, 'prepayment', {
    ...{ net, quantity: 1, unit: 'month', unitPrice: net, figures },
  });
  const tax = new Exact(instalment).minus(net).toFixed(2);
  const sums = sumsOfTaxes([{ rate: vatRate.value, net: line.net, tax }]);
  return { lines: [line], sums, usageKwh: null };
}
