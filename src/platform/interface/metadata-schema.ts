import { z } from 'zod';
import type { EntryCode } from '../errors.ts';
import { boundedBy } from './bounded-schema.ts';

/*
 * What clients keep with a record for themselves. It is stored and shown as sent; the limits keep it small, keep it from
 * reaching into prototypes of whoever reads it, and keep out what the database cannot store.
 */

/** Compact JSON in UTF-8. */
const BYTES_MAX = 10_240;
/** The object itself is the first. */
const LEVELS_MAX = 8;
/** NUL, other control characters but tab, LF and CR, and halves of surrogate pairs. */
const UNSTORABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;
const NO_CONTROLS = 'Control characters and unpaired surrogates are not allowed';
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Above this binary64 does not have every whole number: 9007199254740993 would be stored and shown as ...992. And 1e308 is
 * five characters as it comes and 309 digits in the database.
 */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;

export const METADATA_TOO_LARGE = `More than ${BYTES_MAX} bytes of JSON`;

/** An object of any JSON values. */
export const metadata = guarded(z.record(z.string(), z.unknown())).meta({
  description: `Your own data: any JSON, at most ${BYTES_MAX} bytes and ${LEVELS_MAX} levels, with numbers of at most ${NUMBER_MAX}`,
});

/** An object of texts. */
export const textMetadata = guarded(z.record(z.string(), z.string())).meta({
  description: `Your own texts by name, at most ${BYTES_MAX} bytes`,
});

/** As it is shown. */
export const shownMetadata = z.record(z.string(), z.unknown()).nullable().meta({
  description: 'As the client sent it',
});

export const shownTextMetadata = z.record(z.string(), z.string()).nullable().meta({
  description: 'As the client sent it',
});

/** Of what several requests put together: each of them can be small enough. */
export function isMetadataTooLarge(value: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(value)) > BYTES_MAX;
}

/** So much text of places is listed at most: below one long key there can be thousands of them, each with the key. */
const LISTED_CHARACTERS_MAX = 10 * BYTES_MAX;

/** False: nothing more is listed, and the walk may end. */
type RefuseMetadata = (code: EntryCode, path: readonly (string | number)[], message: string) => boolean;

function guarded<Schema extends z.ZodType>(schema: Schema) {
  const members = schema.superRefine((value, context) => {
    let refused = false;
    let room = LISTED_CHARACTERS_MAX;
    checkMembers(value, [], 1, (code, path, message) => {
      refused = true;
      if (room > 0) context.addIssue({ code: 'custom', path: [...path], message, params: { code } });
      for (const part of path) room -= String(part).length + 1;
      return room > 0;
    });
    /* A text that is nested too deep would overflow the stack of the writer. */
    if (!refused && isMetadataTooLarge(value)) {
      context.addIssue({ code: 'custom', message: METADATA_TOO_LARGE, params: { code: 'too_big' } });
    }
  });
  /* First the size: a larger object is not looked into. */
  const rule = { error: METADATA_TOO_LARGE, params: { code: 'too_big' } };
  return boundedBy(
    z.unknown().refine((value) => !isLargerForSure(value), rule),
    members,
  );
}

/**
 * Whether the JSON of a value is too long, told by what it has at least: a character and a comma for each value, quotes
 * and a colon for each key. The walk ends where it cannot fit any more, and so it costs no more than the largest
 * value that may be stored.
 */
function isLargerForSure(root: unknown): boolean {
  let bytes = 0;
  const waiting: unknown[] = [root];
  while (waiting.length > 0 && bytes <= BYTES_MAX) {
    const value = waiting.pop();
    bytes += typeof value === 'string' ? value.length + 2 : 1;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      bytes += value.length;
      if (bytes <= BYTES_MAX) for (const item of value) waiting.push(item);
      continue;
    }
    for (const key in value) {
      bytes += key.length + 4;
      if (bytes > BYTES_MAX) break;
      waiting.push((value as Record<string, unknown>)[key]);
    }
  }
  return bytes > BYTES_MAX;
}

/** False when the walk was ended, as below. */
function checkNumber(value: number, path: readonly (string | number)[], refuse: RefuseMetadata): boolean {
  if (!Number.isFinite(value)) return refuse('invalid_type', path, 'Not a finite number');
  if (value > NUMBER_MAX) return refuse('too_big', path, `At most ${NUMBER_MAX}; a text holds any number`);
  if (value < -NUMBER_MAX)
    return refuse('too_small', path, `At least ${-NUMBER_MAX}; a text holds any number`);
  return true;
}

/** False when the walk was ended. */
function checkMembers(
  value: unknown,
  path: readonly (string | number)[],
  level: number,
  refuse: RefuseMetadata,
): boolean {
  if (typeof value === 'string' && UNSTORABLE.test(value)) return refuse('invalid_format', path, NO_CONTROLS);
  if (typeof value === 'number') return checkNumber(value, path, refuse);
  if (typeof value !== 'object' || value === null) return true;
  if (level > LEVELS_MAX) return refuse('custom', path, `More than ${LEVELS_MAX} levels deep`);
  if (Array.isArray(value)) {
    return value.every((item, index) => checkMembers(item, [...path, index], level + 1, refuse));
  }
  return Object.entries(value).every(([key, member]) => {
    const at = [...path, key];
    if (PROTOTYPE_NAMES.has(key) && !refuse('custom', at, 'This key is a name of every object')) return false;
    if (UNSTORABLE.test(key) && !refuse('invalid_format', at, NO_CONTROLS)) return false;
    return checkMembers(member, at, level + 1, refuse);
  });
}
