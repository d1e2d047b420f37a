import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { placesOf, storageCalls } from '../../setup/storage.ts';
import { insertTenant, type Tenant } from '../../setup/tenants.ts';
import { Accounts } from './account.ts';

let database: TestDatabase;
let accounts: Accounts;
let admin: pg.Client;
let analyst: pg.Client;
let address: string;
let a: Tenant;
let b: Tenant;

beforeAll(async () => {
  database = await createTestDatabase();
  accounts = new Accounts(database);
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  a = await insertTenant(admin);
  b = await insertTenant(admin);
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, date_trunc('hour', now()), 1, 0, 900, 0.25, 0 FROM assets`,
  );
  await admin.query('SELECT make_analyst_schema(id) FROM organizations');
  ({ address } = await accounts.make(a.organization));
  analyst = await accounts.connect(address);
  /* As an analyst can: what he is refused here is refused by rights, and not because he only reads. */
  await analyst.query('SET default_transaction_read_only = off');
});
afterAll(async () => {
  await accounts?.close();
  await admin?.end();
  await database?.drop();
});

const names = async (text: string, values: unknown[] = []) =>
  (await admin.query<{ name: string }>(text, values)).rows.map(({ name }) => name);

const ownViews = () =>
  names(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'v' ORDER BY 1",
    [`analytics_${a.organization}`],
  );

/** Code of the refusal, or `done`. */
const outcome = (statement: string) =>
  analyst.query(statement).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

async function refused(statements: readonly string[], code = '42501'): Promise<void> {
  for (const statement of statements)
    expect([statement, await outcome(statement)]).toEqual([statement, code]);
}

test('I22 the views show one organization, whatever is set', async () => {
  const idsOf = (tenant: Tenant) => [
    ...[tenant.organization, ...tenant.customers, ...tenant.households],
    ...tenant.assets,
  ];
  /** Each view with the ids that it shows. */
  const seen = async () => {
    const texts: string[] = [];
    for (const view of await ownViews()) {
      const { rows } = await analyst.query(
        `SELECT * FROM ${view} AS t WHERE t::text ~ '(ast|dom|cus|sub|org)_'`,
      );
      const ids = new Set(JSON.stringify(rows).match(/[a-z]+_[0-9a-z]{24}/g));
      texts.push(`${view}: ${[...ids].sort().join(' ')}`);
    }
    return texts.join('\n');
  };
  const before = await seen();
  for (const id of idsOf(a).slice(1)) expect(before).toContain(id);
  for (const id of idsOf(b)) expect(before).not.toContain(id);
  for (const view of [
    'assets',
    'snapshots',
    'newest_snapshots',
    'contracts',
    'energy',
    'household_energy',
    'completeness',
  ]) {
    expect((await analyst.query(`SELECT 1 FROM ${view}`)).rows.length, view).toBeGreaterThan(0);
  }
  for (const setting of ['organization', 'customer']) {
    await analyst.query(`SELECT set_config('app.${setting}', $1, false)`, [
      setting === 'organization' ? b.organization : b.customers[0],
    ]);
    expect(await seen()).toBe(before);
  }
});

/** Names of what measured values lie in beside their tables. */
const PIECES = { timescaledb: /_hyper_/, citus: /asset_(snapshots|quarter_hours)_/ }[engine];

test('I22 base tables, chunks, the views of all and of other organizations are refused', async () => {
  const relations = await names(`
    SELECT format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
       AND (n.nspname IN ('public', 'analytics', 'measured', '_timescaledb_cache') OR starts_with(n.nspname, 'analytics_org_')
            OR (n.nspname = '_timescaledb_internal' AND c.relname LIKE '\\_hyper%'))
       AND n.nspname <> 'analytics_${a.organization}'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`);
  expect(relations.length).toBeGreaterThan(80);
  expect(relations.filter((name) => PIECES.test(name)).length).toBeGreaterThan(0);
  expect(relations.filter((name) => name.includes(b.organization)).length).toBeGreaterThan(10);
  await refused(relations.map((name) => `SELECT 1 FROM ${name} LIMIT 1`));
});

test('I22 functions of the service are refused, and so is every other role', async () => {
  const functions = await names(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  );
  expect(functions.length).toBeGreaterThan(20);
  const role = (await analyst.query<{ role: string }>('SELECT current_user AS role')).rows[0]?.role;
  const { rows: mayCall } = await admin.query(
    "SELECT f FROM unnest($1::text[]) AS f WHERE has_function_privilege($2, f, 'EXECUTE')",
    [functions, role],
  );
  expect(mayCall).toEqual([]);
  await refused(["SELECT public.find_client('x')", 'SELECT public.list_organizations()']);
  const roles = await names(
    "SELECT rolname AS name FROM pg_roles WHERE rolname <> $1 AND rolname NOT LIKE 'voltstream_analyst_test%'",
    [role],
  );
  expect(roles).toContain('voltstream_analyst_reader');
  await refused(roles.map((role) => `SET ROLE ${role}`));
  await refused(roles.map((role) => `SET SESSION AUTHORIZATION ${role}`));
});

test('I22 no other node of the database lets an analyst in', async () => {
  const [, ...others] = await placesOf(database, 'asset_snapshots');
  expect(others.length > 0).toBe(engine === 'citus');
  for (const { at } of others) {
    await expect(accounts.connect(at(address))).rejects.toMatchObject({ code: '28P01' });
  }
});

test('I21 functions of the extension that remove, freeze or move what is stored are refused to an analyst', async () => {
  const tables = async () =>
    (await placesOf(database, 'asset_snapshots')).flatMap((place) => place.tables).sort();
  const before = await tables();
  const calls = await storageCalls(admin);
  expect(calls.length).toBeGreaterThan(5);
  await refused(calls);
  expect(await tables()).toEqual(before);
});

test('nothing is made, changed or given away', async () => {
  const view = `analytics_${a.organization}.snapshots`;
  await refused([
    ...['public', 'analytics', 'measured', `analytics_${a.organization}`, `analytics_${b.organization}`].map(
      (schema) => `CREATE TABLE ${schema}.mine (id int)`,
    ),
    'CREATE TEMPORARY TABLE mine (id int)',
    'CREATE SCHEMA mine',
    `CREATE FUNCTION analytics_${a.organization}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
    'CREATE EXTENSION dblink',
    'CREATE EXTENSION file_fdw',
    'CREATE ROLE mine',
    `DROP VIEW ${view}`,
    `ALTER VIEW ${view} RESET (security_barrier)`,
    `COMMENT ON VIEW ${view} IS 'mine'`,
    'DELETE FROM assets',
    "UPDATE customers SET type = 'company'",
    `DROP SCHEMA analytics_${b.organization} CASCADE`,
    `ALTER DATABASE ${database.name} SET work_mem = '1GB'`,
  ]);
  /* Granting what one may not grant is a warning and changes nothing. */
  await outcome(`GRANT SELECT ON ${view} TO PUBLIC`);
  const { rows } = await admin.query("SELECT has_table_privilege('voltstream_app', $1, 'SELECT') AS may", [
    view,
  ]);
  expect(rows).toEqual([{ may: false }]);
});

