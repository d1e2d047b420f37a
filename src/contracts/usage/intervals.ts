import type { Decimal } from 'decimal.js';
import {
  berlinDayOf,
  berlinDays,
  berlinMilliseconds,
  type CalendarDay,
  weekdayOf,
} from '../../platform/time/berlin-calendar.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { Energy, shownKwh } from './energy.ts';
import type { Period } from './period.ts';
import type { Resolution, Usage } from './schema.ts';

export const QUARTER_HOUR_MILLISECONDS = 15 * 60_000;

/** Instants in milliseconds since 1970, the second one exclusive. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The days of supply as a span; null before it is confirmed. */
export function supplyOf({ start_at, end_at }: Pick<SubscriptionRow, 'start_at' | 'end_at'>): Span | null {
  if (start_at === null) return null;
  const from = berlinMilliseconds(berlinDayOf(start_at));
  const until = end_at === null ? Number.POSITIVE_INFINITY : berlinMilliseconds(berlinDayOf(end_at));
  return { from, until };
}

/** The same by its days, the second one exclusive and null while no end is known. */
export function supplyDays({ start_at, end_at }: Pick<SubscriptionRow, 'start_at' | 'end_at'>): {
  first: CalendarDay;
  end: CalendarDay | null;
} | null {
  if (start_at === null) return null;
  return { first: berlinDayOf(start_at), end: end_at === null ? null : berlinDayOf(end_at) };
}

/** Resolutions whose intervals need no calendar: the midnights of Berlin lie on full hours of UTC. */
export const STEP_MILLISECONDS: Readonly<Partial<Record<Resolution, number>>> = {
  '15min': QUARTER_HOUR_MILLISECONDS,
  hour: 4 * QUARTER_HOUR_MILLISECONDS,
};

const MONDAY = 1;

/** Where an interval begins. */
interface IntervalStart {
  readonly day: CalendarDay;
  /** Milliseconds since 1970. */
  readonly begins: number;
}

/**
 * Where the intervals of a period begin, ascending. Days, weeks (from Monday) and months are those of Berlin, cut at both
 * ends of the period.
 */
export function intervalBegins({ resolution, first, end }: Period): IntervalStart[] {
  const days = berlinDays(first, end);
  const step = STEP_MILLISECONDS[resolution];
  if (step === undefined) {
    return days.filter(({ day }, index) => index === 0 || resolution === 'day' || begins(resolution, day));
  }
  const until = berlinMilliseconds(end);
  return days.flatMap(({ day, begins: from }, index) => {
    const count = ((days[index + 1]?.begins ?? until) - from) / step;
    return Array.from({ length: count }, (_, part) => ({ day, begins: from + part * step }));
  });
}

function begins(resolution: Resolution, day: CalendarDay): boolean {
  return resolution === 'month' ? day.endsWith('-01') : weekdayOf(day) === MONDAY;
}

/**
 * Adds up energy by the intervals of a period. An interval is `final` when all that was added is, nothing of it is open, and
 * when it is over; intervals to which nothing was added are left out. Rounded after the sum.
 */
export class IntervalSums {
  readonly begins: readonly IntervalStart[];
  readonly #starts: readonly number[];
  readonly #sums: (Decimal | undefined)[];
  readonly #areFinal: boolean[];

  constructor(period: Period) {
    this.begins = intervalBegins(period);
    this.#starts = this.begins.map((interval) => interval.begins);
    this.#sums = this.begins.map(() => undefined);
    this.#areFinal = this.begins.map(() => true);
  }

  /** To the interval in which an instant lies, given in milliseconds since 1970. */
  add(milliseconds: number, kwh: Decimal.Value, isFinal: boolean): void {
    const index = this.#indexOf(milliseconds);
    const sum = this.#sums[index];
    this.#sums[index] = sum === undefined ? new Energy(kwh) : sum.plus(kwh);
    if (!isFinal) this.#areFinal[index] = false;
  }

  /** Nobody knows yet what was used in this span, given in milliseconds. */
  leaveOpen({ from, until }: Span): void {
    if (from < until) this.#areFinal.fill(false, this.#indexOf(from), this.#indexOf(until - 1) + 1);
  }

  /** By halves: there are up to 35,000 intervals. */
  #indexOf(milliseconds: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= milliseconds) low = middle;
      else high = middle;
    }
    return low;
  }

  /** `until`: where the period, or supply, ends. */
  data({ until, nowMilliseconds }: { until: number; nowMilliseconds: number }): Usage['data'] {
    const data: Usage['data'] = [];
    for (const [index, start] of this.#starts.entries()) {
      const sum = this.#sums[index];
      if (sum === undefined) continue;
      const end = Math.min(this.#starts[index + 1] ?? until, until);
      const isFinal = this.#areFinal[index] === true && end <= nowMilliseconds;
      const type = isFinal ? 'final' : 'preliminary';
      data.push({ start: startText(start), usage: shownKwh(sum), type });
    }
    return data;
  }
}

/** Whole seconds: `2026-10-05T08:30:00Z`. */
function startText(startMilliseconds: number): string {
  return `${new Date(startMilliseconds).toISOString().slice(0, 19)}Z`;
}
