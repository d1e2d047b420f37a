import { addDays, berlinMilliseconds, type CalendarDay } from '../platform/berlin-calendar.ts';
import type { Value } from './intervals.ts';

/** What a reading says: the meter stood there when the day began. */
export interface Reading {
  readonly read_on: CalendarDay;
  readonly value: number;
}

interface ReadingOfKind extends Reading {
  readonly type: 'customer_report' | 'grid_reading' | 'grid_estimation';
  readonly created_at: string;
}

/** One reading a day, ascending: a real one before an estimate, the newest of several estimates. */
export function readingsThatCount(readings: readonly ReadingOfKind[]): Reading[] {
  const ofDay = new Map<CalendarDay, ReadingOfKind>();
  for (const reading of readings) {
    const other = ofDay.get(reading.read_on);
    if (other === undefined || isBetter(reading, other)) ofDay.set(reading.read_on, reading);
  }
  return [...ofDay.values()].sort((a, b) => (a.read_on < b.read_on ? -1 : 1));
}

function isBetter(one: ReadingOfKind, other: ReadingOfKind): boolean {
  const isEstimate = one.type === 'grid_estimation';
  if (isEstimate !== (other.type === 'grid_estimation')) return !isEstimate;
  return one.created_at > other.created_at;
}

interface AnalogUsage {
  /** As `readingsThatCount` gives them. */
  readings: readonly Reading[];
  /** kWh a year. */
  estimatedUsage: number;
  /** Days that are asked for and supplied, the second one exclusive. */
  first: CalendarDay;
  end: CalendarDay;
  /** First day of supply. */
  suppliedFrom: CalendarDay;
  /** Estimates end here: a month has its estimate when it is over. */
  estimatedUntil: CalendarDay;
  /** What a day takes of its year by the load profile of households. */
  shareOf(day: CalendarDay): number;
}

/**
 * Day by day: between two readings their difference, spread by the profile; from the latest one on, or from the start of
 * supply while there is none, the estimate of the contract. Before the first reading nothing is known.
 */
export function analogValues(usage: AnalogUsage): Value[] {
  const { readings, shareOf } = usage;
  const values: Value[] = [];
  for (const [index, reading] of readings.entries()) {
    const next = readings[index + 1];
    if (next === undefined) break;
    const used = next.value - reading.value;
    /* A meter that counts from anew: nobody knows what lies between. */
    if (used < 0) continue;
    const total = sumOfShares(reading.read_on, next.read_on, shareOf);
    const kwhOf = (day: CalendarDay) => (used * shareOf(day)) / total;
    values.push(...daily(reading.read_on, next.read_on, usage, kwhOf, true));
  }
  const estimatedFrom = readings.at(-1)?.read_on ?? usage.suppliedFrom;
  const estimate = (day: CalendarDay) => usage.estimatedUsage * shareOf(day);
  return [...values, ...daily(estimatedFrom, usage.estimatedUntil, usage, estimate, false)];
}

function daily(
  from: CalendarDay,
  until: CalendarDay,
  { first, end }: Pick<AnalogUsage, 'first' | 'end'>,
  kwhOf: (day: CalendarDay) => number,
  isFinal: boolean,
): Value[] {
  const values: Value[] = [];
  const last = until < end ? until : end;
  for (let day = from > first ? from : first; day < last; day = addDays(day, 1)) {
    values.push({ start: berlinMilliseconds(day), kwh: kwhOf(day), isFinal });
  }
  return values;
}

export function sumOfShares(
  from: CalendarDay,
  until: CalendarDay,
  shareOf: (day: CalendarDay) => number,
): number {
  let sum = 0;
  for (let day = from; day < until; day = addDays(day, 1)) sum += shareOf(day);
  return sum;
}
