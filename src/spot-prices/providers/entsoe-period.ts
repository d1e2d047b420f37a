import { EUR_MWH_MAX, eurMwhFrom } from '../amounts.ts';
import type { IntervalMinutes } from '../calendar.ts';
import { quoted, rejected } from './body.ts';
import { instantFrom } from './instants.ts';
import { childOf, childrenOf, childText, type XmlElement } from './xml-tree.ts';

/** One Period of a TimeSeries: a stretch of time and the values at its positions. */
export interface EntsoePeriod {
  /** Milliseconds since 1970; from inclusive, to exclusive. */
  readonly from: number;
  readonly to: number;
  /** Null where no day can have the resolution. */
  readonly minutes: IntervalMinutes | null;
  /** Why the Period as a whole is not believed. */
  readonly problem: string | null;
  /** EUR/MWh by position; positions count from 1. */
  readonly amounts: ReadonlyMap<number, string>;
}

const RESOLUTIONS: Readonly<Record<string, IntervalMinutes>> = { PT15M: 15, PT60M: 60, PT1H: 60 };

/** One request covers a year at most, so a longer Period is a mistake, and expanding it takes memory. */
const PERIOD_MILLISECONDS_MAX = 400 * 86_400_000;

/**
 * Problems of points refuse the document, whichever auction they belong to: whoever writes a position twice has lost
 * count somewhere.
 */
export function readPeriod(element: XmlElement, label: string): EntsoePeriod {
  const interval = childOf(element, 'timeInterval');
  const from = boundary(interval, 'start', label);
  const to = boundary(interval, 'end', label);
  if (to <= from) throw rejected(`${label}: a Period ends before it begins`);
  if (to - from > PERIOD_MILLISECONDS_MAX) throw rejected(`${label}: a Period is longer than a year`);
  const resolution = childText(element, 'resolution');
  const minutes = RESOLUTIONS[resolution ?? ''] ?? null;
  const count = minutes === null ? null : (to - from) / (minutes * 60_000);
  return {
    from,
    to,
    minutes,
    problem: problemOf(label, resolution, count),
    amounts: readPoints(element, label, count),
  };
}

function problemOf(label: string, resolution: string | undefined, count: number | null): string | null {
  if (resolution === undefined) return `${label}: a Period has no resolution`;
  if (count === null) return `${label}: resolution is ${quoted(resolution)}, not PT15M or PT60M`;
  if (Number.isInteger(count)) return null;
  return `${label}: the length of a Period is no multiple of its resolution ${resolution}`;
}

function boundary(interval: XmlElement | undefined, name: 'start' | 'end', label: string): number {
  const text = interval === undefined ? undefined : childText(interval, name);
  if (text === undefined) throw rejected(`${label}: a Period has no timeInterval ${name}`);
  const instant = instantFrom(text);
  if (instant === undefined) {
    throw rejected(`${label}: timeInterval ${name} is ${quoted(text)}, not an instant with its offset`);
  }
  if (!instant.wholeSecond) {
    throw rejected(`${label}: timeInterval ${name} is ${quoted(text)}, inside a second`);
  }
  return instant.milliseconds;
}

function readPoints(element: XmlElement, label: string, count: number | null): Map<number, string> {
  const amounts = new Map<number, string>();
  for (const point of childrenOf(element, 'Point')) {
    const position = positionOf(point, label);
    if (count !== null && position > count) {
      throw rejected(`${label}: position ${position} lies beyond the end of its Period (${count} intervals)`);
    }
    if (amounts.has(position)) throw rejected(`${label}: position ${position} occurs twice in a Period`);
    amounts.set(position, priceOf(point, label, position));
  }
  return amounts;
}

function positionOf(point: XmlElement, label: string): number {
  const text = childText(point, 'position');
  if (text === undefined) throw rejected(`${label}: a Point has no position`);
  const position = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (position === 0) {
    throw rejected(`${label}: position is ${quoted(text)}, not a whole number from 1 on`);
  }
  return position;
}

function priceOf(point: XmlElement, label: string, position: number): string {
  const text = childText(point, 'price.amount');
  if (text === undefined) throw rejected(`${label}: position ${position} has no price.amount`);
  const amount = eurMwhFrom(text);
  if (amount === undefined) {
    throw rejected(
      `${label}: price.amount is ${quoted(text)} at position ${position}, not a plain decimal number of at most ${EUR_MWH_MAX}`,
    );
  }
  return amount;
}

/**
 * Values by interval. In a compressed curve (A03) a position holds until the next one that is given, the last one until
 * the Period's end; what stands before the first one is missing.
 */
export function expandPeriod(
  { from, to, minutes, amounts }: EntsoePeriod,
  repeats: boolean,
): (string | undefined)[] {
  const count = minutes === null ? 0 : (to - from) / (minutes * 60_000);
  const values: (string | undefined)[] = [];
  let held: string | undefined;
  for (let position = 1; position <= count; position += 1) {
    const given = amounts.get(position);
    if (repeats) held = given ?? held;
    values.push(repeats ? held : given);
  }
  return values;
}
