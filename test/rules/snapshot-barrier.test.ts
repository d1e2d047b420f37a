import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHUNK_FUNCTIONS } from '../../src/platform/process/boot-check.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { engine, testOnlyOn } from '../setup/engine.ts';
import { placesOf, storageCalls } from '../setup/storage.ts';
import { insertTenant, type Tenant } from '../setup/tenants.ts';
import { FUNCTIONS_OF_CITUS, OWNER_FUNCTIONS } from './owner-functions.ts';

let database: TestDatabase;
const clients: pg.Client[] = [];
let admin: pg.Client;
let app: pg.Client;
let maintenance: pg.Client;
let a: Tenant;
let b: Tenant;

async function connect(url: string, options = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options });
  clients.push(client);
  await client.connect();
  return client;
}

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await connect(database.adminUrl);
  app = await connect(database.appUrl);
  maintenance = await connect(database.maintenanceUrl);
  a = await insertTenant(admin);
  b = await insertTenant(admin);
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database?.drop();
});

async function inOrganization(tenant: Tenant, text: string, values: unknown[] = [], customer = '') {
  await app.query('BEGIN');
  await app.query("SELECT set_config('app.organization', $1, true), set_config('app.customer', $2, true)", [
    tenant.organization,
    customer,
  ]);
  try {
    return (await app.query(text, values)).rows;
  } finally {
    await app.query('ROLLBACK');
  }
}

const refused = (client: pg.Client, statement: string) =>
  expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });

/** Everybody may set it; without it Citus refuses some statements on shards before it asks for rights. */
const ON_SHARDS = engine === 'citus' ? '-c citus.enable_manual_changes_to_shards=on' : '';

/** The table and each chunk, partition or shard of it, on every node. */
async function refusedEverywhere(url: string): Promise<void> {
  for (const { at, tables } of await placesOf(database, 'asset_snapshots')) {
    expect(tables.length).toBeGreaterThan(1);
    const client = await connect(at(url), ON_SHARDS);
    for (const table of tables) {
      await refused(client, `SELECT * FROM ${table}`);
      await refused(client, `SELECT count(*) FROM ${table}`);
      await refused(client, `UPDATE ${table} SET power_kw = 0`);
      await refused(client, `DELETE FROM ${table}`);
      await refused(client, `TRUNCATE ${table}`);
      await refused(client, `COPY ${table} TO STDOUT`);
    }
  }
}

const namesOfPlaces = async () =>
  (await placesOf(database, 'asset_snapshots')).flatMap(({ tables }) => tables).sort();

test('I15 the service may add snapshots and do nothing else with the table or what its rows lie in', async () => {
  await refusedEverywhere(database.appUrl);
  await refused(
    app,
    'INSERT INTO asset_snapshots (asset_id, timestamp) VALUES (1, now()) RETURNING power_kw',
  );
});

test('I15 rows of a new week are in a new chunk or partition, which is as closed as the others', async () => {
  const before = await namesOfPlaces();
  if (engine === 'citus') await maintenance.query("SELECT prepare_snapshot_partitions('2019-03-01', 1)");
  const stream = app.query(copyFrom('COPY asset_snapshots (asset_id, timestamp, power_kw) FROM STDIN'));
  await pipeline(Readable.from([`${a.keys[0]}\t2019-03-01 00:00:00+00\t2.5\n`]), stream);
  expect(stream.rowCount).toBe(1);
  const added = (await namesOfPlaces()).filter((name) => !before.includes(name));
  expect(added.length).toBeGreaterThan(0);
  await refusedEverywhere(database.appUrl);
});

const hasView = testOnlyOn('timescaledb', 'Citus has no such view: functions read, and are asked below');

hasView('I15 visible_snapshots shows one organization, also when foreign keys are asked for', async () => {
  const keys = [...a.keys, ...b.keys];
  const own = await inOrganization(
    a,
    'SELECT DISTINCT asset FROM visible_snapshots WHERE asset_id = ANY ($1)',
    [keys],
  );
  expect(own.map((row) => row.asset).sort()).toEqual([...a.assets].sort());
  expect(
    await inOrganization(a, 'SELECT 1 FROM visible_snapshots WHERE asset_id = ANY ($1)', [b.keys]),
  ).toEqual([]);
  const customer = await inOrganization(
    a,
    'SELECT DISTINCT asset FROM visible_snapshots',
    [],
    a.customers[1],
  );
  expect(customer).toEqual([{ asset: a.assets[1] }]);
  expect((await app.query('SELECT 1 FROM visible_snapshots')).rows).toEqual([]);
});

