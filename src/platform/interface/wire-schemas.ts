import { z } from 'zod';
import { type EntryCode, quoted } from '../errors.ts';
import { isInstant } from '../time/instant.ts';

/*
 * Building blocks of request schemas. Each refuses what the database would refuse with an error of its own (NUL, half a
 * surrogate pair) or what only serves to deceive a reader.
 */

/** Control characters (C0, DEL, C1) and halves of surrogate pairs, which no UTF-8 text can hold. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;
const UNSTORABLE_MULTILINE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;
/** Embeddings, overrides and isolates that turn the direction of what follows: one name can look like another. */
export const BIDI_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/;
/** Something that leaves ink: not blanks, not zero-width characters, not the empty Braille cell. */
export const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\u2800]/u;

interface TextLength {
  /** In Unicode characters; 1 where absent. */
  min?: number;
  /** Absent where only the size of the body bounds it. */
  max?: number;
}

function rule(code: EntryCode, error: string) {
  return { error, params: { code } };
}

const noControls = rule('invalid_format', 'Control characters and unpaired surrogates are not allowed');

function ofLength({ min = 1, max }: TextLength) {
  const atLeast = z.string().min(min);
  return max === undefined ? atLeast : atLeast.max(max);
}

/** One line of text, stored as sent. */
function text(length: TextLength = {}) {
  return ofLength(length).refine((value) => !UNSTORABLE.test(value), noControls);
}

/** Text in which tabs and line ends are allowed. */
function multilineText(length: TextLength = {}) {
  return ofLength(length).refine((value) => !UNSTORABLE_MULTILINE.test(value), noControls);
}

/** A name for people: something must be visible, and nothing may turn the writing direction. */
function name(length: TextLength = {}) {
  return text(length)
    .refine(
      (value) => !BIDI_OVERRIDES.test(value),
      rule('invalid_format', 'Bidirectional overrides are not allowed'),
    )
    .refine((value) => value === '' || VISIBLE.test(value), rule('too_small', 'Nothing visible in it'));
}

/** A date-time with zone and at most six fraction digits, handed on as sent. */
function instant() {
  return z
    .stringFormat('date-time', isInstant, {
      error: (issue) =>
        issue.code === 'invalid_format'
          ? `Not a date-time with time zone and at most 6 fraction digits (2026-10-05T08:30:00.123Z): ${quoted(String(issue.input))}`
          : undefined,
    })
    .meta({ format: 'date-time' });
}

/** `YYYY-MM-DD`, a day that the calendar has, handed on as sent. */
function date() {
  return z
    .stringFormat('date', isCalendarDay, {
      error: (issue) =>
        issue.code === 'invalid_format' ? 'Not a calendar day in the form 2026-10-05' : undefined,
    })
    .meta({ format: 'date' });
}

const CALENDAR_DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Counted here: a library for time zones takes 10 µs for it. */
function isCalendarDay(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (CALENDAR_DAY.exec(text) ?? []).map(Number);
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * A number between two bounds: what is calculated with it later has room, and stays finite. Without `min` the caller adds
 * a bound of its own that is no part of the range. `-0` becomes 0, so that it compares and stores as such.
 */
function number({ min, max }: { min?: number; max: number }) {
  const schema = min === undefined ? z.number().max(max) : z.number().min(min).max(max);
  return schema.overwrite((value) => (value === 0 ? 0 : value));
}

/** Without a fraction. Asked before the bounds, so that a number far outside them is one problem and not two. */
function wholeNumber({ min, max }: { min: number; max: number }) {
  return z
    .number()
    .refine(Number.isInteger, { ...rule('invalid_type', 'Not a whole number'), abort: true })
    .min(min)
    .max(max)
    .meta({ type: 'integer' });
}

/** A parameter of an address that is a number: a plain decimal between two bounds. */
function numberParameter(bounds: { min: number; max: number }) {
  return z
    .string()
    .refine((value) => PLAIN_DECIMAL.test(value), rule('invalid_type', 'Not a number such as 2500 or 2500.5'))
    .transform(Number)
    .pipe(number(bounds))
    .meta({ type: 'number', minimum: bounds.min, maximum: bounds.max });
}

const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** What counts as absent in an optional parameter that the published description calls nullable: `?name=` and `?name=null`. */
const ABSENT: ReadonlySet<unknown> = new Set(['', 'null']);

/** A parameter of an address that may be null, as a schema that knows a value where it is absent. */
function nullableParameter<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (ABSENT.has(value) ? undefined : value), schema);
}

/** A parameter of an address that is true or false; false where absent. */
function flagParameter() {
  return z
    .string()
    .refine((value) => FLAGS.has(value), rule('invalid_type', 'Accepted: true, false, 1, 0'))
    .transform((value) => FLAGS.get(value) === true)
    .default(false)
    .meta({ type: 'boolean' });
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/* What every object that is shown begins and ends with. */

function objectName<Name extends string>(name: Name) {
  return z.literal(name).meta({ description: 'Says what kind of object it is' });
}

const ownId = z
  .string()
  .meta({ description: 'Id of this object: opaque, case-sensitive, never given again' });
const createdAt = z.iso.datetime().meta({ description: 'When it was made in the service' });
const updatedAt = z.iso.datetime().meta({ description: 'When it was changed last' });

export const wireSchemas = {
  ...{ objectName, ownId, createdAt, updatedAt },
  ...{ text, multilineText, name, instant, date, number, wholeNumber },
  ...{ numberParameter, flagParameter, nullableParameter },
};
