import { EUR_MWH_MAX, eurMwhFrom, wholeNumberFrom } from '../amounts.ts';
import { bodyText, failed, quoted, rejected } from './body.ts';
import { isFeedTime } from './instants.ts';

/** A number as it is written: as a binary float it would have lost its digits. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): string {
    return this.source;
  }
}

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

const SHOWN_NUMBER_LENGTH_MAX = 80;

/** Bytes as JSON whose numbers keep their literals. */
export function parseJsonBody(body: Uint8Array): Json {
  const text = bodyText(body);
  if (/^\s*</.test(text)) throw failed('The body is markup, not JSON');
  try {
    return JSON.parse(text, (_key, value, context?: { source: string }) =>
      typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value,
    );
  } catch {
    const wrong = wrongNumberIn(text);
    if (wrong !== undefined) throw rejected(`The body writes a number as ${wrong}`);
    throw failed('The body is not valid JSON: truncated or malformed');
  }
}

/**
 * Complete documents whose writer prints numbers as no JSON does are no accident of the transport. Only looked for where
 * parsing failed.
 */
function wrongNumberIn(text: string): string | undefined {
  const found = /[:,[]\s*([+-]?(?:NaN|Infinity)\b|\+\d[\d.]*)|:\s*(-?\d+,\d+)/.exec(withoutTexts(text));
  return (found?.[1] ?? found?.[2])?.slice(0, SHOWN_NUMBER_LENGTH_MAX);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Every text between quotes as `""`; one without an end reaches to the end of the body. By hand: a pattern begins anew at
 * every quote of such a text, which is hours of work for a body of 2 MiB.
 */
function withoutTexts(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const opening = text.indexOf('"', at);
    if (opening === -1) break;
    parts.push(text.slice(at, opening), '""');
    at = endOfText(text, opening + 1);
  }
  return parts.join('') + text.slice(at);
}

/** Behind the closing quote. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/** A value inside a sentence. */
export function shownJson(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return value.source.slice(0, SHOWN_NUMBER_LENGTH_MAX);
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

export function isObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

export function objectOf(value: Json | undefined, name: string): JsonObject {
  if (!isObject(value)) throw rejected(`${name} is ${shownJson(value)}, not an object`);
  return value;
}

export function listOf(value: Json | undefined, name: string): Json[] {
  if (!Array.isArray(value)) throw rejected(`${name} is ${shownJson(value)}, not a list`);
  return value;
}

export function textOf(value: Json | undefined, name: string): string {
  if (typeof value !== 'string') throw rejected(`${name} is ${shownJson(value)}, not a text`);
  return value;
}

/** The value must be this one, literally. */
export function assertLiteral(value: Json | undefined, name: string, expected: string | boolean): void {
  if (value === expected) return;
  const expectedText = typeof expected === 'string' ? quoted(expected) : String(expected);
  throw rejected(`${name} is ${shownJson(value)}, not ${expectedText}`);
}

/** An instant counted in units of so many milliseconds. */
export function timeOf(value: Json | undefined, name: string, unitMilliseconds: 1 | 1_000 = 1): number {
  const count = value instanceof JsonNumber ? wholeNumberFrom(value.source) : undefined;
  const milliseconds = (count ?? Number.NaN) * unitMilliseconds;
  if (isFeedTime(milliseconds)) return milliseconds;
  const unit = unitMilliseconds === 1 ? 'milliseconds' : 'seconds';
  throw rejected(`${name} is ${shownJson(value)}, not an instant in ${unit} since 1970`);
}

/** The price behind a literal, in EUR/MWh. */
export function amountOf(value: Json | undefined, name: string, factor: 1 | 10 | 1_000 = 1): string {
  const amount =
    value instanceof JsonNumber ? eurMwhFrom(value.source, { factor, exponent: true }) : undefined;
  if (amount === undefined) {
    throw rejected(`${name} is ${shownJson(value)}, not a number of at most ${EUR_MWH_MAX} EUR/MWh`);
  }
  return amount;
}
