import type { ErrorEntry } from '../errors.ts';

/** One parameter of an address, in the order in which it was sent. */
export interface QueryPair {
  /** The name as the caller wrote it, decoded: `filter[status][eq]`. */
  name: string;
  value: string;
  /** The percent encoding cannot be read; `value` is then the text as sent. */
  malformed: boolean;
}

/**
 * The parameters of `/assets?limit=5&…`. Repeated ones stay separate and broken encodings are marked: the usual parsers
 * join the former and pass the latter through, which turns mistakes of the caller into silent surprises.
 */
export function queryPairs(url: string): QueryPair[] {
  const queryAt = url.indexOf('?');
  if (queryAt === -1) return [];
  const fragmentAt = url.indexOf('#', queryAt);
  const query = url.slice(queryAt + 1, fragmentAt === -1 ? undefined : fragmentAt);
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(pairOf);
}

function pairOf(part: string): QueryPair {
  const equalsAt = part.indexOf('=');
  const name = decoded(equalsAt === -1 ? part : part.slice(0, equalsAt));
  const value = decoded(equalsAt === -1 ? '' : part.slice(equalsAt + 1));
  return { name: name.text, value: value.text, malformed: name.malformed || value.malformed };
}

/** A plus sign is a space here, as in forms; a real one is written `%2B`. */
function decoded(text: string): { text: string; malformed: boolean } {
  if (!text.includes('%') && !text.includes('+')) return { text, malformed: false };
  try {
    return { text: decodeURIComponent(text.replaceAll('+', ' ')), malformed: false };
  } catch {
    return { text, malformed: true };
  }
}

/**
 * The known parameters by name; unknown ones are ignored. One that came twice or cannot be decoded is left out and
 * adds its entry.
 */
export function singleValues(
  pairs: readonly QueryPair[],
  known: ReadonlySet<string>,
  entries: ErrorEntry[],
): Record<string, string> {
  const values: Record<string, string> = {};
  if (pairs.length === 0) return values;
  const refused = new Set<string>();
  const seen = new Set<string>();
  for (const pair of pairs) {
    if (!known.has(pair.name)) continue;
    /* Once for each name, however often it comes. */
    if (refused.has(pair.name)) continue;
    const problem = problemOf(pair, seen.has(pair.name));
    seen.add(pair.name);
    values[pair.name] = pair.value;
    if (problem === undefined) continue;
    entries.push(problem);
    refused.add(pair.name);
  }
  for (const name of refused) delete values[name];
  return values;
}

function problemOf(pair: QueryPair, isSecond: boolean): ErrorEntry | undefined {
  if (isSecond) return { code: 'custom', field: pair.name, message: 'Sent more than once' };
  if (pair.malformed) return { code: 'invalid_format', field: pair.name, message: UNREADABLE_ENCODING };
  return undefined;
}

export const UNREADABLE_ENCODING = 'The percent encoding cannot be read as UTF-8';
