import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { normalized, schemaFile, schemaSource } from '../../scripts/write-schema.ts';
import { tablesFile, tablesSource } from '../../scripts/write-tables.ts';
import { readMigrations } from '../../src/platform/database/migration-files.ts';
import { initDatabase, migrateDatabase, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { MEASURED } from '../../src/telemetry/snapshots/fields.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { testOnlyOn } from '../setup/engine.ts';
import { isLongTier } from '../setup/tier.ts';

let database: TestDatabase;
let client: pg.Client;
/** What `database` has. */
let migrated: string;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  migrated = await schemaSource(database.name, inject('servers'));
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const onTimescale = testOnlyOn(
  'timescaledb',
  'of hypertables; what tables and functions are on Citus is compared with it in test/scale-out/storage.long.test.ts',
);

/**
 * What the server's own pg_dump says of a database that is made from a dump. Texts of two servers are no measure: another
 * minor version writes the same function in other words, and one that was read in once more has other names of columns.
 */
async function dumpOfDatabaseFrom(dump: string): Promise<string> {
  const made = await createTestDatabase({ empty: true });
  try {
    const { databaseAdminUrl: adminUrl, passwords } = inject('servers');
    await initDatabase({ adminUrl, database: made.name, passwords });
    const { rows } = await client.query<{ name: string; schema: string }>(
      'SELECT extname AS name, extnamespace::regnamespace AS schema FROM pg_extension',
    );
    await withDatabaseClient(made.adminUrl, async (admin) => {
      await admin.query('CREATE SCHEMA extensions');
      for (const { name, schema } of rows) {
        await admin.query(`CREATE EXTENSION IF NOT EXISTS ${name} SCHEMA ${schema}`);
      }
      /* As every dump begins: functions may name what comes later, and every name says its schema. */
      await admin.query("SET check_function_bodies = false; SELECT set_config('search_path', '', false)");
      await admin.query(dump);
    });
    return await schemaSource(made.name, inject('servers'));
  } finally {
    await made.drop();
  }
}

onTimescale(
  'sql/schema.sql makes what the migrations make (else: node scripts/node.mjs scripts/write-schema.ts)',
  async () => {
    const written = await readFile(schemaFile, 'utf8');
    /* Equal texts make equal databases: only where a server of another version wrote the file are both made. */
    if (written === migrated) return;
    expect(await dumpOfDatabaseFrom(migrated)).toBe(await dumpOfDatabaseFrom(written));
  },
);

onTimescale(
  'platform/database/tables.ts is what the database says (else: node scripts/node.mjs scripts/write-tables.ts)',
  async () => {
    expect(await tablesSource(client)).toBe(await readFile(tablesFile, 'utf8'));
  },
);

test('migrating an empty database many times at once, and once more, gives this schema', async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    const { databaseAdminUrl: adminUrl, workerAdminUrls, passwords } = inject('servers');
    const options = { adminUrl, workerAdminUrls, database: empty.name, passwords };
    // Twice, as after an update of the extension.
    await initDatabase(options);
    const { ownerUrl } = await initDatabase(options);
    const runs = await Promise.all(
      Array.from({ length: isLongTier ? 20 : 2 }, () => migrateDatabase(ownerUrl)),
    );
    const names = (await readMigrations()).map((file) => file.name);
    expect(runs.flat()).toEqual(names);
    expect(await migrateDatabase(ownerUrl)).toEqual([]);
    expect(await schemaSource(empty.name, inject('servers'))).toBe(migrated);
  } finally {
    await empty.drop();
  }
});

test('the dump is the same from servers that differ in version and edition', () => {
  const other = [
    '\\restrict Wj3k',
    '-- Dumped from database version 18.1',
    'SET statement_timeout = 0;',
    "SELECT pg_catalog.set_config('search_path', '', false);",
    'CREATE TABLE public.x (id bigint);',
    'CREATE TRIGGER ts_insert_blocker BEFORE INSERT ON public.x FOR EACH ROW EXECUTE FUNCTION f();',
    '\\unrestrict Wj3k',
  ].join('\n\n');
  expect(normalized(other).split('\n\n').slice(1)).toEqual(['CREATE TABLE public.x (id bigint);\n']);
});

