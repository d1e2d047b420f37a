import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { addPlaces } from '../routes/table/place.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { engine } from '../setup/engine.ts';
import { insertTenant, type Tenant } from '../setup/tenants.ts';
import {
  APPEND_ONLY,
  HIDDEN_FROM_CUSTOMERS,
  UNIQUE_ACROSS_ORGANIZATIONS,
  WITHOUT_ORGANIZATION,
} from './table-lists.ts';

let database: TestDatabase;
let admin: pg.Client;
let app: pg.Client;
let a: Tenant;
let b: Tenant;
let tenantTables: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  app = new pg.Client({ connectionString: database.appUrl });
  await Promise.all([admin.connect(), app.connect()]);
  a = await insertTenant(admin);
  b = await insertTenant(admin);
  await addPlaces(database, [a.organization, b.organization]);
  tenantTables = await names(`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute x ON x.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND x.attname = 'organization_id'
     ORDER BY 1`);
});

afterAll(async () => {
  await Promise.all([admin?.end(), app?.end()]);
  await database?.drop();
});

async function names(text: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(text, values);
  return rows.map((row) => row.name);
}

/** One statement as the service, in a transaction that is rolled back; the error's code where it is refused. */
async function asApp<Row extends pg.QueryResultRow>(
  text: string,
  setting: { organization?: string; customer?: string } = {},
): Promise<Row[] | string> {
  await app.query('BEGIN');
  try {
    await app.query("SELECT set_config('app.organization', $1, true), set_config('app.customer', $2, true)", [
      setting.organization ?? '',
      setting.customer ?? '',
    ]);
    const { rows } = await app.query<Row>(text);
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? '';
    throw error;
  } finally {
    await app.query('ROLLBACK');
  }
}

test('every table belongs to an organization, or is on the short list of those of the service', async () => {
  const all = await names(`
    SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`);
  expect(all.filter((name) => !tenantTables.includes(name))).toEqual(WITHOUT_ORGANIZATION);
  expect(tenantTables.length).toBeGreaterThan(8);
});

test('every tenant table forces row-level security by the setting, and no other policy lets the service see more', async () => {
  const { rows } = await admin.query<{ name: string; forced: boolean; policies: string[] }>(
    `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced,
            ARRAY(SELECT coalesce(pg_get_expr(p.polqual, p.polrelid), '') FROM pg_policy p
                   WHERE p.polrelid = c.oid AND p.polpermissive
                     AND (p.polroles = '{0}' OR p.polroles && ARRAY['voltstream_app', 'voltstream_snapshot_reader']::regrole[]::oid[])
                 ) AS policies
       FROM pg_class c WHERE c.relname = ANY ($1) AND c.relnamespace = 'public'::regnamespace`,
    [[...tenantTables, 'organizations']],
  );
  expect(rows).toHaveLength(tenantTables.length + 1);
  for (const { name, forced, policies } of rows) {
    expect([name, forced, policies.length]).toEqual([name, true, 1]);
    const column = name === 'organizations' ? 'id' : 'organization_id';
    expect(policies[0]).toContain(
      `(${column} = ( SELECT NULLIF(current_setting('app.organization'::text, true), ''::text) AS "nullif"))`,
    );
  }
});

