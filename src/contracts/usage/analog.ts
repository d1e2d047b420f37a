import type { Decimal } from 'decimal.js';
import { type CalendarDay, earlier, later } from '../../platform/time/berlin-calendar.ts';
import type { ShareOf } from '../../tariffs/expected-usage/service.ts';
import { Energy } from './energy.ts';

/** What a reading says: the meter stood there when the day began. */
export interface Reading {
  readonly read_on: CalendarDay;
  /** kWh as decimal text. */
  readonly value: string;
  readonly type: StoredReading['type'];
  readonly isEstimate: boolean;
}

interface StoredReading {
  readonly read_on: CalendarDay;
  readonly value: string;
  readonly type: 'customer_report' | 'grid_reading' | 'grid_estimation';
  readonly created_at: string;
}

/**
 * One reading a day, ascending: a real one before an estimate, the newest of several estimates. An estimate above a later
 * real reading, or below an earlier one, was wrong and counts no more.
 */
export function readingsThatCount(readings: readonly StoredReading[]): Reading[] {
  const ofDay = new Map<CalendarDay, StoredReading>();
  for (const reading of readings) {
    const other = ofDay.get(reading.read_on);
    if (other === undefined || isBetter(reading, other)) ofDay.set(reading.read_on, reading);
  }
  const byDay = [...ofDay.values()].sort((a, b) => (a.read_on < b.read_on ? -1 : 1));
  const ascending = byDay.map(({ read_on, value, type }) => ({
    ...{ read_on, value, type },
    isEstimate: type === 'grid_estimation',
  }));
  const fitting = withoutThose(ascending, (estimate, real) => estimate.lt(real));
  return withoutThose(fitting.reverse(), (estimate, real) => estimate.gt(real)).reverse();
}

function isBetter(left: StoredReading, right: StoredReading): boolean {
  const isEstimate = left.type === 'grid_estimation';
  if (isEstimate !== (right.type === 'grid_estimation')) return !isEstimate;
  return left.created_at > right.created_at;
}

/** Leaves out estimates that the last real reading before them, in the order given, contradicts. */
function withoutThose(
  readings: readonly Reading[],
  contradicts: (estimate: Decimal, real: string) => boolean,
) {
  let real: string | undefined;
  return readings.filter(({ value, isEstimate }) => {
    if (isEstimate) return real === undefined || !contradicts(new Energy(value), real);
    real = value;
    return true;
  });
}

/** Days whose energy follows from one rule. */
export interface ReadingStretch {
  readonly from: CalendarDay;
  /** Exclusive. */
  readonly until: CalendarDay;
  /** Usage of its days together; null: what the contract is estimated to use in a year holds. */
  readonly kwh: Decimal | null;
  readonly isFinal: boolean;
}

interface CountedDays {
  /** Of one register, as `readingsThatCount` gives them. */
  readings: readonly Omit<Reading, 'type'>[];
  /** Days that are asked for, supplied, and counted by this register; the second one exclusive. */
  first: CalendarDay;
  end: CalendarDay;
  /** Start of supply by this register: before its first reading the estimate holds from here. */
  suppliedFrom: CalendarDay;
  /** Estimates end here: a month has its estimate when it is over. */
  estimatedUntil: CalendarDay;
}

/**
 * Between two readings their difference, final when none of them is an estimate. From the start of supply to the first
 * reading, and from the latest one on, the estimate of the contract. Stretches may reach over the days that are asked for.
 */
export function stretchesOf({
  readings,
  first,
  end,
  suppliedFrom,
  estimatedUntil,
}: CountedDays): ReadingStretch[] {
  const stretches: ReadingStretch[] = [];
  const add = (stretch: ReadingStretch) => {
    if (stretch.from < stretch.until && stretch.from < end && stretch.until > first) stretches.push(stretch);
  };
  const estimate = (from: CalendarDay, until: CalendarDay) =>
    add({ from, until: earlier(until, estimatedUntil), kwh: null, isFinal: false });
  const begin = readings.at(0)?.read_on;
  if (begin !== undefined) estimate(suppliedFrom, begin);
  for (const [index, reading] of readings.entries()) {
    const next = readings[index + 1];
    if (next === undefined) break;
    const used = new Energy(next.value).minus(reading.value);
    /* A meter that counts from anew without an exchange: nobody knows what lies between. */
    if (used.isNegative()) continue;
    const isFinal = !reading.isEstimate && !next.isEstimate;
    add({ from: reading.read_on, until: next.read_on, kwh: used, isFinal });
  }
  estimate(later(readings.at(-1)?.read_on ?? suppliedFrom, suppliedFrom), end);
  return stretches;
}

/** What a stretch used on some of its days, spread by a load profile. */
export function kwhOf(
  { from, until, kwh }: ReadingStretch,
  days: { from: CalendarDay; until: CalendarDay },
  estimatedUsage: string,
  shareOf: ShareOf,
): Decimal {
  const share = shareOf(days.from, days.until);
  if (kwh === null) return new Energy(estimatedUsage).times(share);
  return kwh.times(share).dividedBy(shareOf(from, until));
}
