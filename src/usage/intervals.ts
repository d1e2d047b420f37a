import { DateTime } from 'luxon';
import { addDays, addMonths, berlinMilliseconds, type CalendarDay } from '../platform/berlin-calendar.ts';
import type { Period } from './period.ts';
import type { Resolution, Usage } from './schema.ts';

export const QUARTER_HOUR_MILLISECONDS = 15 * 60_000;

const DAYS_OF_WEEK = 7;

/** Energy of a quarter hour, or of a day, in the direction of the contract. */
export interface Value {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly kwh: number;
  readonly isFinal: boolean;
}

/**
 * Where the intervals of a period begin, in milliseconds since 1970, ascending. Days, weeks (from Monday) and months are
 * those of Berlin, cut at both ends of the period; its midnights lie on full hours of UTC, so hours and quarter hours
 * need no calendar.
 */
export function intervalStarts({ resolution, first, end }: Period): number[] {
  const from = berlinMilliseconds(first);
  const until = berlinMilliseconds(end);
  const starts = [from];
  if (resolution === '15min' || resolution === 'hour') {
    const step = QUARTER_HOUR_MILLISECONDS * (resolution === 'hour' ? 4 : 1);
    for (let start = from + step; start < until; start += step) starts.push(start);
    return starts;
  }
  for (let day = nextOf(resolution, first); ; day = nextOf(resolution, day)) {
    const start = berlinMilliseconds(day);
    if (start >= until) return starts;
    starts.push(start);
  }
}

function nextOf(resolution: Exclude<Resolution, '15min' | 'hour'>, day: CalendarDay): CalendarDay {
  if (resolution === 'day') return addDays(day, 1);
  if (resolution === 'month') return addMonths(firstOfMonth(day), 1);
  const { weekday } = DateTime.fromISO(day, { zone: 'utc' });
  return addDays(day, DAYS_OF_WEEK + 1 - weekday);
}

export function firstOfMonth(day: CalendarDay): CalendarDay {
  return `${day.slice(0, -2)}01`;
}

/**
 * The values of each interval as one: `final` when all of them are and the interval is over. Intervals without a value are
 * left out. Rounded to 4 decimals after the sum.
 */
export function sumsOf(
  values: readonly Value[],
  starts: readonly number[],
  { until, nowMilliseconds }: { until: number; nowMilliseconds: number },
): Usage['data'] {
  const data: Usage['data'] = [];
  let at = 0;
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    let sum = 0;
    let isFinal = Math.min(end, until) <= nowMilliseconds;
    const before = at;
    for (let value = values[at]; value !== undefined && value.start < end; value = values[++at]) {
      sum += value.kwh;
      isFinal &&= value.isFinal;
    }
    if (at > before) {
      data.push({ start: startText(start), usage: rounded(sum), type: isFinal ? 'final' : 'preliminary' });
    }
  }
  return data;
}

function rounded(kwh: number): number {
  return Math.round(kwh * 10_000) / 10_000;
}

/** Whole seconds: `2026-10-05T08:30:00Z`. */
function startText(startMilliseconds: number): string {
  return `${new Date(startMilliseconds).toISOString().slice(0, 19)}Z`;
}
