import { Exact } from '../../../platform/money.ts';
import type { BilledPeriod } from './contract.ts';
import { counted } from './line.ts';
import { sumsOfTaxes } from './sums.ts';
import type { Charges, InvoiceLine, InvoiceSums, RateSum } from './types.ts';

/** One period that was billed, and what it comes to by what is known now. */
export interface CorrectedPeriod extends BilledPeriod {
  /** Of the bill that was issued. */
  readonly invoiceNumber: string;
  readonly invoiced: Pick<InvoiceSums, 'taxes'>;
  readonly recomputed: Pick<InvoiceSums, 'taxes'>;
}

/** The last document of a contract: for each period and rate the difference. What was paid in advance is settled already. */
export function exitSummaryCharges(periods: readonly CorrectedPeriod[]): Charges {
  const differences = periods.map((period) => ({ period, taxes: differenceOf(period) }));
  return {
    lines: differences.flatMap(({ period, taxes }) => taxes.map((tax) => correctionLine(period, tax))),
    sums: sumsOfTaxes(addedByRate(differences.flatMap(({ taxes }) => taxes))),
    usageKwh: null,
  };
}

function differenceOf({ invoiced, recomputed }: CorrectedPeriod): RateSum[] {
  const before = invoiced.taxes.map(negatedRate);
  return addedByRate([...recomputed.taxes, ...before]).filter(
    ({ net, tax }) => !(new Exact(net).isZero() && new Exact(tax).isZero()),
  );
}

function addedByRate(sums: readonly RateSum[]): RateSum[] {
  const total = (of: readonly RateSum[], member: 'net' | 'tax') =>
    of.reduce((sum, rateSum) => sum.plus(rateSum[member]), new Exact(0)).toFixed(2);
  return [...Map.groupBy(sums, ({ rate }) => new Exact(rate).toFixed())].map(([rate, ofRate]) => {
    return { rate, net: total(ofRate, 'net'), tax: total(ofRate, 'tax') };
  });
}

function correctionLine(period: CorrectedPeriod, { rate, net }: RateSum): InvoiceLine {
  const { from, until, invoiceNumber, invoiced, recomputed } = period;
  const netAt = ({ taxes }: Pick<InvoiceSums, 'taxes'>) =>
    taxes.find((tax) => new Exact(tax.rate).equals(rate))?.net ?? '0';
  return {
    ...{ kind: 'correction', from, until, band: null, quantity: null, unit: null, unitPrice: null },
    ...{ net, vatRate: rate },
    figures: [
      counted('invoiced', netAt(invoiced), 'EUR net', `invoice ${invoiceNumber}`),
      counted('recomputed', netAt(recomputed), 'EUR net', 'usage'),
    ],
  };
}

function negatedRate({ rate, net, tax }: RateSum): RateSum {
  return { rate, net: negated(net), tax: negated(tax) };
}

/** Zero has no sign. */
function negated(value: string): string {
  return new Exact(value).negated().plus(0).toFixed(2);
}