test('a condition of the caller is not tried on the rows of others', async () => {
  /* The service's role may not make such a function. Whoever could would see nothing by it either. */
  const { rows: here } = await admin.query<{ name: string }>('SELECT current_database() AS name');
  await admin.query(`GRANT TEMPORARY ON DATABASE ${here[0]?.name} TO voltstream_app`);
  await app.query(`
    CREATE FUNCTION pg_temp.leak(value double precision) RETURNS boolean LANGUAGE plpgsql COST 0.000001
    AS $$ BEGIN RAISE NOTICE 'seen %', value; RETURN true; END $$`);
  await admin.query('UPDATE asset_snapshots SET power_kw = 4711 WHERE asset_id = ANY ($1)', [b.keys]);
  const notices: (string | undefined)[] = [];
  app.on('notice', (notice) => notices.push(notice.message));
  const newest = "newest_snapshots(NULL, NULL, now() - INTERVAL '1 day', NULL, NULL, 100)";
  for (const relation of engine === 'citus' ? [newest] : [newest, 'visible_snapshots']) {
    notices.length = 0;
    await inOrganization(a, `SELECT 1 FROM ${relation} WHERE pg_temp.leak(power_kw)`);
    expect(notices.length).toBeGreaterThan(0);
    expect(notices.filter((text) => text?.includes('4711'))).toEqual([]);
  }
  await admin.query(`REVOKE TEMPORARY ON DATABASE ${here[0]?.name} FROM voltstream_app`);
});

test('the list of newest snapshots shows one organization or one customer, whatever ids are asked for', async () => {
  const newest = (tenant: Tenant, households: string[] | null, assets: string[] | null, customer = '') =>
    inOrganization(
      tenant,
      "SELECT asset FROM newest_snapshots($1, $2, now() - INTERVAL '1 day', NULL, NULL, 100)",
      [households, assets],
      customer,
    );
  expect((await newest(a, [...a.households, ...b.households], null)).map((row) => row.asset).sort()).toEqual(
    [...a.assets].sort(),
  );
  expect(await newest(a, b.households, null)).toEqual([]);
  expect(await newest(a, null, b.assets)).toEqual([]);
  expect(await newest(a, null, a.assets, a.customers[1])).toEqual([{ asset: a.assets[1] }]);
  const { rows } = await app.query(
    "SELECT 1 FROM newest_snapshots(NULL, NULL, '2000-01-01', NULL, NULL, 100)",
  );
  expect(rows).toEqual([]);
});

test('what is stored at given instants shows one organization or one customer, whatever keys are asked for', async () => {
  const { rows: taken } = await admin.query<{ key: number; timestamp: string }>(
    `SELECT DISTINCT ON (asset_id) asset_id::integer AS key, timestamp::text AS timestamp
       FROM asset_snapshots WHERE asset_id = ANY ($1)`,
    [[...a.keys, ...b.keys]],
  );
  const keys = taken.map((row) => row.key);
  const seen = async (tenant: Tenant, customer = '') => {
    const rows = await inOrganization(
      tenant,
      `SELECT timestamp IS NOT NULL AS is_found
         FROM stored_snapshots($1, $2, $3::timestamptz[], '-infinity', 'infinity')`,
      [keys, keys.map((_, index) => index + 1), taken.map((row) => row.timestamp)],
      customer,
    );
    return keys.filter((_, index) => rows[index]?.is_found).sort();
  };
  const numbers = (values: readonly (number | string)[]) => values.map(Number).sort();
  expect(numbers(await seen(a))).toEqual(numbers(a.keys));
  expect(numbers(await seen(b))).toEqual(numbers(b.keys));
  expect(await seen(a, a.customers[1])).toEqual([Number(a.keys[1])]);

  /* Of several organizations, each sees its own runs, whoever asks and whatever runs are named as its. */
  const middle = Math.floor(keys.length / 2);
  const seenBy = async (organizations: readonly string[]) => {
    const rows = await inOrganization(
      b,
      `SELECT timestamp IS NOT NULL AS is_found
         FROM stored_snapshots($1, $2, $3::timestamptz[], '-infinity', 'infinity', $4, $5)`,
      [
        ...[keys, keys.map((_, index) => index + 1), taken.map((row) => row.timestamp)],
        ...[organizations, [middle, keys.length]],
      ],
    );
    return keys.filter((_, index) => rows[index]?.is_found).map(Number);
  };
  for (const [first, second] of [
    [a, b],
    [b, a],
    [a, a],
  ] as const) {
    const owned = keys.filter((key, index) =>
      numbers((index < middle ? first : second).keys).includes(Number(key)),
    );
    expect(await seenBy([first.organization, second.organization])).toEqual(owned.map(Number));
  }
});