test('files, programs, large objects, locks by name and the log of the server are refused', async () => {
  await refused([
    "COPY (SELECT 1) TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/mine'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/mine')",
    'SELECT lo_create(0)',
    'SELECT lo_creat(-1)',
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_put(1, 0, 'x')",
    'SELECT lo_unlink(1)',
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_try_advisory_lock_shared(1, 2)',
    'SELECT pg_advisory_xact_lock(1)',
    "SELECT pg_logical_emit_message(false, 'mine', 'x')",
    'SELECT pg_switch_wal()',
    'SELECT pg_reload_conf()',
    "SELECT pg_create_logical_replication_slot('mine', 'test_decoding')",
    'DO $$ BEGIN LOCK TABLE public.assets IN ACCESS EXCLUSIVE MODE; END $$',
  ]);
});

test('a condition is not tried on rows of others, so that no error tells of them', async () => {
  await admin.query('UPDATE asset_snapshots SET power_kw = 4711 WHERE asset_id = ANY ($1)', [b.keys]);
  /* Plans that read all values first, as an analyst can ask for. */
  await analyst.query('SET enable_nestloop = off; SET enable_mergejoin = off');
  const { rows } = await analyst.query('SELECT 1 FROM snapshots WHERE 1 / (power_kw - 4711)::numeric < 1e9');
  expect(rows.length).toBeGreaterThan(0);
  await admin.query('UPDATE asset_snapshots SET power_kw = 4711 WHERE asset_id = $1', [a.keys[0]]);
  expect(await outcome('SELECT 1 FROM snapshots WHERE 1 / (power_kw - 4711)::numeric < 1e9')).toBe('22012');
});

test('the catalog tells no values, no statements and no definitions of others', async () => {
  await admin.query('ANALYZE');
  const { rows } = await analyst.query(`
    SELECT (SELECT count(*)::int FROM pg_stats
              WHERE schemaname !~ '^(pg_catalog|information_schema|_timescaledb_(catalog|config))$') AS statistics,
           (SELECT count(*)::int FROM pg_stat_activity WHERE usename <> current_user AND query <> '<insufficient privilege>')
             AS statements`);
  expect(rows).toEqual([{ statistics: 0, statements: 0 }]);
  await refused(['SELECT 1 FROM pg_statistic', 'SELECT 1 FROM pg_authid', 'SELECT 1 FROM pg_largeobject']);
});
