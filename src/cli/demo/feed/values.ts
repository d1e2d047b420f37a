import { twoDecimals } from './amounts.ts';
import { feedDay, minuteText } from './days.ts';
import { pricesOf } from './formula.ts';
import type { SourceSwitches } from './switches.ts';

/** One interval of one day as a source prints it. */
export interface FeedValue {
  readonly start: number;
  /** Cents per MWh. */
  readonly cents: number;
  /** EUR/MWh, where a switch names the text. */
  readonly literal: string | null;
  readonly dropped: boolean;
}

/** The values of a day by the formula, changed by the switches that change values. */
export function valuesOf(date: string, switches: SourceSwitches): FeedValue[] {
  const prices = pricesOf(date);
  const plain = feedDay(date).starts.map((start, index) => ({
    start,
    cents: prices[index] ?? 0,
    literal: null,
    dropped: false,
  }));
  return changesValues(switches) ? switched(date, plain, switches) : plain;
}

function changesValues({ drop, zeros, quarters_flat, revision }: SourceSwitches): boolean {
  return [drop, zeros, quarters_flat, revision].some((given) => given !== undefined && given !== false);
}

function switched(date: string, values: readonly FeedValue[], switches: SourceSwitches): FeedValue[] {
  const drops = new Set((switches.drop ?? []).map(withoutSeconds));
  const revisions = new Map(
    [switches.revision ?? []].flat().map(({ interval, value }) => [withoutSeconds(interval), value]),
  );
  const { zeros = false, quarters_flat: flat = false } = switches;
  const zeroStarts = new Set(typeof zeros === 'boolean' ? [] : zeros.map(withoutSeconds));
  const allZero = zeros === true || zeroStarts.has(date);
  const isFlat = flat === true || (typeof flat !== 'boolean' && flat.includes(date));
  return values.map((value) => {
    const time = minuteText(value.start);
    const given = revisions.get(time);
    let { cents, literal } = value;
    if (isFlat) cents = Math.round(meanOfHour(values, value.start));
    if (allZero || zeroStarts.has(time)) cents = 0;
    if (given !== undefined) {
      cents = Math.round(Number(given) * 100 * 1e9) / 1e9;
      literal = typeof given === 'string' ? given : null;
    }
    if (literal === null && !Number.isInteger(cents)) literal = String(cents / 100);
    return { start: value.start, cents, literal, dropped: drops.has(time) };
  });
}

/** Mean of the intervals of the hour in which an instant lies. */
function meanOfHour(values: readonly FeedValue[], start: number): number {
  const inHour = values.filter((value) => hourOf(value.start) === hourOf(start));
  return inHour.reduce((sum, value) => sum + value.cents, 0) / inHour.length;
}

/** Berlin's offset is a whole number of hours: hours begin there when they begin in UTC. */
function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / 3_600_000);
}

export interface FeedHour {
  readonly start: number;
  /** Mean of the hour's intervals; null where one of them is dropped. */
  readonly cents: number | null;
}

/** Hours of a day, whatever the width of its intervals. */
export function hoursOf(values: readonly FeedValue[]): FeedHour[] {
  const hours = new Map<number, FeedValue[]>();
  for (const value of values) {
    const hour = hourOf(value.start);
    const list = hours.get(hour);
    if (list === undefined) hours.set(hour, [value]);
    else list.push(value);
  }
  return [...hours].map(([hour, list]) => ({
    start: hour * 3_600_000,
    cents: list.some((value) => value.dropped)
      ? null
      : list.reduce((sum, value) => sum + value.cents, 0) / list.length,
  }));
}

/** EUR/MWh with two decimals, or the text that a switch names. */
export function amountOf(value: FeedValue): string {
  return value.literal ?? twoDecimals(value.cents);
}

function withoutSeconds(time: string): string {
  return time.replace(/:00Z$/, (end, offset: number) => (offset > 13 ? 'Z' : end));
}