test('I16 every view runs with the rights of its caller, or is a barrier of the one role that may', async () => {
  const { rows } = await admin.query<{ name: string; owner: string; options: string[] | null }>(`
    SELECT relname AS name, relowner::regrole::text AS owner, reloptions AS options FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')`);
  const open = rows.filter(
    ({ name, owner, options }) =>
      !options?.includes('security_invoker=true') &&
      !(options?.includes('security_barrier=true') && owner === 'voltstream_snapshot_reader') &&
      /* Asked by policies alone: the service has no right to it, and analysts reach nothing of this schema. */
      name !== 'restricted_ids',
  );
  expect(open).toEqual([]);
  const names = {
    timescaledb: ['meter_states', 'price_changes', 'restricted_ids', 'visible_snapshots'],
    citus: ['meter_states', 'price_changes', 'restricted_ids'],
  };
  expect(rows.map((row) => row.name).sort()).toEqual(names[engine]);
});

test('every function that runs with rights of its owner fixes its search path, names its callers, and is known here', async () => {
  const { rows } = await admin.query<{ name: string; owner: string; callers: string; is_fixed: boolean }>(`
    SELECT p.proname AS name, p.proowner::regrole::text AS owner,
           coalesce((SELECT string_agg(CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE x.grantee::regrole::text END, ' ')
                       FROM aclexplode(p.proacl) x WHERE x.grantee <> p.proowner), '') AS callers,
           EXISTS (SELECT FROM unnest(p.proconfig) s WHERE s LIKE 'search_path=pg_catalog, %pg_temp') AS is_fixed
      FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.proacl IS NOT NULL
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     ORDER BY 1`);
  expect(rows.filter((row) => !row.is_fixed)).toEqual([]);
  expect(rows.map(({ name, owner, callers }) => `${name}: ${owner} for ${callers || 'nobody'}`)).toEqual(
    [...OWNER_FUNCTIONS, ...(engine === 'citus' ? FUNCTIONS_OF_CITUS : [])].sort(),
  );
  const { rows: open } = await admin.query(`
    SELECT p.proname FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND has_function_privilege('public', p.oid, 'EXECUTE')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`);
  expect(open).toEqual([]);
});

test('I21 no role of a service process reaches functions of the extension that remove, freeze or move what is stored', async () => {
  const before = await namesOfPlaces();
  const calls = await storageCalls(admin);
  expect(calls.length).toBeGreaterThan(5);
  for (const client of [app, maintenance]) {
    for (const call of calls) await refused(client, call);
    await refused(client, 'DROP TABLE asset_snapshots');
  }
  /* Most of them are not allowed on workers at all. */
  for (const { at } of (await placesOf(database, 'asset_snapshots')).slice(1)) {
    const client = await connect(at(database.appUrl));
    for (const call of calls) await expect(client.query(call), call).rejects.toThrow();
  }
  expect(await namesOfPlaces()).toEqual(before);
});

testOnlyOn('timescaledb', 'Citus has no chunks')(
  'I21 none of the chunk functions is open to a role of a service process',
  async () => {
    for (const client of [app, maintenance]) {
      const { rows } = await client.query(
        `SELECT p.oid::regprocedure::text AS open FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE n.nspname IN ('_timescaledb_functions', '_timescaledb_internal') AND p.proname = ANY ($1)
            AND has_function_privilege(p.oid, 'EXECUTE')`,
        [CHUNK_FUNCTIONS],
      );
      expect(rows).toEqual([]);
    }
  },
);

test('maintenance drops old chunks and erases one asset, and reads nothing', async () => {
  await refusedEverywhere(database.maintenanceUrl);
  const views = engine === 'citus' ? [] : ['visible_snapshots'];
  for (const table of [...views, 'assets', 'customers', 'audit_log']) {
    await refused(maintenance, `SELECT * FROM ${table}`);
  }
  await admin.query(
    "INSERT INTO asset_snapshots (asset_id, timestamp) VALUES ($1, '2019-06-01'), ($1, now())",
    [b.keys[0]],
  );
  /* On Citus whole weeks go first, then rows of weeks that have no partition. */
  const drop = async () => {
    const { rows } = await maintenance.query("SELECT drop_old_snapshot_chunks('2020-01-01')::int AS chunks");
    return rows[0]?.chunks;
  };
  expect(await drop()).toBeGreaterThan(0);
  while ((await drop()) > 0);
  const { rows: old } = await admin.query("SELECT 1 FROM asset_snapshots WHERE timestamp < '2020-01-01'");
  expect(old).toEqual([]);
  const { rows: erased } = await maintenance.query('SELECT erase_asset_snapshots($1) AS rows', [b.keys[0]]);
  expect(erased).toEqual([{ rows: '2' }]);
  const { rows: left } = await admin.query('SELECT asset_id FROM asset_snapshots WHERE asset_id = ANY ($1)', [
    b.keys,
  ]);
  expect(left).toEqual([{ asset_id: String(b.keys[1]) }]);
  await expect(
    maintenance.query("SELECT drop_old_snapshot_chunks(now() + INTERVAL '1 day')"),
  ).rejects.toThrow('in the past only');
  await refused(app, "SELECT drop_old_snapshot_chunks('2020-01-01')");
  await refused(app, 'SELECT erase_asset_snapshots(1)');
});
