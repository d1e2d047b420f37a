import { Decimal } from 'decimal.js';
import { addDays, type DayGrid, type DeliveryDay, daysBetween, gridOf, startsOf } from '../calendar.ts';
import type { StartAmounts } from '../queries.ts';

/**
 * A feed that delivers an unpublished future as 0.0 looks like a day of free power. Measured on 2,427 days: runs of exact
 * zeros of up to 8 hours inside a day, never more than one hour at its end.
 */
const ZERO_TAIL_MINUTES = 120;

export function looksUnpublished(grid: DayGrid, values: StartAmounts): boolean {
  if (values.size === 0) return false;
  if ([...values.values()].every(isZero)) return true;
  const tail = startsOf(grid).slice(-Math.ceil(ZERO_TAIL_MINUTES / grid.minutes));
  return tail.every((start) => isZero(values.get(start)));
}

function isZero(amount: string | undefined): boolean {
  return amount !== undefined && /^-?0*(\.0*)?$/.test(amount);
}

/*
 * One origin alone may write a whole day wrongly: another unit, another market, a decimal point that moved. Its prices
 * are then off from those of the days before by a factor, which no rule about single values can see.
 */

/** Days before the judged one, and how many of them must have all their prices for a judgement. */
export const REFERENCE_DAYS = 14;
const REFERENCE_DAYS_MIN = 7;

const FACTOR = 5;
/** EUR/MWh. Nearer prices are believed: on windy holidays a day costs a fifth of its neighbours. */
const FAR = 50;

/** How high prices are, EUR/MWh: their median, and what 95 % of them stay within, above zero or below it. */
export interface PriceScale {
  median: string;
  reach: string;
}

/** How high the served prices of the complete days before are; null where these are too few. A part of a day is no measure. */
export function referenceScale(
  served: ReadonlyMap<DeliveryDay, readonly string[]>,
  deliveryOn: DeliveryDay,
): PriceScale | null {
  const before = daysBetween(addDays(deliveryOn, -REFERENCE_DAYS), addDays(deliveryOn, -1));
  const days = before.flatMap((day) => {
    const amounts = served.get(day);
    return amounts?.length === gridOf(day).count ? [amounts] : [];
  });
  if (days.length < REFERENCE_DAYS_MIN) return null;
  return scaleOf(days.flat());
}

/** How high these prices are. */
export function scaleOf(amounts: readonly string[]): PriceScale {
  return { median: percentileText(amounts, 0.5), reach: percentileText(amounts.map(absoluteText), 0.95) };
}

const absoluteText = (amount: string) => amount.replace('-', '');

/** As `percentile`; floats tell a thousand prices apart much faster than decimals, and the text is what was stored. */
function percentileText(amounts: readonly string[], share: number): string {
  const sorted = Float64Array.from(amounts, Number).sort();
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return amounts.find((amount) => Number(amount) === value) ?? '0';
}

/**
 * Says what is wrong with a day's prices beside those of the days before, as a sentence needs it; else null. Too high is seen
 * at the median. Too low is seen at the 95th percentile of the absolute prices: wind and sun alone bring the median of a real
 * day to zero, but hardly ever the dear hours of its evening with it.
 */
export function scaleSuspicion(values: Iterable<string>, reference: PriceScale | null): string | null {
  if (reference === null) return null;
  const amounts = [...values].map((amount) => new Decimal(amount));
  if (amounts.length === 0) return null;
  const median = percentile(amounts, 0.5);
  if (isFar(median, reference.median) && median.greaterThan(new Decimal(reference.median).times(FACTOR))) {
    return `has a median of ${median.toFixed()} EUR/MWh, that of the ${REFERENCE_DAYS} days before is ${reference.median}`;
  }
  const reach = percentile(
    amounts.map((amount) => amount.abs()),
    0.95,
  );
  if (isFar(reach, reference.reach) && reach.lessThan(new Decimal(reference.reach).dividedBy(FACTOR))) {
    return (
      `has 95 % of its prices within ${reach.toFixed()} EUR/MWh of zero, ` +
      `the ${REFERENCE_DAYS} days before have them within ${reference.reach}`
    );
  }
  return null;
}

function isFar(amount: Decimal, reference: string): boolean {
  return amount.minus(reference).abs().greaterThan(FAR);
}

/** The least value at or below which that share of them lies, as PostgreSQL's percentile_disc. */
function percentile(amounts: readonly Decimal[], share: number): Decimal {
  const sorted = [...amounts].sort((a, b) => a.comparedTo(b));
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? new Decimal(0);
}
