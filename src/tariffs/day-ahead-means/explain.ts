import type { Connection } from '../../platform/database/db.ts';
import {
  addDays,
  addMonths,
  berlinMidnightText,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import type { DaySum } from '../../spot-prices/store/day-sums.ts';
import { daySums } from '../../spot-prices/store/day-sums.ts';
import type { Figure } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { computedMean } from './current.ts';
import { figureOf, isNoMarketMean } from './figure.ts';
import { coveragePercent, type MeanWindow, meanOf, quarterHoursOf, windowOf } from './mean.ts';
import { findMean, type PriceKind } from './queries.ts';

/** A span without all its prices. */
interface MissingDay {
  readonly delivery_on: CalendarDay;
  readonly missing_quarter_hours: number;
}

interface MonthOfMean {
  /** `2025-11`; the first and the last one are parts of a month. */
  readonly month: string;
  readonly quarter_hours: number;
  readonly missing: number;
  readonly mean_ct_net: string | null;
}

export interface ExplainedMean {
  readonly price_date: CalendarDay;
  /** Instants in local time; the second one exclusive. */
  readonly window: { readonly from: string; readonly until: string };
  readonly quarter_hours: number;
  readonly priced_quarter_hours: number;
  readonly coverage_percent: string;
  /** Of all prices there are, whatever the coverage. */
  readonly mean_ct_net: string | null;
  readonly price_kind: PriceKind | null;
  /** Invented prices, or those of a test. */
  readonly is_no_market_mean: boolean;
  /** Days with hourly prices, and with prices of quarter hours. */
  readonly hourly_days: number;
  readonly quarter_hour_days: number;
  readonly sources: readonly { readonly source: string; readonly days: number }[];
  readonly months: readonly MonthOfMean[];
  readonly missing_days: readonly MissingDay[];
  /** What quotes of that day calculate with; null: nothing is there, and they fail. */
  readonly figure: Figure | null;
  readonly why: string;
  /** What is kept for quotes at the moment; null: the next quote computes it. */
  readonly kept: {
    readonly mean_ct_net: string | null;
    readonly computed_at: string;
    /** Whether it was made of the prices that are served now. */
    readonly is_current: boolean;
  } | null;
}

/** The parts of the mean of a price date, computed anew from the stored prices; nothing is written. */
export async function explainDayAheadMean(
  connection: Connection,
  priceDate: CalendarDay,
  reference: Pick<ReferenceSet, 'publishedDayAheadMean'>,
): Promise<ExplainedMean> {
  const window = windowOf(priceDate);
  const sums = await daySums(connection, window.first, window.end, { keep: false });
  const mean = await computedMean(connection, window, sums);
  const kept = await findMean(connection, priceDate);
  const own = figureOf(mean);
  const figure = own ?? reference.publishedDayAheadMean();
  const coverage_percent = coveragePercent(mean.priced_quarter_hours, mean.quarter_hours);
  return {
    price_date: priceDate,
    window: { from: berlinMidnightText(window.first), until: berlinMidnightText(window.end) },
    quarter_hours: mean.quarter_hours,
    priced_quarter_hours: mean.priced_quarter_hours,
    coverage_percent,
    mean_ct_net: mean.mean_ct_net,
    price_kind: mean.price_kind,
    is_no_market_mean: isNoMarketMean(mean),
    hourly_days: sums.filter(({ minutes }) => minutes === 60).length,
    quarter_hour_days: sums.filter(({ minutes }) => minutes === 15).length,
    sources: sourcesOf(sums),
    months: monthsOf(window, sums),
    missing_days: missingDaysOf(window, sums),
    figure: figure ?? null,
    why: whyOf(own, figure, coverage_percent),
    kept:
      kept === undefined
        ? null
        : {
            mean_ct_net: kept.mean_ct_net,
            computed_at: kept.computed_at,
            is_current: kept.price_changes === mean.price_changes,
          },
  };
}

function whyOf(own: Figure | undefined, figure: Figure | undefined, coverage: string): string {
  const rule = `${coverage} % of the quarter hours have a price, 90 % are needed`;
  if (own !== undefined) return rule;
  const row = 'the row day_ahead_mean of market_values';
  if (figure === undefined) return `${rule}, and ${row} is missing for that day: quotes fail`;
  return `${rule}: ${row} counts${figure.origin.is_carried_forward ? ', carried forward' : ''}`;
}

function sourcesOf(sums: readonly DaySum[]): ExplainedMean['sources'] {
  const priced = sums.filter(({ quarter_hours }) => quarter_hours > 0);
  const bySource = Map.groupBy(priced, ({ served_source }) => served_source ?? '');
  return [...bySource]
    .map(([source, days]) => ({ source, days: days.length }))
    .sort((a, b) => b.days - a.days);
}

function monthsOf({ first, end }: MeanWindow, sums: readonly DaySum[]): MonthOfMean[] {
  const ofMonth = Map.groupBy(sums, ({ delivery_on }) => delivery_on.slice(0, 7));
  const months: MonthOfMean[] = [];
  for (let from = first; from < end; ) {
    const month = from.slice(0, 7);
    const next = addMonths(`${month}-01`, 1);
    const until = next < end ? next : end;
    const { mean, pricedQuarterHours } = meanOf(ofMonth.get(month) ?? []);
    const quarter_hours = quarterHoursOf(from, until);
    months.push({ month, quarter_hours, missing: quarter_hours - pricedQuarterHours, mean_ct_net: mean });
    from = until;
  }
  return months;
}

function missingDaysOf({ first, end }: MeanWindow, sums: readonly DaySum[]): MissingDay[] {
  const priced = new Map(sums.map(({ delivery_on, quarter_hours }) => [delivery_on, quarter_hours]));
  const days: MissingDay[] = [];
  for (let delivery_on = first; delivery_on < end; delivery_on = addDays(delivery_on, 1)) {
    const all = quarterHoursOf(delivery_on, addDays(delivery_on, 1));
    const missing_quarter_hours = all - (priced.get(delivery_on) ?? 0);
    if (missing_quarter_hours > 0) days.push({ delivery_on, missing_quarter_hours });
  }
  return days;
}
