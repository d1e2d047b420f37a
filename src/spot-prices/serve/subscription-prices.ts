import type { Decimal } from 'decimal.js';
import { Exact, roundUnitPrice, withVat } from '../../platform/money.ts';
import { centsPerKilowattHour } from '../amounts.ts';
import { startText } from '../calendar.ts';

/*
 * What a subscriber pays or receives per kWh, interval by interval. Pure: it reads no clock and no database, and a
 * caller hands in the market's curve and the terms as they hold in each interval.
 */

/** One interval of the market, in the resolution of the answer. */
export interface MarketInterval {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** EUR/MWh; null where no price is published. */
  readonly eurMwh: string | null;
}

/** What a consumption plan puts onto the market price; ct/kWh net, as decimal texts. */
export interface ConsumptionTerms {
  readonly product: 'consumption';
  /** The margin for procurement. */
  readonly marginCents: string;
  /** Working price of the grid: with module 2 the reduced one, with module 3 that of the interval's band. */
  gridCentsAt(start: number): string;
  /** Sum of Konzessionsabgabe, Stromsteuer and the three levies that hold in the interval. */
  leviesCentsAt(start: number): string;
}

/** What a feed-in plan pays: a fixed compensation, which no market price changes. */
export interface FeedInTerms {
  readonly product: 'feed_in';
  /** Compensation by the plan's kind, ct/kWh net. */
  compensationCentsAt(start: number): string;
  /** No VAT is paid on top. */
  readonly isTaxExempt: boolean;
}

export interface PriceTerms {
  readonly plan: ConsumptionTerms | FeedInTerms;
  /** `0.19`, as it holds in the interval. */
  vatRateAt(start: number): string;
}

/** Milliseconds since 1970; `to` is exclusive, and null while supply has no end. */
export interface SupplySpan {
  readonly from: number;
  readonly to: number | null;
}

export interface PriceComponent {
  readonly type: 'electricity' | 'grid' | 'levies';
  /** ct/kWh with at most 6 decimals, as it is written; null without a published price. */
  readonly amount: string | null;
}

export interface PriceItem {
  readonly timestamp: string;
  /** The exact sum of the components; null when one of them is. */
  readonly amount: string | null;
  readonly components: readonly PriceComponent[];
}

/**
 * The items of a period; intervals outside supply are left out. Null when supply covers none of the intervals. An interval
 * belongs to the supply in which it begins.
 */
export function subscriptionPrices(
  curve: readonly MarketInterval[],
  terms: PriceTerms,
  supply: SupplySpan,
): PriceItem[] | null {
  const covered = curve.filter(
    ({ start }) => start >= supply.from && (supply.to === null || start < supply.to),
  );
  if (covered.length === 0) return null;
  return covered.map((interval) => itemOf(interval, terms));
}

function itemOf(interval: MarketInterval, terms: PriceTerms): PriceItem {
  const components = componentsOf(interval, terms);
  return {
    timestamp: startText(interval.start),
    amount: sumOf(components.map(({ amount }) => amount)),
    components,
  };
}

function componentsOf({ start, eurMwh }: MarketInterval, { plan, vatRateAt }: PriceTerms): PriceComponent[] {
  const withTax = (cents: Decimal.Value) => shown(withVat(cents, vatRateAt(start)));
  if (plan.product === 'feed_in') {
    const compensation = plan.compensationCentsAt(start);
    const amount = plan.isTaxExempt ? shown(compensation) : withTax(compensation);
    return [{ type: 'electricity', amount }];
  }
  const energy = eurMwh === null ? null : new Exact(centsPerKilowattHour(eurMwh)).plus(plan.marginCents);
  return [
    { type: 'electricity', amount: energy === null ? null : withTax(energy) },
    { type: 'grid', amount: withTax(plan.gridCentsAt(start)) },
    { type: 'levies', amount: withTax(plan.leviesCentsAt(start)) },
  ];
}

/** Without exponent and trailing zeros. */
function shown(amount: Decimal.Value): string {
  return roundUnitPrice(amount).toFixed();
}

function sumOf(amounts: readonly (string | null)[]): string | null {
  let sum = new Exact(0);
  for (const amount of amounts) {
    if (amount === null) return null;
    sum = sum.plus(amount);
  }
  return shown(sum);
}
