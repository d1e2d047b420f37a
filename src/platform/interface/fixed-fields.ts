import { isDeepStrictEqual } from 'node:util';
import type { ErrorEntry } from '../errors.ts';

type Json = Readonly<Record<string, unknown>>;

/** Moves with every change, also with that of somebody else: who sends what was read before means no change by it. */
const MOVES_BY_ITSELF = 'updated_at';

const CANNOT_CHANGE = 'Cannot be changed here: leave it out, or send the value that is stored';

/** Whether a body has more in it than what the route changes. */
export function hasOtherFields(sent: unknown, changeable: ReadonlySet<string>): sent is Json {
  return isObject(sent) && Object.keys(sent).some((field) => !changeable.has(field));
}

/**
 * One entry for each field that the answer shows, that this route does not change, and that was sent with another value:
 * an answer of 200 would say that it was changed. Fields that nobody knows are not among them.
 */
export function fixedFieldEntries(sent: Json, changeable: ReadonlySet<string>, shown: Json): ErrorEntry[] {
  return Object.keys(shown)
    .filter((field) => Object.hasOwn(sent, field) && !changeable.has(field) && field !== MOVES_BY_ITSELF)
    .filter((field) => !isSame(sent[field], shown[field]))
    .map((field) => ({ code: 'custom', field, message: CANNOT_CHANGE }));
}

/** What is shown as an object may be sent as its id, as lists show it. */
function isSame(sent: unknown, shown: unknown): boolean {
  if (typeof sent === 'string' && isObject(shown)) return sent === shown.id;
  return isDeepStrictEqual(sent, shown);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
