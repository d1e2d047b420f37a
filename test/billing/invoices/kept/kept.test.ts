import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoice } from '../../../../src/billing/invoices/issue/void.ts';
import { invoicesKept } from '../../../../src/billing/invoices/retention.ts';
import { removeOldRecords } from '../../../../src/governance/retention/service.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { openDatabase } from '../../../../src/platform/database/db.ts';
import { newId } from '../../../../src/platform/ids.ts';
import { berlinDayAt } from '../../../../src/platform/time/berlin-calendar.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import { type BilledContract, createBilledContract, issueDocument } from '../../../setup/invoices.ts';

/** By Berlin's calendar, as the database counts. */
const THIS_YEAR = Number(berlinDayAt(Date.now()).slice(0, 4));

let clock: FakeClock;
let api: TestApi;
/** Owner of the tables, whom row-level security does not bind. */
let owner: pg.Client;
let admin: pg.Client;
beforeAll(async () => {
  clock = fakeClock('2027-01-12T07:00:00.000Z');
  api = await startApi({ clock });
  owner = new pg.Client({ connectionString: api.database.ownerUrl });
  admin = new pg.Client({ connectionString: api.database.adminUrl });
  await Promise.all([owner.connect(), admin.connect()]);
});
afterAll(async () => {
  await Promise.all([owner?.end(), admin?.end()]);
  await api?.close();
});

const codeOf = (client: pg.Client, text: string, values: unknown[] = []) =>
  client.query(text, values).then(
    ({ rowCount }) => rowCount,
    (error: { code?: string }) => error.code,
  );

async function addFile(id: string): Promise<void> {
  await admin.query(
    `INSERT INTO invoice_files (organization_id, customer_id, invoice_id, kind, content, sha256, made_at)
     SELECT organization_id, customer_id, id, 'pdf', '%PDF', sha256('%PDF'), now() FROM invoices WHERE id = $1`,
    [id],
  );
}

