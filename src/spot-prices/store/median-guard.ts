import { Decimal } from 'decimal.js';
import type { StartAmounts } from '../queries.ts';

/*
 * One origin alone may write a whole day wrongly: another unit, another market, a decimal point that moved. Its prices
 * are then off from those of the days before by a factor, which no rule about single values can see.
 */

/** Days before the judged one, and how many of them must have prices for a judgement. */
export const REFERENCE_DAYS = 14;
export const REFERENCE_DAYS_MIN = 7;

const FACTOR = 5;
/** EUR/MWh. On windy holidays a day costs a fifth of its neighbours; so near to them it is believed. */
const FAR = 50;

/** The median of a day's prices as a sentence needs it, where it is too far from that of the days before; else null. */
export function misplacedMedian(values: StartAmounts, reference: string | null): string | null {
  if (reference === null || values.size === 0) return null;
  const sorted = [...values.values()].map((amount) => new Decimal(amount)).sort((a, b) => a.comparedTo(b));
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? new Decimal(0);
  if (median.minus(reference).abs().lessThanOrEqualTo(FAR)) return null;
  const isOff =
    median.greaterThan(new Decimal(reference).times(FACTOR)) ||
    median.lessThan(new Decimal(reference).dividedBy(FACTOR));
  return isOff ? median.toFixed() : null;
}
