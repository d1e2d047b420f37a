import { Exact, roundHalfUp } from '../../platform/money.ts';
import { addMonths, berlinMilliseconds, type CalendarDay } from '../../platform/time/berlin-calendar.ts';

/*
 * The mean day-ahead price that quotes and savings calculate with. Each quarter hour of the twelve months before the
 * price date counts once, hourly prices of the time before 2025-10-01 for their four quarter hours. Negative prices
 * count as they are. Quarter hours without a price are left out; forecasts are no prices.
 */

const MONTHS = 12;
const QUARTER_HOUR_MILLISECONDS = 900_000;
/** EUR/MWh are ct/kWh ten times over. */
const EUR_MWH_OF_CENT = 10;
const DECIMALS = 4;
/** So much of the window needs a price: below it the published mean of a calendar year says more. */
const COVERAGE_PERCENT_MIN = 90;

/** From midnight to midnight in Berlin: 365 or 366 days, which are not 24 hours long each. */
export interface MeanWindow {
  readonly priceDate: CalendarDay;
  readonly first: CalendarDay;
  /** Exclusive: the price date itself. */
  readonly end: CalendarDay;
  readonly quarterHours: number;
}

/** The same date one year before; of 29 February it is 28 February. */
export function windowOf(priceDate: CalendarDay): MeanWindow {
  const first = addMonths(priceDate, -MONTHS);
  return { priceDate, first, end: priceDate, quarterHours: quarterHoursOf(first, priceDate) };
}

/** The quarter hours from one day to another, the second one exclusive: 92 and 100 on the days of the clock changes. */
export function quarterHoursOf(first: CalendarDay, end: CalendarDay): number {
  return (berlinMilliseconds(end) - berlinMilliseconds(first)) / QUARTER_HOUR_MILLISECONDS;
}

/** What the prices of some quarter hours add up to. */
export interface PricedHours {
  readonly quarter_hours: number;
  /** EUR/MWh, decimal text. */
  readonly amount_sum: string;
}

export interface PricedMean {
  readonly pricedQuarterHours: number;
  /** ct/kWh, rounded to 4 decimals; null without a price. */
  readonly mean: string | null;
}

export function meanOf(parts: readonly PricedHours[]): PricedMean {
  const pricedQuarterHours = parts.reduce((sum, part) => sum + part.quarter_hours, 0);
  if (pricedQuarterHours === 0) return { pricedQuarterHours, mean: null };
  const sum = parts.reduce((total, part) => total.plus(part.amount_sum), new Exact(0));
  const cents = sum.dividedBy(pricedQuarterHours).dividedBy(EUR_MWH_OF_CENT);
  return { pricedQuarterHours, mean: roundHalfUp(cents, DECIMALS).toFixed(DECIMALS) };
}

/** Whether enough of the window has a price. */
export function isCovered(pricedQuarterHours: number, quarterHours: number): boolean {
  return pricedQuarterHours * 100 >= quarterHours * COVERAGE_PERCENT_MIN;
}

/** In per cent, cut to two decimals: what is not enough must not look like 90. */
export function coveragePercent(pricedQuarterHours: number, quarterHours: number): string {
  return (Math.floor((pricedQuarterHours * 10_000) / quarterHours) / 100).toFixed(2);
}