test('nobody changes or removes a document before its time: neither the owner of the tables nor the superuser', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  await addFile(id);
  const { rows: before } = await admin.query('SELECT * FROM invoices WHERE id = $1', [id]);
  const { rows: columns } = await admin.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = 'invoices'
        AND column_name NOT IN ('status', 'paid_at', 'restricted_at', 'retain_until') ORDER BY 1`,
  );
  expect(columns.length).toBeGreaterThan(25);
  const others: Record<string, string> = {
    text: "'x'",
    boolean: 'true',
    date: "'2001-01-01'",
    'timestamp with time zone': "'2001-01-01'",
    jsonb: "'[4711]'",
  };
  for (const client of [owner, admin]) {
    for (const { name, type } of columns) {
      const update = `UPDATE invoices SET ${name} = ${others[type] ?? '4711'} WHERE id = $1`;
      expect([name, await codeOf(client, update, [id])]).toEqual([name, '23001']);
    }
    for (const statement of [
      'DELETE FROM invoices WHERE id = $1',
      'DELETE FROM invoice_lines WHERE invoice_id = $1',
      'DELETE FROM invoice_files WHERE invoice_id = $1',
      'UPDATE invoice_lines SET net = net + 1 WHERE invoice_id = $1',
      `UPDATE invoice_files SET content = 'x', sha256 = sha256('x') WHERE invoice_id = $1`,
      `UPDATE invoices SET retain_until = retain_until - 1 WHERE id = $1`,
    ]) {
      expect([statement, await codeOf(client, statement, [id])]).toEqual([statement, '23001']);
    }
    for (const table of ['invoices', 'invoice_lines', 'invoice_files']) {
      expect([table, await codeOf(client, `TRUNCATE ${table} CASCADE`)]).toEqual([table, '23001']);
    }
  }
  const { rows: after } = await admin.query('SELECT * FROM invoices WHERE id = $1', [id]);
  expect(after).toEqual(before);
});

test('the service itself may change the state of a document and nothing else', async () => {
  const { organization, ...contract } = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, { organization, ...contract });
  const asService = async (text: string) => {
    const client = new pg.Client({ connectionString: api.database.appUrl });
    await client.connect();
    try {
      await client.query("SELECT set_config('app.organization', $1, false)", [organization]);
      return await codeOf(client, text, [id]);
    } finally {
      await client.end();
    }
  };
  for (const column of ['total', 'restricted_at', 'retain_until', 'facts', 'due_on']) {
    expect(await asService(`UPDATE invoices SET ${column} = ${column} WHERE id = $1`)).toBe('42501');
  }
  for (const table of ['invoices', 'invoice_lines', 'invoice_files']) {
    const column = table === 'invoices' ? 'id' : 'invoice_id';
    expect(await asService(`DELETE FROM ${table} WHERE ${column} = $1`)).toBe('42501');
  }
  expect(await asService('SELECT delete_old_invoices(1) WHERE $1 <> $1')).toBe('42501');
});

test('a document keeps at least eight years from the end of the year in Berlin in which it was issued', async () => {
  const contract = await createBilledContract(api.deps);
  const untilOf = async (at: string, month: number) => {
    clock.set(at);
    const { id } = await issueDocument(api.deps, contract, { month });
    const { rows } = await admin.query('SELECT retain_until::text AS until FROM invoices WHERE id = $1', [
      id,
    ]);
    return rows[0]?.until;
  };
  expect(await untilOf('2027-12-31T22:59:59.999Z', 0)).toBe('2035-12-31');
  expect(await untilOf('2027-12-31T23:00:00.000Z', 1)).toBe('2036-12-31');
});

/** As if it had been issued in another year. */
async function issuedIn(contract: BilledContract, year: number, month: number): Promise<string> {
  clock.set(`${year}-06-01T10:00:00.000Z`);
  const { id } = await issueDocument(api.deps, contract, { month });
  await addFile(id);
  return id;
}

const stored = async (ids: readonly string[]) => {
  const { rows } = await admin.query<{ id: string; parts: number }>(
    `SELECT id, (SELECT count(*) FROM invoice_lines WHERE invoice_id = id)::int
              + (SELECT count(*) FROM invoice_files WHERE invoice_id = id)::int AS parts
       FROM invoices WHERE id = ANY ($1) ORDER BY id`,
    [ids],
  );
  return rows;
};

/** One night of the job that removes what is over. */
async function remove() {
  const maintenance = openDatabase({
    url: api.database.maintenanceUrl,
    applicationName: 'tests',
    connectionsMax: 1,
    onError: () => {},
  });
  const config = { SNAPSHOT_RETENTION_MONTHS: 0, QUARTER_HOUR_RETENTION_MONTHS: 0 };
  const run = { signal: new AbortController().signal };
  try {
    return await removeOldRecords({ maintenance, clock: systemClock(), config }, run);
  } finally {
    await maintenance.close();
  }
}

/** What `audit verify` says of the documents of an organization. */
const problems = async (organization: string) => {
  const { rows } = await admin.query<{ problem: string }>(
    'SELECT problem FROM list_document_problems(1000) WHERE organization_id = $1',
    [organization],
  );
  return rows.map(({ problem }) => problem);
};

test('documents go with their lines and files when the eight years are over, and a reversal together with what it reverses', async () => {
  const contract = await createBilledContract(api.deps);
  const { organization } = contract;
  const old = await issuedIn(contract, THIS_YEAR - 9, 0);
  const kept = await issuedIn(contract, THIS_YEAR - 8, 1);
  const reversed = await issuedIn(contract, THIS_YEAR - 9, 2);
  const { voiding } = await api.deps.database.inOrganization({ organization }, (connection) =>
    voidInvoice(connection, organization, reversed, { reason: 'tests' }, clock),
  );
  const corrected = await issuedIn(contract, THIS_YEAR - 9, 3);
  clock.set(`${THIS_YEAR - 8}-01-02T10:00:00.000Z`);
  const { voiding: late } = await api.deps.database.inOrganization({ organization }, (connection) =>
    voidInvoice(connection, organization, corrected, { reason: 'tests' }, clock),
  );
  const all = [old, kept, reversed, voiding.id, corrected, late.id];
  expect(await stored(all)).toHaveLength(6);

  expect(await remove()).toMatchObject({ [invoicesKept.name]: 3 });
  expect(await remove()).toMatchObject({ [invoicesKept.name]: 0 });
  const left = [
    { id: kept, parts: 2 },
    { id: corrected, parts: 2 },
    { id: late.id, parts: 1 },
  ];
  expect(await stored(all)).toEqual(left.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
});

test('the last document of a contract that goes on stays, so that no number comes twice; nothing is missing behind an ended contract, nor one of an erased person', async () => {
  const running = await createBilledContract(api.deps);
  const [ended, erased] = [await createBilledContract(api.deps), await createBilledContract(api.deps)];
  const ids: string[] = [];
  for (const contract of [running, ended, erased])
    for (const month of [0, 1]) ids.push(await issuedIn(contract, THIS_YEAR - 9, month));
  await admin.query("UPDATE subscriptions SET status = 'ended', end_at = start_at WHERE id = $1", [
    ended.subscription,
  ]);
  /* In a deleted organization no job ends the contract. */
  await admin.query('UPDATE customers SET erased_at = now() WHERE id = $1', [erased.customer]);
  expect(await remove()).toMatchObject({ [invoicesKept.name]: 5 });
  expect((await stored(ids)).map(({ id }) => id)).toEqual([ids[1]]);
  for (const { organization } of [running, ended, erased])
    expect([organization, await problems(organization)]).toEqual([organization, []]);
  const next = await issuedIn(running, THIS_YEAR, 2);
  const { rows } = await admin.query('SELECT running_number FROM invoices WHERE id = $1', [next]);
  expect(rows).toEqual([{ running_number: 3 }]);
});

test('an organization all of whose documents are gone before their time is named', async () => {
  const contract = await createBilledContract(api.deps);
  const id = await issuedIn(contract, 2027, 0);
  await admin.query('SET session_replication_role = replica');
  for (const table of ['invoice_lines', 'invoice_files'])
    await admin.query(`DELETE FROM ${table} WHERE invoice_id = $1`, [id]);
  await admin.query('DELETE FROM invoices WHERE id = $1', [id]);
  await admin.query('SET session_replication_role = DEFAULT');
  expect(await problems(contract.organization)).toEqual(['behind number 0 of the ledger one is missing']);
});

test('files for the bank and movements of the account go after eight years, but not before the bill they belong to', async () => {
  const contract = await createBilledContract(api.deps);
  const { organization } = contract;
  const bill = await issuedIn(contract, THIS_YEAR - 8, 0);
  const days = [`${THIS_YEAR - 9}-12-31`, `${THIS_YEAR - 8}-01-01`];
  const entries: string[] = [];
  for (const [day, isPayment] of [
    [days[0], false],
    [days[0], true],
    [days[1], false],
  ] as const) {
    const id = newId('bke');
    entries.push(id);
    await admin.query(
      `INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, imported_at)
       VALUES ($1, $2, $2, 'bank_files', $3, 119, now())`,
      [organization, id, day],
    );
    if (!isPayment) continue;
    await admin.query(
      `INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on,
                             bank_entry_id, created_at, updated_at)
       VALUES ($1, $2, $3, $4, 'in', 'bank_transfer', 119, 'settled', $6, $5, now(), now())`,
      [organization, contract.customer, newId('pay'), bill, id, day],
    );
  }
  const files: string[] = [];
  for (const at of [`${THIS_YEAR - 9}-12-31T22:59:59Z`, `${THIS_YEAR - 9}-12-31T23:00:00Z`]) {
    const id = newId('pfl');
    files.push(id);
    await admin.query(
      `INSERT INTO payment_files (organization_id, id, kind, provider, format, message_id, execute_on, payments, sum, content,
                                  sha256, created_at)
       VALUES ($1, $2, 'debits', 'bank_files', 'pain.008.001.08', upper(substr($2, 5)), '2018-01-02', 1, 1, 'x', sha256('x'), $3)`,
      [organization, id, at],
    );
  }
  expect(await remove()).toMatchObject({ vouchers: 2 });
  const left = async (table: string) =>
    (await admin.query(`SELECT id FROM ${table} WHERE organization_id = $1`, [organization])).rows.map(
      ({ id }) => id,
    );
  expect((await left('bank_entries')).toSorted()).toEqual(entries.slice(1).toSorted());
  expect(await left('payment_files')).toEqual(files.slice(1));
});
