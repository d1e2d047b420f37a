import { QUARTER_HOUR_MILLISECONDS, type Value } from './intervals.ts';

/** Energy of one quarter hour; its start in milliseconds since 1970. */
export interface QuarterHour {
  readonly start: number;
  readonly kwh: number;
}

/**
 * What the power values of one quarter hour come to: for how many seconds they held inside it, with kW times seconds in
 * both directions, and the same of the part by which the last of them reaches into the next quarter hour.
 */
export interface HeldPower {
  /** Seconds since 1970. */
  readonly start: number;
  readonly seconds: number;
  readonly consumed: number;
  readonly fed: number;
  readonly next_seconds: number;
  readonly next_consumed: number;
  readonly next_fed: number;
}

export interface Span {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** What is stored of a quarter hour lies below it. */
export const KWH_MAX = 1e9;

const QUARTER_HOUR_SECONDS = 900;
const HOUR_SECONDS = 3_600;
/** Sums of instants in floating point are off by less than this. */
const TOLERANCE_SECONDS = 1e-3;

/** Quarter hours of the span that power values cover for half of their time or more, ascending. */
export function measuredQuarterHours(
  rows: readonly HeldPower[],
  direction: 'consumption' | 'feed_in',
  { from, until }: Span,
): QuarterHour[] {
  const sums = new Map<number, { seconds: number; kws: number }>();
  const add = (start: number, seconds: number, kws: number) => {
    const sum = sums.get(start);
    if (sum === undefined) sums.set(start, { seconds, kws });
    else {
      sum.seconds += seconds;
      sum.kws += kws;
    }
  };
  for (const row of rows) {
    const [kws, nextKws] =
      direction === 'consumption' ? [row.consumed, row.next_consumed] : [row.fed, row.next_fed];
    add(row.start, row.seconds, kws);
    if (row.next_seconds > 0) add(row.start + QUARTER_HOUR_SECONDS, row.next_seconds, nextKws);
  }
  return [...sums]
    .filter(([, { seconds }]) => seconds >= QUARTER_HOUR_SECONDS / 2 - TOLERANCE_SECONDS)
    .map(([start, { kws }]) => ({ start: start * 1_000, kwh: kws / HOUR_SECONDS }))
    .filter(({ start }) => start >= from && start < until)
    .sort((a, b) => a.start - b.start);
}

/** Imported values replace measured ones. What nobody replaced is final as soon as its month is settled. */
export function smartValues(
  imported: readonly QuarterHour[],
  measured: readonly QuarterHour[],
  isSettled: (start: number) => boolean,
): Value[] {
  const known = new Set(imported.map(({ start }) => start));
  return [
    ...imported.map((one): Value => ({ ...one, isFinal: true })),
    ...measured
      .filter(({ start }) => !known.has(start))
      .map((one): Value => ({ ...one, isFinal: isSettled(one.start) })),
  ].sort((a, b) => a.start - b.start);
}

/** Two holes that are closer together are read as one; longer ones in parts of this length. */
const PART_MILLISECONDS = 31 * 86_400_000;

/**
 * The parts of a span for which nothing was imported. Measurements are read for these alone: a year of quarter hours is
 * 35,040 rows, a year of snapshots every ten seconds 3 million. A part takes about a second to read.
 */
export function missingSpans(imported: readonly QuarterHour[], { from, until }: Span): Span[] {
  const spans: { from: number; until: number }[] = [];
  const missing = (start: number, end: number) => {
    if (start >= end) return;
    const last = spans.at(-1);
    if (last !== undefined && start - last.until < PART_MILLISECONDS) last.until = end;
    else spans.push({ from: start, until: end });
  };
  let covered = from;
  for (const { start } of imported) {
    missing(covered, Math.min(start, until));
    covered = Math.max(covered, start + QUARTER_HOUR_MILLISECONDS);
  }
  missing(covered, until);
  return spans.flatMap(partsOf);
}

function partsOf({ from, until }: Span): Span[] {
  const parts: Span[] = [];
  for (let start = from; start < until; start += PART_MILLISECONDS) {
    parts.push({ from: start, until: Math.min(start + PART_MILLISECONDS, until) });
  }
  return parts;
}
