import { z } from 'zod';
import type { EntryCode } from './errors.ts';

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
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export const METADATA_TOO_LARGE = `More than ${BYTES_MAX} bytes of JSON`;

/** An object of any JSON values. */
export const metadata = guarded(z.record(z.string(), z.unknown())).meta({
  description: `Your own data: any JSON, at most ${BYTES_MAX} bytes and ${LEVELS_MAX} levels`,
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

type Refuse = (code: EntryCode, path: readonly (string | number)[], message: string) => void;

function guarded<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.superRefine((value, context) => {
    let refused = false;
    checkMembers(value, [], 1, (code, path, message) => {
      refused = true;
      context.addIssue({ code: 'custom', path: [...path], message, params: { code } });
    });
    /* A text that is nested too deep would overflow the stack of the writer. */
    if (!refused && isMetadataTooLarge(value)) {
      context.addIssue({ code: 'custom', message: METADATA_TOO_LARGE, params: { code: 'too_big' } });
    }
  });
}

function checkMembers(
  value: unknown,
  path: readonly (string | number)[],
  level: number,
  refuse: Refuse,
): void {
  if (typeof value === 'string' && UNSTORABLE.test(value)) {
    refuse('invalid_format', path, 'Control characters and unpaired surrogates are not allowed');
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse('invalid_type', path, 'Not a finite number');
  if (typeof value !== 'object' || value === null) return;
  if (level > LEVELS_MAX) {
    refuse('custom', path, `More than ${LEVELS_MAX} levels deep`);
    return;
  }
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  for (const [key, member] of members) {
    const at = [...path, key];
    if (PROTOTYPE_NAMES.has(String(key)) && typeof key === 'string') {
      refuse('custom', at, 'This key is a name of every object');
    }
    if (UNSTORABLE.test(String(key))) {
      refuse('invalid_format', at, 'Control characters and unpaired surrogates are not allowed');
    }
    checkMembers(member, at, level + 1, refuse);
  }
}
