import { Exact, roundAmount } from '../../../platform/money.ts';
import type { InvoiceLine, InvoiceSums, RateSum } from './types.ts';

/** Tax is rounded once for each rate, on the sum of its lines (EN 16931, BR-CO-17); `deducted` is gross. */
export function sumsOf(lines: readonly Pick<InvoiceLine, 'net' | 'vatRate'>[], deducted = '0'): InvoiceSums {
  const byRate = Map.groupBy(lines, ({ vatRate }) => new Exact(vatRate).toFixed());
  const taxes = [...byRate].map(([rate, ofRate]) => {
    const net = netOf(ofRate);
    return { rate, net: net.toFixed(2), tax: roundAmount(net.times(rate)).toFixed(2) };
  });
  return sumsOfTaxes(taxes, deducted);
}

/** Sums whose tax by rate is known already. */
export function sumsOfTaxes(taxes: readonly RateSum[], deducted = '0'): InvoiceSums {
  const net = netOf(taxes);
  const tax = taxes.reduce((sum, rateSum) => sum.plus(rateSum.tax), new Exact(0));
  return {
    net: net.toFixed(2),
    taxes: taxes.toSorted((left, right) => new Exact(right.rate).comparedTo(left.rate)),
    tax: tax.toFixed(2),
    deducted: roundAmount(deducted).toFixed(2),
    total: net.plus(tax).minus(roundAmount(deducted)).toFixed(2),
  };
}

export function netOf(lines: readonly Pick<InvoiceLine, 'net'>[]) {
  return lines.reduce((sum, { net }) => sum.plus(net), new Exact(0));
}
