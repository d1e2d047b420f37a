import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLACES_OF_OTHERS, places } from '../../../src/governance/personal-data/places.ts';
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
