import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { ErrorEntry } from '../errors.ts';
import type { ListFilter } from './filters.ts';
import { type QueryPair, singleValues } from './query.ts';

export const LIMIT_DEFAULT = 10;
export const LIMIT_MAX = 100;
/** A cursor names the other parameters of its list, of which one may be a name of 255 characters, each with its escapes. */
const CURSOR_CHARACTERS_MAX = 4_000;
const SIGNATURE_BYTES = 16;
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['limit', 'cursor']);

/** The row behind which a page begins; `created_at` keeps its microseconds. */
export interface PagePosition {
  created_at: string;
  id: string;
  /** When the first page was read: for a list whose rows move while its pages are read. */
  first_read_at?: string;
  /** Which transactions that reading saw. */
  first_seen?: string;
}

/** A cursor holds for this place only, beside `limit` and the filters. */
export interface PageScope {
  /** Signs the cursors. */
  key: string;
  route: string;
  organization: string;
  customer: string | null;
}

/** `limit` and `cursor` of a list request. With entries the page must not be read. */
export function readPage(
  pairs: readonly QueryPair[],
  scope: PageScope,
  filters: readonly ListFilter[],
): { limit: number; after: PagePosition | null; entries: ErrorEntry[] } {
  const entries: ErrorEntry[] = [];
  const values = singleValues(pairs, PAGE_PARAMETERS, entries);
  const limit = readLimit(values.limit, entries);
  const binding = bindingOf(scope, limit, filters);
  const after = values.cursor === undefined ? null : readCursor(values.cursor, scope.key, binding, entries);
  return { limit, after, entries };
}

/** The text of `next_page` for a page that ends with this row and has a successor. */
export function cursorAfter(
  row: PagePosition,
  limit: number,
  scope: PageScope,
  filters: readonly ListFilter[],
): string {
  return writeCursor(row, scope.key, bindingOf(scope, limit, filters));
}

function readLimit(text: string | undefined, entries: ErrorEntry[]): number {
  if (text === undefined) return LIMIT_DEFAULT;
  const refuse = (code: ErrorEntry['code'], message: string) => {
    entries.push({ code, field: 'limit', message });
    return LIMIT_DEFAULT;
  };
  if (!/^-?\d+$/.test(text)) return refuse('invalid_type', 'Not a whole number');
  const limit = Number(text);
  if (limit < 1) return refuse('too_small', 'At least 1');
  if (limit > LIMIT_MAX) return refuse('too_big', `At most ${LIMIT_MAX}`);
  return limit;
}

type CursorBinding = readonly [
  limit: number,
  route: string,
  organization: string,
  customer: string,
  filters: string,
];

function bindingOf(scope: PageScope, limit: number, filters: readonly ListFilter[]): CursorBinding {
  return [limit, scope.route, scope.organization, scope.customer ?? '', filtersHash(filters)];
}

/** The order in which filters were written does not matter. */
function filtersHash(filters: readonly ListFilter[]): string {
  const texts = filters.map(({ field, operator, value }) => JSON.stringify([field, operator, value])).sort();
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 22);
}

function signatureOf(payload: Buffer, key: string): Buffer {
  return createHmac('sha256', key)
    .update('list cursor\n')
    .update(payload)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}

function writeCursor(position: PagePosition, key: string, binding: CursorBinding): string {
  const { created_at, id, first_read_at, first_seen } = position;
  const first = first_read_at === undefined ? [] : [first_read_at, first_seen];
  const parts = [created_at, id, ...binding, ...first];
  const payload = Buffer.from(JSON.stringify(parts));
  return Buffer.concat([signatureOf(payload, key), payload]).toString('base64url');
}

function readCursor(
  text: string,
  key: string,
  binding: CursorBinding,
  entries: ErrorEntry[],
): PagePosition | null {
  const refuse = (message: string) => {
    entries.push({ code: 'custom', field: 'cursor', message });
    return null;
  };
  const payload = verifiedPayload(text, key);
  if (payload === undefined) return refuse('Not a cursor of this service');
  const [created_at, id, limit, route, organization, customer, filters, first_read_at, first_seen] = payload;
  if (route !== binding[1] || organization !== binding[2] || customer !== binding[3]) {
    return refuse('This cursor belongs to another list');
  }
  if (limit !== binding[0]) return refuse('limit must stay the same from page to page');
  if (filters !== binding[4]) return refuse('The filters must stay the same from page to page');
  return {
    ...{ created_at, id },
    ...(first_read_at !== undefined && { first_read_at }),
    ...(first_seen !== undefined && { first_seen }),
  };
}

function verifiedPayload(
  text: string,
  key: string,
):
  | [created_at: string, id: string, ...CursorBinding, first_read_at?: string, first_seen?: string]
  | undefined {
  if (text.length > CURSOR_CHARACTERS_MAX) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  /* The decoder ignores foreign characters and spare bits: another spelling of a good cursor is no cursor. */
  if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== text) return undefined;
  const payload = bytes.subarray(SIGNATURE_BYTES);
  if (!timingSafeEqual(signatureOf(payload, key), bytes.subarray(0, SIGNATURE_BYTES))) return undefined;
  return JSON.parse(payload.toString());
}