/** Tables whose rows name a customer. */
const tablesWithCustomer = () =>
  names(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute x ON x.attrelid = c.oid
      WHERE c.relname = ANY ($1) AND x.attname = 'customer_id' ORDER BY 1`,
    [tenantTables],
  );

test('a table with a customer is bound to the customer that is set', async () => {
  const withCustomer = await tablesWithCustomer();
  expect(withCustomer.length).toBeGreaterThan(20);
  const policies = await names(
    `SELECT tablename::text AS name FROM pg_policies WHERE tablename = ANY ($1) AND qual LIKE '%app.customer%' ORDER BY 1`,
    [[...withCustomer, 'customers']],
  );
  expect(policies).toEqual([...withCustomer, 'customers'].sort());
});

/** Sign-ins, programs and answers of the organization as well: of its rows some name a customer. */
const OF_SOME_CUSTOMERS = ['auth_clients', 'authorization_requests', 'grants', 'idempotency_keys'];

test('a table of what belongs to customers hides those who are restricted from clients and analysts', async () => {
  const hiding = await names(
    `SELECT tablename::text AS name FROM pg_policies
      WHERE permissive = 'RESTRICTIVE' AND cmd = 'SELECT' AND qual LIKE '%app.hidden%'
        AND roles = '{voltstream_app}' ORDER BY 1`,
  );
  const ofCustomers = (await tablesWithCustomer()).filter((name) => !OF_SOME_CUSTOMERS.includes(name));
  expect(hiding).toEqual([...ofCustomers, 'customers', 'events', 'leads'].sort());
  const hidingFromAnalysts = await names(
    `SELECT tablename::text AS name FROM pg_policies
      WHERE permissive = 'RESTRICTIVE' AND cmd = 'SELECT' AND qual ~ 'restricted_ids|NOT is_restricted'
        AND roles = '{voltstream_analyst_reader}' ORDER BY 1`,
  );
  /* Their view begins with the contracts, and to ask each of so many rows again would cost more than the rest. */
  expect(hidingFromAnalysts).toEqual(hiding.filter((name) => name !== 'usage_quarter_hours'));
});

test('no policy goes through the ids of all restricted customers for each row', async () => {
  const slow = await names(
    `SELECT tablename || ' ' || policyname AS name FROM pg_policies
      WHERE policyname LIKE 'restriction_for_%' AND qual ~ '(ANY|ALL|IN) \\(' ORDER BY 1`,
  );
  expect(slow).toEqual([]);
});

test('keys begin with the organization: no collision tells that another one has the value', async () => {
  const open = await names(
    `SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE c.relname = ANY ($1) AND i.indisunique
        AND (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum = i.indkey[0]) IS DISTINCT FROM 'organization_id'
      ORDER BY 1`,
    [tenantTables],
  );
  expect(open).toEqual(UNIQUE_ACROSS_ORGANIZATIONS);
});

test('a link cannot point into another organization', async () => {
  const open = await names(
    `SELECT k.conname AS name FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
      WHERE k.contype = 'f' AND c.relname = ANY ($1) AND f.relname NOT IN ('organizations', 'market_partners')
        AND NOT EXISTS (
          SELECT FROM generate_subscripts(k.conkey, 1) at
            JOIN pg_attribute x ON x.attrelid = k.conrelid AND x.attnum = k.conkey[at]
            JOIN pg_attribute y ON y.attrelid = k.confrelid AND y.attnum = k.confkey[at]
           WHERE x.attname = 'organization_id' AND y.attname = 'organization_id')`,
    [tenantTables],
  );
  expect(open).toEqual([]);
  const insert = `INSERT INTO households (organization_id, id, customer_id)
                  VALUES ('${a.organization}', '${newId('dom')}', '${b.customers[0]}')`;
  expect(await asApp(insert, a)).toBe('23503');
});

test('I14 without a setting the service sees no row of any tenant table', async () => {
  const views = engine === 'citus' ? [] : ['visible_snapshots'];
  for (const table of [...tenantTables, 'organizations', ...views, 'asset_snapshots']) {
    const seen = await asApp(`SELECT * FROM ${table}`);
    if (seen !== '42501') expect([table, seen]).toEqual([table, []]);
    // A plain SET of an earlier transaction leaves an empty text behind, never a value.
    const { rows } = await app.query("SELECT current_setting('app.organization', true) AS left_behind");
    expect(rows).toEqual([{ left_behind: '' }]);
  }
});

test('with a setting the service sees the rows of that organization and no other', async () => {
  for (const table of tenantTables) {
    const seen = await asApp<{ organization_id: string }>(`SELECT organization_id FROM ${table}`, a);
    if (table === 'audit_log') {
      expect(seen).toBe('42501');
      continue;
    }
    expect([
      table,
      new Set((seen as { organization_id: string }[]).map((row) => row.organization_id)),
    ]).toEqual([table, new Set([a.organization])]);
  }
  expect(await asApp('SELECT id FROM organizations', a)).toEqual([{ id: a.organization }]);
});

test('with a customer set the service sees the rows of that customer and nothing of the organization itself', async () => {
  const setting = { organization: a.organization, customer: a.customers[0] };
  expect(await asApp('SELECT id FROM customers', setting)).toEqual([{ id: a.customers[0] }]);
  /* Most keys of idempotency belong to no customer; the test of their own is below. */
  const others = [...HIDDEN_FROM_CUSTOMERS, 'idempotency_keys'];
  const tooFew: string[] = [];
  for (const table of (await tablesWithCustomer()).filter((name) => !others.includes(name))) {
    const customers = await names(
      `SELECT DISTINCT customer_id AS name FROM ${table} WHERE organization_id = $1 AND customer_id IS NOT NULL`,
      [a.organization],
    );
    if (customers.length < 2) tooFew.push(table);
    for (const customer of customers) {
      const seen = await asApp(`SELECT DISTINCT customer_id FROM ${table}`, { ...setting, customer });
      expect([table, seen]).toEqual([table, [{ customer_id: customer }]]);
    }
  }
  expect(tooFew).toEqual([]);
  for (const table of [
    ...HIDDEN_FROM_CUSTOMERS,
    ...[
      'client_secrets',
      'refresh_tokens',
      'revoked_tokens',
      'one_time_codes',
      'wrong_one_time_codes',
      'leads',
    ],
  ]) {
    expect([table, await asApp(`SELECT organization_id FROM ${table}`, setting)]).toEqual([table, []]);
  }
  const foreign = { organization: a.organization, customer: b.customers[0] };
  expect(await asApp('SELECT id FROM households', foreign)).toEqual([]);
});

/** The offers of the organization, which its customers see too, and what may only be written. */
const WITHOUT_CUSTOMER = ['audit_log', 'organizations', 'plan_terms', 'plan_terms_history', 'plans'];

test('every other policy looks at the customer for whom a token acts', async () => {
  const blind = await names(`
    SELECT DISTINCT tablename AS name FROM pg_policies
     WHERE policyname LIKE 'own%' AND coalesce(qual, '') NOT LIKE '%app.customer%' ORDER BY 1`);
  expect(blind).toEqual(WITHOUT_CUSTOMER);
});

test('who acts for a customer sees and writes no event, and of idempotency keys those of that customer', async () => {
  const { organization } = a;
  const [own = '', other = ''] = a.customers;
  const event = (id: string) =>
    `INSERT INTO events (organization_id, id, topic, timestamp, context)
     VALUES ('${organization}', '${id}', 'subscription.created', now(), '{}')`;
  expect(await asApp(event(newId('evt')), { organization })).toEqual([]);
  expect(await asApp(event(newId('evt')), { organization, customer: own })).toBe('42501');
  expect(await asApp('SELECT 1 FROM events', { organization, customer: own })).toEqual([]);

  const key = (customer: string) => `
    INSERT INTO idempotency_keys (organization_id, client_id, customer_id, route, key, body_hash, status, response)
    VALUES ('${organization}', '${a.client}', '${customer}', 'POST /meter-readings', '${customer}', sha256(''), 200, '{}')`;
  for (const customer of [own, other]) await admin.query(key(customer));
  const seen = 'SELECT customer_id FROM idempotency_keys WHERE customer_id IS NOT NULL';
  expect(await asApp(seen, { organization, customer: own })).toEqual([{ customer_id: own }]);
  expect(await asApp(seen, { organization })).toHaveLength(2);
});

test('a signing key ends and loses its private half, and changes in nothing else', async () => {
  for (const column of ['kid', 'public_jwk', 'created_at', 'signs_from']) {
    expect([column, await asApp(`UPDATE signing_keys SET ${column} = ${column}`)]).toEqual([column, '42501']);
  }
  for (const column of ['signs_until', 'removed_at', 'private_key_encrypted']) {
    expect([column, await asApp(`UPDATE signing_keys SET ${column} = ${column}`)]).toEqual([column, []]);
  }
});

test('no statement writes a row of another organization, or moves one there', async () => {
  const insert = `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
                  VALUES ('${b.organization}', '${newId('cus')}', 'person', 'x', 'y', 'z')`;
  expect(await asApp(insert, a)).toBe('42501');
  expect(await asApp(insert)).toBe('42501');
  for (const table of tenantTables.filter((name) => name !== 'audit_log')) {
    const moved = await asApp(`UPDATE ${table} SET organization_id = '${b.organization}' RETURNING 1`, a);
    expect([table, moved]).toEqual([table, '42501']);
    const foreign = await asApp(
      `UPDATE ${table} SET organization_id = organization_id WHERE organization_id = '${b.organization}' RETURNING 1`,
      a,
    );
    expect([table, foreign]).toEqual([table, APPEND_ONLY.includes(table) ? '42501' : []]);
  }
});

test('I08 the same e-mail address and the same external id exist in two organizations', async () => {
  const { rows } = await admin.query(
    `SELECT (SELECT count(*)::int FROM customers WHERE email = 'one@example.org') AS customers,
            (SELECT count(*)::int FROM assets WHERE external_id = 'one@example.org') AS assets`,
  );
  expect(rows).toEqual([{ customers: 2, assets: 2 }]);
});

test('the audit log takes rows of the organization that is set, and is neither read, changed nor emptied', async () => {
  const insert = (organization: string) =>
    `INSERT INTO audit_log (organization_id, act, result) VALUES (${organization}, 'x', 'done')`;
  expect(await asApp(insert(`'${a.organization}'`), a)).toEqual([]);
  expect(await asApp(insert('NULL'))).toEqual([]);
  expect(await asApp(insert(`'${b.organization}'`), a)).toBe('42501');
  expect(await asApp(insert('NULL'), a)).toBe('42501');
  expect(await asApp(insert(`'${a.organization}'`))).toBe('42501');
  for (const statement of [
    'SELECT 1 FROM audit_log',
    "UPDATE audit_log SET act = 'y'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'DELETE FROM audit_seals',
    "INSERT INTO audit_seals (day, rows, hash) VALUES (current_date, 0, sha256(''))",
  ]) {
    expect([statement, await asApp(statement, a)]).toEqual([statement, '42501']);
  }
});
