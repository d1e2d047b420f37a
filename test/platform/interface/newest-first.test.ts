import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import { newestFirst, pageOf } from '../../../src/platform/interface/newest-first.ts';

interface Database {
  things: { id: string; created_at: string; key: string };
}

/** Writes statements and sends them nowhere. */
const writer = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const things = writer.selectFrom('things').select(['id', 'created_at']);
const columns = { key: { column: 'key', type: 'string' } } as never;

test('orders by the pair that the index has, and asks for one row more than the page', () => {
  const { sql, parameters } = newestFirst(things, { limit: 10, after: null, filters: [] }, columns).compile();
  expect(sql).toBe('select "id", "created_at" from "things" order by "created_at" desc, "id" desc limit $1');
  expect(parameters).toEqual([11]);
});

test('behind a position: one comparison of the pair, which is one range of the index', () => {
  const after = { created_at: '2026-10-05T08:30:00Z', id: 'thing_1' };
  const { sql, parameters } = newestFirst(things, { limit: 2, after, filters: [] }, columns).compile();
  expect(sql).toContain('("created_at", "id") < ($1::timestamptz, $2)');
  expect(parameters).toEqual([after.created_at, after.id, 3]);
});

test('the page ends with the limit; the row behind it says only that there is more', () => {
  const rows = ['c', 'b', 'a'].map((id) => ({ id, created_at: `at ${id}` }));
  const cursorAfter = (row: { id: string }) => `after ${row.id}`;
  const shown = ({ id }: { id: string }) => id.toUpperCase();
  expect(pageOf(rows, { limit: 2, cursorAfter }, shown)).toEqual({ items: ['C', 'B'], next_page: 'after b' });
  expect(pageOf(rows, { limit: 3, cursorAfter }, shown)).toEqual({ items: ['C', 'B', 'A'], next_page: null });
  expect(pageOf([], { limit: 3, cursorAfter }, shown)).toEqual({ items: [], next_page: null });
});
