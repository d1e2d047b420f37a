import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListFilter } from '../../../src/platform/interface/filters.ts';
import { cursorAfter, type PageScope, readPage } from '../../../src/platform/interface/pagination.ts';
import { queryPairs } from '../../../src/platform/interface/query.ts';

const scope: PageScope = { key: 'k'.repeat(43), route: 'GET /assets', organization: 'org_a', customer: null };
const row = { created_at: '2026-10-05T08:30:00.123456Z', id: 'ast_ad51xw67ux84vg3bxdenzotf' };
const filters: ListFilter[] = [
  { field: 'household', operator: 'eq', value: 'dom_1', type: 'string' },
  { field: 'external_id', operator: 'in', value: ['a', 'b'], type: 'string' },
];

const read = (query: string, of: PageScope = scope, by: ListFilter[] = filters) =>
  readPage(queryPairs(`/assets?${query}`), of, by);
const refusals = (query: string, of?: PageScope, by?: ListFilter[]) =>
  read(query, of, by).entries.map(({ code, field }) => `${code} ${field}`);

describe('limit', () => {
  test('is 10 where it is not sent', () => {
    expect(read('')).toEqual({ limit: 10, after: null, entries: [] });
  });

  test.each([1, 100])('accepts %i', (limit) => {
    expect(read(`limit=${limit}`)).toEqual({ limit, after: null, entries: [] });
  });

  test.each([
    ['0', 'too_small limit'],
    ['-1', 'too_small limit'],
    ['101', 'too_big limit'],
    ['1.5', 'invalid_type limit'],
    ['abc', 'invalid_type limit'],
    ['1e2', 'invalid_type limit'],
    ['%205', 'invalid_type limit'],
    ['+5', 'invalid_type limit'],
    ['', 'invalid_type limit'],
    ['5&limit=5', 'custom limit'],
  ])('B94 limit=%s is refused as %s', (text, refusal) => {
    expect(refusals(`limit=${text}`)).toEqual([refusal]);
  });
});

describe('cursor', () => {
  const cursor = cursorAfter(row, 10, scope, filters);

  test('leads back to the row, to the microsecond', () => {
    expect(read(`cursor=${cursor}`)).toEqual({ limit: 10, after: row, entries: [] });
  });

  test('does not care in which order the filters were written', () => {
    expect(read(`cursor=${cursor}`, scope, filters.toReversed()).after).toEqual(row);
  });

  test('B95 any changed character is refused', () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'ABCabc019-_'), (at, character) => {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        fc.pre(changed !== cursor);
        expect(refusals(`cursor=${changed}`)).toEqual(['custom cursor']);
      }),
    );
  });

  test('B95 every single changed bit is refused', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(refusals(`cursor=${changed.toString('base64url')}`)).toEqual(['custom cursor']);
    }
  });

  test.each<[string, Partial<PageScope>]>([
    ['another list', { route: 'GET /households' }],
    ['another organization', { organization: 'org_b' }],
    ['a customer token', { customer: 'cus_1' }],
    ['another key', { key: 'x'.repeat(43) }],
  ])('B95 is refused for %s', (_title, change) => {
    expect(refusals(`cursor=${cursor}`, { ...scope, ...change })).toEqual(['custom cursor']);
  });

  test('B95 is refused with another limit or other filters', () => {
    expect(refusals(`cursor=${cursor}&limit=11`)).toEqual(['custom cursor']);
    expect(refusals(`cursor=${cursor}`, scope, filters.slice(1))).toEqual(['custom cursor']);
    expect(refusals(`cursor=${cursor}`, scope, [])).toEqual(['custom cursor']);
  });

  test.each([
    ['empty', ''],
    ['10 kB', 'A'.repeat(10_000)],
    ['no base64url', '%25%25'],
    ['padded', `${cursor}==`],
    ['with text behind it', `${cursor}.`],
    ['twice', `${cursor}&cursor=${cursor}`],
  ])('B95 is refused when it is %s', (_title, text) => {
    expect(refusals(`cursor=${text}`)).toEqual(['custom cursor']);
  });
});
