import { Exact } from '../../platform/money.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { PlanTermsRow } from '../../tariffs/plans/queries.ts';

/* What is paid for a kWh that is fed in, ct/kWh net. Pure: rates and market value are handed in. */

/** Upper bounds of the size classes in kW (§48(2) EEG 2023); a plan names one of them. */
const CLASSES_KW = [10, 40, 100] as const;

/** §25 EEG: a plant is paid for 20 years and the rest of the year in which it was commissioned. */
const YEARS_PAID = 20;

/** Whether the years of payment are over: what remains is the market value, with direct marketing. */
export function isPaymentOver(commissionedOn: CalendarDay, day: CalendarDay): boolean {
  return new Exact(day.slice(0, 4)).minus(commissionedOn.slice(0, 4)).greaterThan(YEARS_PAID);
}

/** The rate of the class up to so many kW; null where no reference row counts. */
export type RateOfClass = (upToKw: number) => string | null;

/**
 * The rate of a plant: each part of its power has the rate of the class into which it falls, so that the plant has the
 * mean weighted by power (§23c EEG 2023). Null above the last class, where no rate is fixed.
 */
export function rateOfPlant(sizeKw: string, rateOfClass: RateOfClass): string | null {
  const size = new Exact(sizeKw);
  let sum = new Exact(0);
  let below = new Exact(0);
  for (const upToKw of CLASSES_KW) {
    const reached = Exact.min(size, upToKw);
    const rate = rateOfClass(upToKw);
    if (rate === null) return null;
    sum = sum.plus(reached.minus(below).times(rate));
    below = reached;
    if (size.lessThanOrEqualTo(upToKw)) return sum.dividedBy(size).toFixed();
  }
  return null;
}

export type FeedInTerms = Pick<
  PlanTermsRow,
  'feed_in_kind' | 'feed_in_up_to_kw' | 'feed_in_ct_net' | 'feed_in_margin_ct_net'
>;

/** Rates of the plant's commissioning period by class, and the market value. */
export interface FeedInFigures {
  /** Fixed remuneration (§21 EEG 2023): the value less 0.4 ct. */
  tariffUpTo: RateOfClass;
  /** What direct marketing is measured by (§20 EEG 2023). */
  valueUpTo: RateOfClass;
  readonly solarMarketValue: string | null;
}

/**
 * The compensation by the kind of the plan. `sizeKw` is null where the plant is not known: then the plan's class counts.
 * With direct marketing the premium fills the market value up to the value of the plant (§23a and annex 1 EEG 2023), and
 * the supplier keeps its margin. Null where no rate is known. Payment ends while prices are negative for some plants (§51);
 * that is settled on the bill and not here.
 */
export function compensationCents(
  terms: FeedInTerms,
  sizeKw: string | null,
  figures: FeedInFigures,
): string | null {
  if (terms.feed_in_kind === 'fixed') return terms.feed_in_ct_net;
  const rate = (rateOfClass: RateOfClass) =>
    sizeKw === null ? rateOfClass(terms.feed_in_up_to_kw ?? 0) : rateOfPlant(sizeKw, rateOfClass);
  if (terms.feed_in_kind === 'eeg') return rate(figures.tariffUpTo);
  const value = rate(figures.valueUpTo);
  if (value === null || figures.solarMarketValue === null) return null;
  return Exact.max(value, figures.solarMarketValue)
    .minus(terms.feed_in_margin_ct_net ?? 0)
    .toFixed();
}
