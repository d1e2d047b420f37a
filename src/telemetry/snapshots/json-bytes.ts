import { instantMicroseconds } from '../../platform/time/instant.ts';

/*
 * Reading JSON out of bytes without making anything of it: each function gives the offset behind what it read, or -1
 * where it did not find what it knows. It knows less than JSON allows; whoever gets -1 asks JSON.parse.
 */

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const UPPER_E = 69;
const UPPER_Z = 90;
const LOWER_E = 101;

export const NOT_FOUND = -1;

/** A text that is looked for, at least four bytes of ASCII. */
export interface Token {
  readonly length: number;
  /** Every four bytes from the beginning as one number. */
  readonly words: Int32Array;
  /** The last four bytes, which overlap the words where the length is no multiple of four. */
  readonly last: number;
}

export function token(text: string): Token {
  const view = viewOf(Buffer.from(text, 'latin1'));
  const words = Int32Array.from({ length: text.length >> 2 }, (_, index) => view.getInt32(4 * index, true));
  return { length: text.length, words, last: view.getInt32(text.length - 4, true) };
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Four bytes at a time: a row of a batch has 100 bytes of names, and one by one they took half of the time. */
export function startsWith(
  view: DataView,
  size: number,
  at: number,
  { words, length, last }: Token,
): boolean {
  if (at + length > size) return false;
  for (let index = 0; index < words.length; index += 1) {
    if (view.getInt32(at + 4 * index, true) !== words[index]) return false;
  }
  return view.getInt32(at + length - 4, true) === last;
}

/** The next byte that is not white space, from here on. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at] as number; byte <= SPACE; byte = bytes[at] as number) {
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break;
    at += 1;
  }
  return at;
}

/** Numbers and instants that are longer are left to JSON.parse. */
const TEXT_BYTES_MAX = 40;

/** The text between `from` and the next quotation mark; null where there is none nearby. */
export function textUpToQuote(bytes: Buffer, from: number, bytesMax = TEXT_BYTES_MAX): string | null {
  const end = bytes.indexOf(QUOTE, from);
  return end === -1 || end - from > bytesMax ? null : bytes.toString('latin1', from, end);
}

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * A number, written to `column[row]`; -0 as 0. Digits that fit into a whole number below 2^53, divided by a power of ten
 * up to 10^22: both are exact in binary64, so that the one rounding of the division gives what Number would give
 * (Clinger 1990). The others are asked of Number.
 */
export function readNumber(bytes: Buffer, from: number, column: Float64Array, row: number): number {
  const isNegative = bytes[from] === MINUS;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let digits = 0;
  let digit = (bytes[at] as number) - ZERO;
  for (; digit >= 0 && digit <= 9; digit = (bytes[at] as number) - ZERO) {
    digits = digits * 10 + digit;
    at += 1;
  }
  if (at === first || (at > first + 1 && bytes[first] === ZERO)) return NOT_FOUND;
  let decimals = 0;
  if (digit === DOT - ZERO) {
    at += 1;
    const point = at;
    for (
      digit = (bytes[at] as number) - ZERO;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - ZERO
    ) {
      digits = digits * 10 + digit;
      at += 1;
    }
    decimals = at - point;
    if (decimals === 0) return NOT_FOUND;
  }
  const hasExponent = bytes[at] === LOWER_E || bytes[at] === UPPER_E;
  if (hasExponent || digits > Number.MAX_SAFE_INTEGER || decimals >= POWERS_OF_TEN.length) {
    return readUnusualNumber(bytes, from, column, row);
  }
  const value = digits / (POWERS_OF_TEN[decimals] as number);
  column[row] = isNegative ? 0 - value : value;
  return at;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readUnusualNumber(bytes: Buffer, from: number, column: Float64Array, row: number): number {
  let at = from;
  while (at < from + TEXT_BYTES_MAX && isOfNumber(bytes[at] as number)) at += 1;
  const text = bytes.toString('latin1', from, at);
  if (at === from + TEXT_BYTES_MAX || !NUMBER.test(text)) return NOT_FOUND;
  column[row] = Number(text) + 0;
  return at;
}

function isOfNumber(byte: number): boolean {
  if (byte >= ZERO && byte < COLON) return true;
  return byte === DOT || byte === MINUS || byte === PLUS || byte === LOWER_E || byte === UPPER_E;
}

/* Snapshots of one batch lie in one or two days: the calendar is asked once per day, not once per row. */
const DAY_LENGTH = 'YYYY-MM-DDT'.length;
let knownDay = token('0000-00-00T');
let knownDayMicroseconds = Number.NaN;

/**
 * An instant between quotation marks, written to `column[row]` as microseconds since 2000; NaN where the text
 * is none. `instantMicroseconds` has the last word on everything that is not written as services write it, in UTC.
 */
export function readInstant(
  bytes: Buffer,
  view: DataView,
  quoteAt: number,
  column: Float64Array,
  row: number,
): number {
  if (bytes[quoteAt] !== QUOTE) return NOT_FOUND;
  const from = quoteAt + 1;
  if (!startsWith(view, bytes.length, from, knownDay)) {
    const day = bytes.toString('latin1', from, from + DAY_LENGTH);
    const microseconds = instantMicroseconds(`${day}00:00:00Z`);
    if (Number.isNaN(microseconds)) return NOT_FOUND;
    knownDay = token(day);
    knownDayMicroseconds = microseconds;
  }
  const hour = twoDigits(bytes, from + 11);
  const minute = twoDigits(bytes, from + 14);
  const second = twoDigits(bytes, from + 17);
  const isTime = hour < 24 && minute < 60 && second < 60;
  let at = from + 19;
  let fraction = 0;
  if (bytes[at] === DOT) {
    at += 1;
    const point = at;
    for (
      let digit = (bytes[at] as number) - ZERO;
      digit >= 0 && digit <= 9;
      digit = (bytes[at] as number) - ZERO
    ) {
      fraction = fraction * 10 + digit;
      at += 1;
    }
    const digits = at - point;
    if (digits === 0 || digits > 6) return NOT_FOUND;
    fraction *= POWERS_OF_TEN[6 - digits] as number;
  }
  const hasColons = bytes[from + 13] === COLON && bytes[from + 16] === COLON;
  if (isTime && hasColons && bytes[at] === UPPER_Z && bytes[at + 1] === QUOTE) {
    column[row] = knownDayMicroseconds + (hour * 3_600 + minute * 60 + second) * 1_000_000 + fraction;
    return at + 2;
  }
  const text = textUpToQuote(bytes, from);
  if (text === null) return NOT_FOUND;
  column[row] = instantMicroseconds(text);
  return from + text.length + 1;
}

/** 100, which no part of an instant can be, where one of them is no digit. */
function twoDigits(bytes: Buffer, at: number): number {
  const high = (bytes[at] as number) - ZERO;
  const low = (bytes[at + 1] as number) - ZERO;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : 100;
}
