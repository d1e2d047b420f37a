import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLACES_OF_OTHERS, type Place, places } from '../../../src/governance/personal-data/places.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const tables = (text: string) =>
  withDatabaseClient(database.adminUrl, async (client) => {
    const { rows } = await client.query<{ table: string }>(text);
    return rows.map(({ table }) => table);
  });

const known = new Set([...places.map(({ table }) => table), ...Object.keys(PLACES_OF_OTHERS)]);

test('every table with a personal column is a place that is exported and erased', async () => {
  const personal = await tables(`
    SELECT DISTINCT relname::text AS "table"
      FROM pg_description JOIN pg_class ON pg_class.oid = objoid
     WHERE classoid = 'pg_class'::regclass AND objsubid > 0 AND relkind = 'r'
       AND relnamespace = 'public'::regnamespace AND description ~ 'Personal'`);
  expect(personal.length).toBeGreaterThan(15);
  expect(personal.filter((table) => !known.has(table))).toEqual([]);
});

test('every table with rows of a customer is such a place', async () => {
  const ofCustomers = await tables(`
    SELECT table_name::text AS "table" FROM information_schema.columns JOIN information_schema.tables
     USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'customer_id'`);
  expect(ofCustomers.length).toBeGreaterThan(15);
  expect(ofCustomers.filter((table) => !known.has(table))).toEqual([]);
});

/** Purpose and period, each behind a semicolon: `Personal; for billing; 3 years.` */
const MARK = /Personal[^;]*; (for|to) [^;]+; \S/;
const WITHOUT_CONTENT = /^(timestamp|date)/;
const isMeasured = (table: string, type: string) =>
  table === 'asset_snapshots' && /^(double|boolean)/.test(type);
/** Blanked, and yet nothing that was said of the person. */
const STATES = ['grants.revoked_reason'];

async function columns() {
  return await withDatabaseClient(database.adminUrl, async (client) => {
    const { rows } = await client.query<{ table: string; name: string; type: string; comment: string }>(`
      SELECT relname::text AS "table", attname::text AS name, format_type(atttypid, atttypmod) AS type,
             coalesce(col_description(attrelid, attnum), '') AS comment
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`);
    return rows;
  });
}

test('every column that is marked personal says for what it is there and for how long', async () => {
  const marked = (await columns()).filter(({ comment }) => comment.includes('Personal'));
  expect(marked.length).toBeGreaterThan(50);
  expect(marked.filter(({ comment }) => !MARK.test(comment))).toEqual([]);
});

test('what an erasure deletes, restricts or blanks is marked personal, and so is each text of clients and each measured value', async () => {
  const all = await columns();
  const isMarked = (table: string, name: string) =>
    all.some((column) => column.table === table && column.name === name && MARK.test(column.comment));
  const unmarked = places.flatMap(({ table, onErasure }: Place) => {
    if (onErasure === 'kept') return [];
    const own = all.filter((column) => column.table === table);
    expect([table, own.length]).not.toEqual([table, 0]);
    const erased =
      typeof onErasure === 'string'
        ? own.filter(
            ({ type }) => (onErasure === 'deleted' && type.startsWith('json')) || isMeasured(table, type),
          )
        : own.filter(({ name, type }) => name in onErasure.blanked && !WITHOUT_CONTENT.test(type));
    const names = erased.map(({ name }) => name);
    const bare = names.filter((name) => !isMarked(table, name)).map((name) => `${table}.${name}`);
    return own.some(({ name }) => isMarked(table, name)) ? bare : [...bare, `nothing of ${table}`];
  });
  expect(unmarked.filter((name) => !STATES.includes(name))).toEqual([]);
});
