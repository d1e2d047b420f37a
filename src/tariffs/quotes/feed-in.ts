import type { Decimal } from 'decimal.js';
import { Exact, euros, roundUnitPrice, withVat } from '../../platform/money.ts';
import type { Figure } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import type { QuoteRow } from './rows.ts';

interface EegClass {
  readonly scope: 'partial' | 'full';
  readonly upToKw: number;
}

/** How a plan pays for what is fed in; ct/kWh net. */
export type Compensation =
  | ({ readonly kind: 'eeg' } & EegClass)
  | ({ readonly kind: 'direct'; readonly margin_ct_net: string } & EegClass)
  | { readonly kind: 'fixed'; readonly ct_net: string };

/** All that the price of a feed-in plan depends on. A plant is taken to begin on the day of the price. */
export interface FeedInPricing {
  readonly base_fee_net: string;
  readonly compensation: Compensation;
  /** Whether the customer is a small business (§19 UStG), whose credits are without VAT. */
  readonly isTaxExempt: boolean;
  readonly reference: ReferenceSet;
}

const NAMES = {
  eeg: 'EEG-Einspeisevergütung',
  direct: 'Direktvermarktung',
  fixed: 'Einspeisevergütung',
} as const;

/** A payment to the customer is positive. The fee of the plan is negative and always with VAT. */
export function feedInRows(pricing: FeedInPricing): readonly QuoteRow[] {
  const { compensation, isTaxExempt, reference } = pricing;
  const { vatRate } = reference;
  const { ct, figures } = compensationOf(pricing);
  return [
    ...baseFeeRows(pricing),
    {
      ...{ group: 'variable', subgroup: 'energy', name: NAMES[compensation.kind] },
      amount: roundUnitPrice(euros(isTaxExempt ? ct : withVat(ct, vatRate.value))),
      figures: isTaxExempt ? figures : [...figures, vatRate],
    },
  ];
}

function baseFeeRows({ base_fee_net, reference: { vatRate } }: FeedInPricing): QuoteRow[] {
  if (new Exact(base_fee_net).isZero()) return [];
  const amount = roundUnitPrice(withVat(base_fee_net, vatRate.value).negated());
  return [{ group: 'base', subgroup: 'fee', name: 'Grundgebühr', amount, figures: [vatRate] }];
}

function compensationOf({ compensation, reference }: FeedInPricing): {
  ct: Decimal;
  figures: readonly Figure[];
} {
  if (compensation.kind === 'fixed') return { ct: new Exact(compensation.ct_net), figures: [] };
  const { value, tariff } = reference.eegRate(compensation.scope, compensation.upToKw);
  /* §53 EEG: the tariff is the value less 0.4 ct. */
  if (compensation.kind === 'eeg') return { ct: new Exact(tariff.value), figures: [tariff] };
  /* §20 EEG: what the market pays, and a premium up to the value where the market pays less. */
  const market = reference.solarMarketValue();
  const paid = Exact.max(value.value, market.value);
  return { ct: paid.minus(compensation.margin_ct_net), figures: [value, market] };
}
