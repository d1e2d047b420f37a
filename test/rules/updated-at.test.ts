import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { addPlaces } from '../routes/table/place.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { insertTenant } from '../setup/tenants.ts';

/** Counts its changes by its version; the instant is for the operator. */
const OTHERWISE = ['price_days'];

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  const { organization } = await insertTenant(admin);
  await addPlaces(database, [organization]);
  await admin.query(
    "INSERT INTO market_partners (id, code, name, country) VALUES ($1, '9900000000001', 'Example', 'DE')",
    [newId('mp')],
  );
});
afterAll(async () => {
  await admin?.end();
  await database?.drop();
});

test('every table with updated_at lets it move forwards only', async () => {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT table_name::text AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'updated_at' ORDER BY 1`,
  );
  const tables = rows.map(({ name }) => name).filter((name) => !OTHERWISE.includes(name));
  expect(tables).toContain('subscriptions');
  const wrong: string[] = [];
  for (const table of tables) {
    const { rows: moved } = await admin.query<{ microseconds: number }>(
      `WITH before AS (SELECT ctid, updated_at FROM ${table} LIMIT 1)
       UPDATE ${table} AS moved SET updated_at = before.updated_at - interval '1 hour' FROM before
        WHERE moved.ctid = before.ctid
       RETURNING extract(microseconds FROM moved.updated_at - before.updated_at)::int AS microseconds`,
    );
    if (moved[0]?.microseconds !== 1)
      wrong.push(`${table}: ${moved[0]?.microseconds ?? 'no row to try it on'}`);
  }
  expect(wrong).toEqual([]);
});
