import { POSTGRES_EPOCH_MICROSECONDS } from './time.ts';

/*
 * Instants as text, at fixed positions: `2026-10-05T08:30:00[.123456](Z|±hh:mm)`. Exactly what
 * `z.iso.datetime({ offset: true })` accepts, less the year 0000 and more than six fraction digits: PostgreSQL would
 * round them, and the text would come back as another instant than was sent.
 */

const HOUR_MICROSECONDS = 3_600_000_000;
const MINUTE_MICROSECONDS = 60_000_000;
const FRACTION_DIGITS_MAX = 6;
const POWERS_OF_TEN = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** What the parser gives for a text that is no instant. */
const NOT_AN_INSTANT = Number.NaN;

const CODE_ZERO = 48;
const CODE_DOT = 46;
const CODE_COLON = 58;
const CODE_HYPHEN = 45;
const CODE_PLUS = 43;
const CODE_T = 84;
const CODE_Z = 90;

function twoDigits(text: string, at: number): number {
  const high = text.charCodeAt(at) - CODE_ZERO;
  const low = text.charCodeAt(at + 1) - CODE_ZERO;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : NOT_AN_INSTANT;
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysOfMonth(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return DAYS_OF_MONTH[month - 1] ?? NOT_AN_INSTANT;
}

/* Snapshots of one batch lie in one or two days: the calendar is asked once per day, not once per row. */
let cachedDayText = '';
let cachedDayMicroseconds = NOT_AN_INSTANT;

/** Microseconds from 2000-01-01 to the beginning of the day in UTC, NaN when there is no such day. */
function dayMicroseconds(text: string): number {
  const day = text.slice(0, 10);
  if (day === cachedDayText) return cachedDayMicroseconds;
  cachedDayText = day;
  cachedDayMicroseconds = readDay(day);
  return cachedDayMicroseconds;
}

function readDay(day: string): number {
  const year = twoDigits(day, 0) * 100 + twoDigits(day, 2);
  const month = twoDigits(day, 5);
  const dayOfMonth = twoDigits(day, 8);
  const hyphens = day.charCodeAt(4) === CODE_HYPHEN && day.charCodeAt(7) === CODE_HYPHEN;
  if (!(hyphens && year >= 1 && dayOfMonth >= 1 && dayOfMonth <= daysOfMonth(year, month))) {
    return NOT_AN_INSTANT;
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, dayOfMonth);
  return date.getTime() * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
}

/**
 * Whole microseconds since 2000-01-01T00:00:00Z, the zero of PostgreSQL's binary form; NaN when the text is no
 * instant. Exact between the years 1714 and 2285, where a double still counts single microseconds.
 */
export function instantMicroseconds(text: string): number {
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if (!(text.charCodeAt(10) === CODE_T && text.charCodeAt(13) === CODE_COLON && hour < 24 && minute < 60)) {
    return NOT_AN_INSTANT;
  }
  const second = twoDigits(text, 17);
  if (!(text.charCodeAt(16) === CODE_COLON && second < 60)) return NOT_AN_INSTANT;
  let at = 19;
  let fraction = 0;
  if (text.charCodeAt(at) === CODE_DOT) {
    const from = at + 1;
    at = from;
    for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at))
      fraction = fraction * 10 + digit;
    const digits = at - from;
    if (digits === 0 || digits > FRACTION_DIGITS_MAX) return NOT_AN_INSTANT;
    fraction *= POWERS_OF_TEN[FRACTION_DIGITS_MAX - digits] ?? 1;
  }
  return (
    dayMicroseconds(text) +
    hour * HOUR_MICROSECONDS +
    minute * MINUTE_MICROSECONDS +
    second * 1_000_000 +
    fraction -
    offsetMicroseconds(text, at)
  );
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - CODE_ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** The zone must be the end of the text: `Z` or `±hh:mm`. */
function offsetMicroseconds(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === CODE_Z) return text.length === at + 1 ? 0 : NOT_AN_INSTANT;
  if (!(code === CODE_PLUS || code === CODE_HYPHEN)) return NOT_AN_INSTANT;
  if (text.length !== at + 6 || text.charCodeAt(at + 3) !== CODE_COLON) return NOT_AN_INSTANT;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (!(hours < 24 && minutes < 60)) return NOT_AN_INSTANT;
  const offset = hours * HOUR_MICROSECONDS + minutes * MINUTE_MICROSECONDS;
  return code === CODE_PLUS ? offset : -offset;
}

export function isInstant(text: string): boolean {
  return !Number.isNaN(instantMicroseconds(text));
}

/**
 * The same instant in UTC as services send it: three fraction digits, six where the microseconds are not zero. Null
 * when the text is no instant, or when its zone moves it out of the years 1 to 9999.
 */
export function instantInUtc(text: string): string | null {
  if (!isInstant(text)) return null;
  /* Seconds and fraction apart: far years would lose microseconds in one double. */
  const [, seconds = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(Z|[+-].*)$/.exec(text) ?? [];
  const milliseconds = (instantMicroseconds(`${seconds}${zone}`) + POSTGRES_EPOCH_MICROSECONDS) / 1_000;
  const whole = new Date(milliseconds).toISOString();
  if (whole.length !== 24 || whole.startsWith('0000')) return null;
  const digits = fraction.padEnd(FRACTION_DIGITS_MAX, '0');
  return `${whole.slice(0, 20)}${digits.endsWith('000') ? digits.slice(0, 3) : digits}Z`;
}

/** An instant counted in microseconds since 2000-01-01 as the text of the wire. */
export function instantFromMicroseconds(microseconds: number): string {
  const sinceUnix = microseconds + POSTGRES_EPOCH_MICROSECONDS;
  const remainder = ((sinceUnix % 1_000) + 1_000) % 1_000;
  const text = new Date((sinceUnix - remainder) / 1_000).toISOString();
  return remainder === 0 ? text : `${text.slice(0, -1)}${String(remainder).padStart(3, '0')}Z`;
}