/** Neither the partition of a week, whose columns are those of its table, nor of an extension. */
const IS_OURS = `NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`;

test('every table, view, column and function of ours says what it is', async () => {
  const { rows } = await client.query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p') AND ${IS_OURS}
       AND coalesce(obj_description(c.oid, 'pg_class'), '') = ''
     UNION ALL
    SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p') AND ${IS_OURS}
       AND a.attnum > 0 AND NOT a.attisdropped AND coalesce(col_description(c.oid, a.attnum), '') = ''
     UNION ALL
    SELECT p.oid::regprocedure::text FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND coalesce(obj_description(p.oid, 'pg_proc'), '') = ''
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`);
  expect(rows).toEqual([]);
});

test('a column whose name carries a unit says the unit in its comment', async () => {
  const units: Record<string, RegExp> = { kw: /\bkW\b/, kwh: /\bkWh\b/, seconds: /\bseconds\b/ };
  const { rows } = await client.query<{ name: string; comment: string }>(`
    SELECT a.attname AS name, col_description(c.oid, a.attnum) AS comment
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND ${IS_OURS} AND a.attnum > 0`);
  const silent = rows.filter(({ name, comment }) => {
    const unit = units[/_(kwh?|seconds)$/.exec(name)?.[1] ?? ''];
    return unit !== undefined && !unit.test(comment);
  });
  expect(silent).toEqual([]);
});

onTimescale('snapshots are a hypertable in chunks of 7 days with the unique index alone', async () => {
  const { rows } = await client.query(`
    SELECT h.num_dimensions, d.column_name, d.time_interval::text,
           (SELECT array_agg(indexname::text) FROM pg_indexes WHERE tablename = 'asset_snapshots') AS indexes
      FROM timescaledb_information.hypertables h
      JOIN timescaledb_information.dimensions d USING (hypertable_schema, hypertable_name)
     WHERE h.hypertable_name = 'asset_snapshots'`);
  expect(rows).toEqual([
    {
      num_dimensions: 1,
      column_name: 'timestamp',
      time_interval: '7 days',
      indexes: ['asset_snapshots_asset_id_timestamp_key'],
    },
  ]);
});

test('text is ordered by code point and lower-cased by Unicode on every machine', async () => {
  const { rows } = await client.query(`
    SELECT datlocprovider AS provider, datlocale AS locale, lower('KÄTHE@EXAMPLE.ORG') AS lowered,
           ARRAY(SELECT x FROM unnest(ARRAY['b', 'ä', 'B', 'a']) x ORDER BY x) AS ordered
      FROM pg_database WHERE datname = current_database()`);
  expect(rows).toEqual([
    { provider: 'b', locale: 'C.UTF-8', lowered: 'käthe@example.org', ordered: ['B', 'a', 'b', 'ä'] },
  ]);
});

onTimescale('the columnstore segments by asset where the edition has one', async () => {
  const { rows } = await withDatabaseClient(database.adminUrl, (admin) =>
    admin.query<{ license: string; on: boolean }>(`
      SELECT current_setting('timescaledb.license') AS license, compression_enabled AS on
        FROM timescaledb_information.hypertables WHERE hypertable_name = 'asset_snapshots'`),
  );
  expect(rows[0]?.on).toBe(rows[0]?.license === 'timescale');
});

/** Of each number what lies just beyond its bounds, and what is none. */
const refusedValues = MEASURED.fields.flatMap((field) => {
  if (field.kind === 'boolean') return [];
  const { bounds } = field;
  const beyond = bounds === 'rating' ? ['1e9', '-1e9'] : [`${bounds.min} - 1e-7`, `${bounds.max} + 1e-7`];
  return ["'NaN'", "'Infinity'", ...beyond].map((value) => [field.name, value] as const);
});

test('no measured value is stored that is not a number within its bounds', async () => {
  expect(refusedValues.length).toBeGreaterThan(10);
  for (const [column, value] of refusedValues) {
    const insert = `INSERT INTO asset_snapshots (asset_id, timestamp, ${column}) VALUES (1, now(), ${value})`;
    await expect(client.query(insert), insert).rejects.toMatchObject({ code: '23514' });
  }
});
