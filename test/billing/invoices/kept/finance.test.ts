import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restrictInvoices } from '../../../../src/billing/invoices/service.ts';
import { newId } from '../../../../src/platform/ids.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { createOrganization } from '../../../setup/factories.ts';
import { type BilledContract, createBilledContract, issueDocument } from '../../../setup/invoices.ts';

/** What says in each table which bill a row belongs to. */
const TABLES = {
  invoices: 'id',
  invoice_lines: 'invoice_id',
  invoice_files: 'invoice_id',
  payments: 'invoice_id',
  bank_entries: 'text',
} as const;

let api: TestApi;
let admin: pg.Client;
let erased: BilledContract;
let other: BilledContract;
let foreign: BilledContract;
const ids = new Map<BilledContract, string>();
beforeAll(async () => {
  api = await startApi();
  admin = new pg.Client({ connectionString: api.database.adminUrl });
  await admin.connect();
  const organization = await createOrganization(api.deps);
  erased = await createBilledContract(api.deps, { organization });
  other = await createBilledContract(api.deps, { organization });
  foreign = await createBilledContract(api.deps);
  for (const contract of [erased, other, foreign]) {
    const { id } = await issueDocument(api.deps, contract);
    ids.set(contract, id);
    await admin.query(
      `INSERT INTO invoice_files (organization_id, customer_id, invoice_id, kind, content, sha256, made_at)
       SELECT organization_id, customer_id, id, 'pdf', '%PDF', sha256('%PDF'), now() FROM invoices WHERE id = $1`,
      [id],
    );
  }
  for (const [{ organization: tenant }, id] of ids) {
    await admin.query(
      `WITH entry AS (
         INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, text, state, imported_at)
         VALUES ($1, $2, $2, 'bank_files', '2027-01-20', 119, $4, 'booked', now()))
       INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on,
                             bank_entry_id, created_at, updated_at)
       SELECT organization_id, customer_id, $3, id, 'in', 'bank_transfer', 119, 'settled', '2027-01-20', $2, now(), now()
         FROM invoices WHERE organization_id = $1 AND id = $4`,
      [tenant, newId('bke'), newId('pay'), id],
    );
  }
  const restricted = await api.deps.database.inOrganization({ organization }, (connection) =>
    restrictInvoices(connection, erased.customer, '2027-05-01T10:00:00.000Z'),
  );
  expect(restricted).toBe(1);
});
afterAll(async () => {
  await admin?.end();
  await api?.close();
});

/** The contracts whose rows are seen, by table. */
async function seen(
  url: string,
  { role, organization, customer }: { role?: string; organization?: string; customer?: string } = {},
) {
  const client = new pg.Client({ connectionString: url, ...(role && { options: `-c role=${role}` }) });
  await client.connect();
  try {
    await client.query(
      "SELECT set_config('app.organization', $1, false), set_config('app.customer', $2, false)",
      [organization ?? '', customer ?? ''],
    );
    const visible: Record<string, BilledContract[]> = {};
    for (const [table, column] of Object.entries(TABLES)) {
      const { rows } = await client.query<{ id: string }>(`SELECT ${column} AS id FROM ${table}`);
      const known = new Set(rows.map(({ id }) => id));
      visible[table] = [erased, other, foreign].filter((contract) => known.has(ids.get(contract) ?? ''));
    }
    return visible;
  } finally {
    await client.end();
  }
}

const inAll = (...contracts: BilledContract[]) =>
  Object.fromEntries(Object.keys(TABLES).map((table) => [table, contracts]));

test('the service sees no bill of an erased person, with its lines and files; those of others it does', async () => {
  const { organization } = erased;
  expect(await seen(api.database.appUrl, { organization })).toEqual(inAll(other));
  expect(await seen(api.database.appUrl, { organization, customer: erased.customer })).toEqual(inAll());
  expect(await seen(api.database.appUrl, { organization: foreign.organization })).toEqual(inAll(foreign));
});

test('the finance role sees all of them, whatever is set, and changes nothing', async () => {
  const role = 'voltstream_finance';
  const all = inAll(erased, other, foreign);
  expect(await seen(api.database.ownerUrl, { role })).toEqual(all);
  expect(await seen(api.database.ownerUrl, { role, organization: foreign.organization })).toEqual(all);
  const client = new pg.Client({ connectionString: api.database.ownerUrl, options: `-c role=${role}` });
  await client.connect();
  try {
    for (const statement of [
      "UPDATE invoices SET status = 'paid', paid_at = now()",
      'UPDATE invoices SET restricted_at = NULL',
      'DELETE FROM invoice_lines',
      'SELECT 1 FROM customers',
      'SELECT 1 FROM usage_quarter_hours',
      "SELECT restrict_invoices('x', now())",
      'SELECT delete_old_invoices(1)',
    ]) {
      const outcome = await client.query(statement).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
      expect([statement, outcome]).toEqual([statement, '42501']);
    }
  } finally {
    await client.end();
  }
});

test('bills are restricted within the organization that acts, once, and not for a customer', async () => {
  const restrict = ({ organization }: BilledContract, customer: string, acting?: string) =>
    api.deps.database.inOrganization({ organization, ...(acting && { customer: acting }) }, (connection) =>
      restrictInvoices(connection, customer, '2027-06-01T10:00:00.000Z'),
    );
  expect(await restrict(foreign, erased.customer)).toBe(0);
  expect(await restrict(other, foreign.customer)).toBe(0);
  expect(await restrict(erased, erased.customer)).toBe(0);
  await expect(restrict(other, other.customer, other.customer)).rejects.toMatchObject({ code: '42501' });
  const { rows } = await admin.query('SELECT restricted_at FROM invoices WHERE id = $1', [ids.get(erased)]);
  expect(rows).toEqual([{ restricted_at: new Date('2027-05-01T10:00:00.000Z') }]);
});

test('a movement of the bank that paid for two people is hidden with the second of them', async () => {
  const organization = await createOrganization(api.deps);
  const both = [
    await createBilledContract(api.deps, { organization }),
    await createBilledContract(api.deps, { organization }),
  ];
  const entry = newId('bke');
  await admin.query(
    `INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, imported_at)
     VALUES ($1, $2, $2, 'bank_files', '2027-01-20', 238, now())`,
    [organization, entry],
  );
  for (const contract of both) {
    const { id } = await issueDocument(api.deps, contract);
    await admin.query(
      `INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on,
                             bank_entry_id, created_at, updated_at)
       VALUES ($1, $2, $3, $4, 'in', 'bank_transfer', 119, 'settled', '2027-01-20', $5, now(), now())`,
      [organization, contract.customer, newId('pay'), id, entry],
    );
  }
  const hidden: boolean[] = [];
  for (const { customer } of both) {
    await api.deps.database.inOrganization({ organization }, (connection) =>
      restrictInvoices(connection, customer, '2027-05-01T10:00:00.000Z'),
    );
    const { rows } = await admin.query('SELECT restricted_at FROM bank_entries WHERE id = $1', [entry]);
    hidden.push(rows[0]?.restricted_at !== null);
  }
  expect(hidden).toEqual([false, true]);
});
