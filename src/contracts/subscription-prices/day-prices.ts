import type { Decimal } from 'decimal.js';
import { Exact, roundUnitPrice, withVat } from '../../platform/money.ts';
import { type CurvePoint, type Period, startText } from '../../spot-prices/service.ts';

/*
 * What a subscriber pays or receives per kWh, interval by interval of one day. Pure: it reads no clock and no database,
 * and a caller hands in the market's curve and the terms of the day.
 */

/** A price of the grid, ct/kWh net, and the moment of the day from which it holds; null where no reference row counts. */
export interface GridRun {
  /** Milliseconds since the beginning of the day, as they pass: on the days on which clocks change not what clocks show. */
  readonly from: number;
  readonly cents: string | null;
}

/** What a consumption plan puts onto the market price; ct/kWh net, as decimal texts. */
export interface ConsumptionDay {
  readonly product: 'consumption';
  /** The margin for procurement; null where the plan has no terms. */
  readonly marginCents: string | null;
  /** Working prices of the grid, ascending; the first one holds from the beginning of the day. */
  readonly gridRuns: readonly GridRun[];
  /** Sum of Konzessionsabgabe, Stromsteuer and the three levies; null where a reference row is missing. */
  readonly leviesCents: string | null;
}

/** The compensation of a feed-in plan, which no market price of the interval changes. */
export interface FeedInDay {
  readonly product: 'feed_in';
  /** By the plan's kind, ct/kWh net; null where a reference row is missing. */
  readonly compensationCents: string | null;
  /** No VAT is paid on top. */
  readonly isTaxExempt: boolean;
}

/** What holds through one day of Berlin. Plain data: its JSON text names it. */
export interface DayTerms {
  readonly plan: ConsumptionDay | FeedInDay;
  /** `0.19`; null where no reference row counts. */
  readonly vatRate: string | null;
}

/** Milliseconds since 1970; `to` is exclusive, and null while supply has no end. */
export interface SupplySpan {
  readonly from: number;
  readonly to: number | null;
}

export interface PriceComponent {
  readonly type: 'electricity' | 'grid' | 'levies';
  /** ct/kWh with at most 6 decimals, as it is written; null without a published price or a reference row. */
  readonly amount: string | null;
}

export interface PriceItem {
  readonly timestamp: string;
  /** The exact sum of the components; null when one of them is. */
  readonly amount: string | null;
  readonly components: readonly PriceComponent[];
}

type PriceInterval = (point: CurvePoint) => PriceItem;

/**
 * The items of a day, of which the curve has every interval; those outside supply are left out. An interval belongs to the
 * supply in which it begins.
 */
export function pricesOfDay(
  curve: readonly CurvePoint[],
  resolution: Period['resolution'],
  terms: DayTerms,
  supply: SupplySpan,
): PriceItem[] {
  const { plan, vatRate } = terms;
  const gridAt = (run: ConsumptionDay['gridRuns'], start: number) =>
    gridCentsOf(run, start - (curve[0]?.start ?? 0), resolution);
  const price =
    plan.product === 'feed_in' ? feedInPrices(plan, vatRate) : consumptionPrices(plan, vatRate, gridAt);
  return curve
    .filter(({ start }) => start >= supply.from && (supply.to === null || start < supply.to))
    .map(price);
}

function feedInPrices({ compensationCents, isTaxExempt }: FeedInDay, vatRate: string | null): PriceInterval {
  const rate = isTaxExempt ? '0' : vatRate;
  const amount = shown(taxed(compensationCents, rate));
  const components = [{ type: 'electricity' as const, amount }];
  return ({ start }) => ({ timestamp: startText(start), amount, components });
}

function consumptionPrices(
  { marginCents, gridRuns, leviesCents }: ConsumptionDay,
  vatRate: string | null,
  gridAt: (runs: ConsumptionDay['gridRuns'], start: number) => string | null,
): PriceInterval {
  const levies = taxed(leviesCents, vatRate);
  const electricityOf = electricityPrices(marginCents, vatRate);
  /*
   * Taxed once for each price of the day: with all of the arithmetic done for each of its 35,136 intervals, a year took
   * 0.75 s, and takes 0.11 s so.
   */
  const taxedGrid = new Map<string | null, Decimal | null>();
  const gridOf = (net: string | null) => {
    if (!taxedGrid.has(net)) taxedGrid.set(net, taxed(net, vatRate));
    return taxedGrid.get(net) ?? null;
  };
  return ({ start, eurMwh }) => {
    const electricity = eurMwh === null ? null : electricityOf(eurMwh);
    const grid = gridOf(gridAt(gridRuns, start));
    const amount =
      electricity === null || grid === null || levies === null ? null : electricity.plus(grid).plus(levies);
    return {
      timestamp: startText(start),
      amount: shown(amount),
      components: [
        { type: 'electricity', amount: shown(electricity) },
        { type: 'grid', amount: shown(grid) },
        { type: 'levies', amount: shown(levies) },
      ],
    };
  };
}

/** (EUR/MWh / 10 + margin) × V, rounded once, with what is the same through the day multiplied beforehand. */
function electricityPrices(
  marginCents: string | null,
  vatRate: string | null,
): (eurMwh: string) => Decimal | null {
  if (marginCents === null || vatRate === null) return () => null;
  const perEurMwh = withVat('0.1', vatRate);
  const margin = withVat(marginCents, vatRate);
  return (eurMwh) => roundUnitPrice(perEurMwh.times(eurMwh).plus(margin));
}

const QUARTER_HOUR_MILLISECONDS = 15 * 60_000;

/**
 * Bands of module 3 change at quarter hours (BNetzA BK8-22/010-A). In an hourly series the hour has the mean of its four
 * quarter hours.
 */
function gridCentsOf(
  runs: readonly GridRun[],
  passed: number,
  resolution: Period['resolution'],
): string | null {
  const centsAt = (moment: number) => runs.findLast(({ from }) => from <= moment)?.cents ?? null;
  if (resolution === '15min' || runs.length === 1) return centsAt(passed);
  const quarters = [0, 1, 2, 3].map((index) => centsAt(passed + index * QUARTER_HOUR_MILLISECONDS));
  let sum = new Exact(0);
  for (const cents of quarters) {
    if (cents === null) return null;
    sum = sum.plus(cents);
  }
  return sum.dividedBy(quarters.length).toFixed();
}

function taxed(net: string | null, vatRate: string | null): Decimal | null {
  return net === null || vatRate === null ? null : roundUnitPrice(withVat(net, vatRate));
}

/** Without exponent and trailing zeros. */
function shown(amount: Decimal | null): string | null {
  return amount === null ? null : amount.toFixed();
}
