import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Connection } from '../../platform/database/db.ts';
import { type BerlinDay, berlinDays, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { type HeldPowerRow, listHeldPower } from '../../telemetry/snapshots/queries.ts';
import { KWH_FRACTION_DIGITS, KWH_MAX } from './energy.ts';
import { QUARTER_HOUR_MILLISECONDS, type Span } from './intervals.ts';

/** A quarter hour out of power values: both directions, as decimal texts in kWh. */
export interface MeasuredQuarterHour {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly consumption: string;
  readonly feed_in: string;
}

/** One day with the instant at which it ends. */
export type WholeDay = BerlinDay & { readonly ends: number };

const QUARTER_HOUR_SECONDS = 900;
const HOUR_SECONDS = 3_600;
/** Sums of instants in floating point are off by less than this. */
const TOLERANCE_SECONDS = 1e-3;

/** Days read in one statement: those of a household with a value every ten seconds take about half a second. */
const DAYS_AT_ONCE = 16;

/** The days of a span, each with its end. */
export function wholeDays(first: CalendarDay, end: CalendarDay, endsAt: number): WholeDay[] {
  const days = berlinDays(first, end);
  return days.map((day, index) => ({ ...day, ends: days[index + 1]?.begins ?? endsAt }));
}

/** Reads the quarter hours of some days, ascending, from the power at the household's grid connection. */
export async function measuredDays(
  connection: Connection,
  organization: string,
  household: string,
  days: readonly WholeDay[],
  options: { storedBefore?: string; mayGoOn(): void },
): Promise<Map<CalendarDay, MeasuredQuarterHour[]>> {
  const found = new Map<CalendarDay, MeasuredQuarterHour[]>();
  for (const part of consecutive(days)) {
    options.mayGoOn();
    const [from, until] = [part[0]?.begins ?? 0, part.at(-1)?.ends ?? 0];
    /* The value that held at the beginning of the first day was sent before it. */
    const span = { from: from - QUARTER_HOUR_MILLISECONDS, until };
    const rows = await listHeldPower(connection, organization, household, span, options.storedBefore);
    const quarterHours = measuredQuarterHours(rows, { from, until });
    let next = 0;
    for (const { day, ends } of part) {
      const begin = next;
      while ((quarterHours[next]?.start ?? ends) < ends) next += 1;
      found.set(day, quarterHours.slice(begin, next));
    }
  }
  return found;
}

/** Days that follow one another, in parts that one statement can read. */
function consecutive(days: readonly WholeDay[]): WholeDay[][] {
  const parts: WholeDay[][] = [];
  for (const day of days) {
    const last = parts.at(-1);
    if (last !== undefined && last.length < DAYS_AT_ONCE && last.at(-1)?.ends === day.begins) last.push(day);
    else parts.push([day]);
  }
  return parts;
}

/** Quarter hours of the span that power values cover for half of their time or more, ascending. */
export function measuredQuarterHours(
  rows: readonly HeldPowerRow[],
  { from, until }: Span,
): MeasuredQuarterHour[] {
  const sums = new Map<number, { seconds: number; consumed: number; fed: number }>();
  const add = (start: number, seconds: number, consumed: number, fed: number) => {
    const sum = sums.get(start);
    if (sum === undefined) sums.set(start, { seconds, consumed, fed });
    else {
      sum.seconds += seconds;
      sum.consumed += consumed;
      sum.fed += fed;
    }
  };
  for (const row of rows) {
    add(row.start, row.seconds, row.consumed, row.fed);
    if (row.next_seconds > 0) {
      add(row.start + QUARTER_HOUR_SECONDS, row.next_seconds, row.next_consumed, row.next_fed);
    }
  }
  return [...sums]
    .filter(([, { seconds }]) => seconds >= QUARTER_HOUR_SECONDS / 2 - TOLERANCE_SECONDS)
    .map(([start, { consumed, fed }]) => ({ start: start * 1_000, consumed, fed }))
    .filter(({ start, consumed, fed }) => start >= from && start < until && isPossible(consumed + fed))
    .sort((a, b) => a.start - b.start)
    .map(({ start, consumed, fed }) => ({ start, consumption: kwhText(consumed), feed_in: kwhText(fed) }));
}

/** Power has no limit at the grid connection; what no household can have used is not known. */
const isPossible = (kilowattSeconds: number) => kilowattSeconds / HOUR_SECONDS < KWH_MAX;

/** Power is a binary float; from here on energy is a decimal, the one that is kept when the month is settled. */
const kwhText = (kilowattSeconds: number) => (kilowattSeconds / HOUR_SECONDS).toFixed(KWH_FRACTION_DIGITS);

/** Quarter hours that are kept: two hundred households of 48 days, some 100 bytes each. */
const QUARTER_HOURS_KEPT_MAX = 100_000;
/** A day without any of them is kept, too. */
const DAY_WEIGHT = 4;
const KEPT_MILLISECONDS = 60_000;

/** The same, read again after a minute at the earliest: what is not final yet may be so much behind. */
export type RecentDays = (
  ...parameters: [...Parameters<typeof measuredDays>, nowMilliseconds: number]
) => Promise<Map<CalendarDay, MeasuredQuarterHour[]>>;

/**
 * Power of the last weeks is measured every ten seconds and asked for again and again: 48 days of it take a second of the
 * database. Kept in this process for a minute.
 */
export function createRecentDays(): RecentDays {
  const kept = new BoundedCache<{ readAt: number; quarterHours: MeasuredQuarterHour[] }>(
    QUARTER_HOURS_KEPT_MAX,
  );
  return async (connection, organization, household, days, options, nowMilliseconds) => {
    const found = new Map<CalendarDay, MeasuredQuarterHour[]>();
    const keyOf = (day: CalendarDay) => `${organization} ${household} ${day}`;
    const unknown = days.filter(({ day }) => {
      const known = kept.get(keyOf(day));
      const age = nowMilliseconds - (known?.readAt ?? 0);
      if (known === undefined || age < 0 || age >= KEPT_MILLISECONDS) return true;
      found.set(day, known.quarterHours);
      return false;
    });
    const read = await measuredDays(connection, organization, household, unknown, options);
    for (const [day, quarterHours] of read) {
      kept.set(keyOf(day), { readAt: nowMilliseconds, quarterHours }, quarterHours.length + DAY_WEIGHT);
      found.set(day, quarterHours);
    }
    return found;
  };
}
