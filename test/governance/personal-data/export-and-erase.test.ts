import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { erasureOf } from '../../../src/governance/personal-data/erase.ts';
import { exportCustomer } from '../../../src/governance/personal-data/export.ts';
import { places } from '../../../src/governance/personal-data/places.ts';
import { readCsv } from '../../../src/platform/csv/csv.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { KNOWN_AFTER_MILLISECONDS } from '../../../src/platform/process/change-watch.ts';
import { type CommandResult, runCommand } from '../../cli/command-line.ts';
import { createTenant } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type MadePerson, type Owner, startPersons } from './persons.ts';
import { filesWith, keysWith, tablesWith } from './search.ts';

/* To let two persons leave a record of every kind takes seconds: what one of them left is exported first and erased then. */

type Started = Awaited<ReturnType<typeof startPersons>>;

let api: Started['api'];
let owner: Owner;
let token: string;
let erased: MadePerson;
let other: MadePerson;
let parent: string;
let folder: string;
let done: CommandResult;
let erasedAt = 0;
const refused = new Map<string, { result: CommandResult; person: MadePerson; open: string[] }>();

const eraseAs = ({ organization, environment }: Owner, customer: string, ...args: string[]) =>
  runCommand(
    environment,
    ...['customers', 'erase', customer, '--organization', organization, '--reason', 'request of the person'],
    ...args,
  );

beforeAll(async () => {
  const people = [
    { word: 'Kolibri', iban: 'DE89370400440532013000' },
    { word: 'Zaunkoenig', iban: 'DE02500105170137075030' },
  ];
  const started = await startPersons(people, async (when, person, by) => {
    const result = await eraseAs(by, person.customer, '--yes');
    const open = await by.openInvoices(person.customer);
    refused.set(when, { result, person: { ...person }, open });
  });
  ({ api, owner } = started);
  token = await started.token();
  const [first, second] = started.people;
  if (first === undefined || second === undefined) throw new Error('Two were asked for');
  [erased, other] = [first, second];
  parent = await mkdtemp(join(tmpdir(), 'voltstream-person-'));
  folder = join(parent, 'out');
  done = await exportTo(folder, erased.customer);
});
afterAll(async () => {
  await api?.close();
  if (parent !== undefined) await rm(parent, { recursive: true });
});

const exportTo = (output: string, customer: string) =>
  runCommand(
    owner.environment,
    ...['customers', 'export', customer, '--organization', owner.organization, '--reason', 'asked'],
    ...['--output', output],
  );

const run = (customer: string, ...args: string[]) => eraseAs(owner, customer, ...args);
const wordsOf = ({ word, iban }: MadePerson) => [word, iban];
const rowsOf = async (table: string, person: MadePerson): Promise<number> => {
  const [row] = await storedRows<{ rows: number }>(
    api,
    `SELECT count(*)::int AS rows FROM ${table} WHERE customer_id = $1`,
    [person.customer],
  );
  return row?.rows ?? 0;
};

const text = (name: string) => readFile(join(folder, name), 'utf8');

interface Index {
  recipients: string[];
  tables: { table: string; rows: number; source: string; columns: Record<string, string> }[];
}

const index = async () => JSON.parse(await text('index.json')) as Index;

describe('customers export', () => {
  test('writes every column that is marked personal, with purpose, period and source', async () => {
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    const { tables, recipients } = await index();
    const exported = tables.flatMap(({ table, columns }) =>
      Object.keys(columns).map((name) => `${table}.${name}`),
    );
    const marked = await storedRows<{ name: string }>(
      api,
      `SELECT relname || '.' || attname AS name
         FROM pg_description JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid JOIN pg_class ON pg_class.oid = objoid
        WHERE classoid = 'pg_class'::regclass AND description ~ 'Personal' AND relname = ANY ($1)
          AND (relname, attname) <> ('payment_files', 'content')`,
      [places.map(({ table }) => table)],
    );
    expect(marked.length).toBeGreaterThan(20);
    expect(exported).toEqual(expect.arrayContaining(marked.map(({ name }) => name)));
    expect(tables.find(({ table }) => table === 'payment_methods')?.columns.iban).toContain(
      'for direct debits',
    );
    expect(recipients.length).toBeGreaterThan(2);
    for (const { source } of tables) expect(source).not.toBe('');
  });

  test('holds what is stored of the person, in every place, as JSON and as CSV', async () => {
    const { tables } = await index();
    const rowsOf = new Map(tables.map(({ table, rows }) => [table, rows]));
    /* Of 59 days, one of which is an hour shorter. */
    expect(rowsOf.get('usage_quarter_hours')).toBe(5_660);
    expect(rowsOf.get('asset_snapshots')).toBe(12);
    for (const { table, rows, columns } of tables) {
      const lines = (await text(`${table}.jsonl`)).split('\n').slice(0, -1);
      expect([table, lines.length]).toEqual([table, rows]);
      for (const line of lines)
        expect([table, Object.keys(JSON.parse(line)).sort()]).toEqual([table, Object.keys(columns).sort()]);
      const { records, problems } = readCsv(await text(`${table}.csv`));
      expect([table, problems, records.length]).toEqual([table, [], rows + 1]);
      expect(records[0]?.fields).toEqual(Object.keys(columns));
    }
    const empty = tables.filter(({ rows }) => rows === 0).map(({ table }) => table);
    expect(empty).toEqual(['asset_quarter_hours', 'asset_days', 'billing_terms', 'billing_refusals']);
    for (const table of ['addresses', 'assets', 'customers', 'leads', 'meter_readings', 'payment_methods'])
      expect([table, await text(`${table}.jsonl`)]).toEqual([table, expect.stringContaining(erased.word)]);
    expect((await text('leads.jsonl')).split('\n')).toHaveLength(4);
    /* No digit is lost on the way. */
    expect(await text('usage_quarter_hours.jsonl')).toContain('0.123456');
    expect(await text('usage_quarter_hours.csv')).toContain('0.123456');
    for (const invoice of erased.invoices) expect(await text(`${invoice}.pdf`)).toMatch(/^%PDF-/);
  });

  test('holds nothing of another customer, and no secret', async () => {
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(40);
    const { word, iban, customer, analog, smart, invoices } = other;
    expect(await filesWith(folder, [word, iban, customer, analog, smart, ...invoices])).toEqual([]);
    for (const file of files) {
      const whole = await text(file);
      expect([file, /"(hash|code_hash|body_hash|browser_hash)":/.test(whole)]).toEqual([file, false]);
      expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
    }
  });

  test('leaves a line in the audit log, writes over nothing and knows no stranger', async () => {
    const again = await exportTo(folder, erased.customer);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('exist')]);
    const stranger = await exportTo(join(parent, 'stranger'), 'cus_000000000000000000000000');
    expect([stranger.exitCode, stranger.stderr]).toEqual([1, expect.stringMatching(/^There is no customer/)]);
    expect(await readdir(parent)).toEqual(['out']);
    expect(await auditRows(api, owner.organization, 'customer.export')).toEqual([
      expect.objectContaining({ object_id: erased.customer, route: 'customers export', reason: 'asked' }),
    ]);
  });

  test('may take longer than a transaction that others wait for', async () => {
    const hurried = openDatabase({
      url: api.database.ownerUrl,
      applicationName: 'test-export',
      connectionsMax: 1,
      transactionMilliseconds: 200,
      onError: () => {},
    });
    const longer = join(parent, 'longer');
    const act = { staff: 'tests', reason: 'asked', command: 'test', now: new Date().toISOString() };
    const tables = await withDatabaseClient(api.database.ownerUrl, async (blocking) => {
      await blocking.query('BEGIN; LOCK TABLE grants');
      const exporting = exportCustomer(
        hurried,
        { organization: owner.organization, customer: erased.customer },
        longer,
        act,
      );
      await wait(400);
      await blocking.query('COMMIT');
      return await exporting;
    });
    await hurried.close();
    expect(tables.length).toBe(places.length);
  });
});

describe('customers erase', () => {
  test.each([
    ['supplied', ['running_contract: contract ID has not ended']],
    ['ended', ['bill_missing: contract ID was supplied on days that have no bill']],
    [
      'billed',
      ['may_be_corrected: contract ID may be corrected until a daily run has looked six weeks after its end'],
    ],
  ])('is refused to somebody who is %s, with the reasons', (when, expected) => {
    const found = refused.get(when);
    if (found === undefined) throw new Error(`Not tried when ${when}`);
    const { result, person, open } = found;
    expect([result.exitCode, result.stdout]).toEqual([1, '']);
    const [head, ...reasons] = result.stderr.trimEnd().split('\n');
    expect(head).toBe(`Customer ${person.customer} cannot be erased:`);
    const ofContracts = expected.flatMap((words) =>
      [person.analog, person.smart].map((id) => words.replace('ID', id)),
    );
    const ofBills = when === 'billed' ? open.map((id) => `open_invoice: invoice ${id} is not settled`) : [];
    expect(reasons.toSorted()).toEqual([...ofContracts, ...ofBills].toSorted());
    expect(reasons.length).toBeGreaterThan(1);
  });

  test('is refused for six weeks after the end, in which values come in that correct bills, and no longer', async () => {
    const database = openDatabase({
      ...{ url: api.database.ownerUrl, applicationName: 'test-erase', connectionsMax: 1 },
      onError: () => {},
    });
    const person = { organization: owner.organization, customer: erased.customer };
    const at = (now: string) =>
      erasureOf(database, person, now).then(
        () => [],
        (refusal) => refusal.obstacles,
      );
    const contracts = [erased.analog, erased.smart];
    expect(new Set(await at('2026-05-13T21:59:59Z'))).toEqual(
      new Set(contracts.map((object) => ({ reason: 'may_be_corrected', object }))),
    );
    expect(await at('2026-05-13T22:00:00Z')).toEqual([]);
    await database.close();
  });

  test('finds a row in every place that a customer can have one in, names it, asks, and without an answer does nothing', async () => {
    const before = await tablesWith(api, wordsOf(erased));
    const refusal = await run(erased.customer);
    expect(refusal.exitCode).toBe(1);
    const named = [...refusal.stdout.matchAll(/^(\w+) +(deleted|restricted|blanked|kept) +[1-9]\d*$/gm)].map(
      ([, table]) => table,
    );
    /* Causes of missing bills are gone when the bills are there; advance payment was not agreed. */
    const without = ['asset_quarter_hours', 'asset_days', 'billing_terms', 'billing_refusals'];
    expect(places.map(({ table }) => table).filter((table) => !named.includes(table))).toEqual(without);
    expect(refusal.stderr).toContain(`Type ${erased.customer} to go on`);
    expect(refusal.stderr).toContain('Nothing was erased');
    expect(await tablesWith(api, wordsOf(erased))).toEqual(before);
    expect((await auditRows(api, owner.organization, 'customer.erase')).length).toBe(0);
  });

  test('leaves what the person wrote in restricted rows only, wherever it is looked for', async () => {
    const words = wordsOf(erased);
    expect(await tablesWith(api, words)).toEqual(
      expect.arrayContaining([
        ...['addresses', 'assets', 'auth_clients', 'authorization_requests', 'bank_entries', 'customers'],
        ...['delivery_attempts', 'idempotency_keys', 'invoices', 'leads', 'meter_changes'],
        ...['meter_readings', 'meters', 'payment_files', 'payment_methods', 'subscriptions'],
      ]),
    );
    const ofOther = await tablesWith(api, wordsOf(other));
    const mails = await filesWith(api.deps.config.MAIL_FOLDER, words);
    expect(mails.length).toBeGreaterThan(2);
    const done = await run(erased.customer, '--yes');
    erasedAt = performance.now();
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(await tablesWith(api, words)).toEqual([
      ...['bank_entries restricted', 'invoices restricted', 'payment_files restricted'],
    ]);
    expect(await keysWith(api.deps.config.REDIS_URL, words)).toEqual([]);
    expect(await tablesWith(api, wordsOf(other))).toEqual(
      ofOther.map((table) => (table === 'payment_files' ? 'payment_files restricted' : table)),
    );
    /* Files are out of its reach, and it says so. */
    expect(await filesWith(api.deps.config.MAIL_FOLDER, words)).toEqual(mails);
    expect(done.stdout).toMatch(/^Not reached: .*mails.*exports.*payment files/m);
  });

  test('finds the leads of other addresses of mail, and leaves those of the neighbours', async () => {
    const [row] = await storedRows(
      api,
      'SELECT (SELECT count(*)::int FROM leads WHERE details::text ~* $1) AS erased, count(*)::int AS others FROM leads',
      [erased.word],
    );
    expect(row).toEqual({ erased: 0, others: 3 });
    const [home] = await storedRows<{ plan: string; street: string; meter: string }>(
      api,
      `SELECT plan_id AS plan, street, meters.number AS meter
         FROM subscriptions JOIN addresses ON addresses.id = address_id JOIN meters ON meters.id = meter_id
        WHERE subscriptions.id = $1`,
      [other.analog],
    );
    const asks = async (fields: Record<string, unknown>) => {
      const lead = {
        plan: home?.plan,
        address: { zip: '10115' },
        meter: { estimated_usage: 2_000 },
        ...fields,
      };
      expect((await api.client(token).post('/leads', lead)).status).toBe(200);
    };
    const meter = { estimated_usage: 2_000, number: home?.meter };
    /* Somebody who lives in the same house, and the next tenant. */
    const address = { zip: '10115', street: home?.street, house_number: '7' };
    await asks({ address, customer: { last_name: 'Nachbar', email: 'nachbar@example.net' } });
    await asks({ meter, customer: { email: 'danach@example.net' } });
    expect((await run(other.customer)).stdout).toMatch(/^leads +deleted +3$/m);
    /* Nobody else is named. */
    await asks({ meter: { ...meter, number: ` ${home?.meter.toLowerCase()}` } });
    expect((await run(other.customer)).stdout).toMatch(/^leads +deleted +4$/m);
  });

  test('leaves no value of a meter and of a device, no session and no token, and ends every asset', async () => {
    const tables = places.filter(
      ({ onErasure, table }) =>
        onErasure === 'deleted' && !/^(asset_|one_time|refresh|leads|auth|idem)/.test(table),
    );
    for (const { table } of tables) expect([table, await rowsOf(table, erased)]).toEqual([table, 0]);
    for (const table of ['usage_quarter_hours', 'meter_readings', 'load_forecasts', 'portal_sessions'])
      expect([table, await rowsOf(table, other)]).not.toEqual([table, 0]);
    const [left] = await storedRows(
      api,
      `SELECT (SELECT count(*)::int FROM grants WHERE customer_id = $1 AND revoked_at IS NULL) AS grants,
              (SELECT count(*)::int FROM assets WHERE customer_id = $1 AND decommissioned_at IS NULL) AS assets,
              (SELECT count(*)::int FROM asset_snapshots WHERE asset_id IN (SELECT key FROM assets WHERE customer_id = $1)) AS rows,
              (SELECT count(*)::int FROM asset_snapshots) AS of_others`,
      [erased.customer],
    );
    expect(left).toEqual({ grants: 0, assets: 0, rows: 0, of_others: 12 });
    const [net] = await storedRows<{ household: string; asset: string }>(
      api,
      "SELECT household_id AS household, id AS asset FROM assets WHERE customer_id = $1 AND type = 'household_net'",
      [erased.customer],
    );
    /* An API process may believe for so long what it read of the household before. */
    await wait(Math.max(0, erasedAt + KNOWN_AFTER_MILLISECONDS - performance.now()));
    const snapshots = [{ asset: net?.asset, timestamp: api.deps.clock.now().toISOString(), power_kw: 1 }];
    const sent = await api.client(token).post('/asset-snapshots', { household: net?.household, snapshots });
    expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('decommissioned')]);
  });

  test('hides bills, payments and the files of the bank from the service, and leaves them to the finance role', async () => {
    const client = api.client(token);
    expect((await client.get(`/invoices/${erased.invoices[0]}`)).status).toBe(404);
    expect((await client.get(`/invoices/${other.invoices[0]}`)).status).toBe(200);
    for (const table of ['invoices', 'invoice_lines', 'invoice_files', 'payments']) {
      const [row] = await storedRows<{ rows: number; open: number }>(
        api,
        `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE restricted_at IS NULL))::int AS open
           FROM ${table} WHERE customer_id = $1`,
        [erased.customer],
      );
      expect([table, row?.open]).toEqual([table, 0]);
      expect([table, row?.rows]).not.toEqual([table, 0]);
    }
    const { database } = api.deps;
    expect(await listOfPayments(database, owner.organization, 'files', 10)).toEqual([]);
    expect(await storedRows(api, 'SELECT FROM payment_files')).not.toEqual([]);
  });

  test('leaves a customer without a name, and one line in the audit log', async () => {
    const { body } = await api.client(token).get(`/customers/${erased.customer}`);
    expect(body).toMatchObject({
      first_name: 'erased',
      last_name: 'erased',
      email: `${erased.customer}@erased.invalid`,
      vat_id: null,
    });
    expect(await auditRows(api, owner.organization, 'customer.erase')).toEqual([
      expect.objectContaining({
        object_id: erased.customer,
        route: 'customers erase',
        reason: 'request of the person',
        result: 'done',
      }),
    ]);
  });

  test('may be repeated, as after the restore of an older backup', async () => {
    const again = await run(erased.customer, '--yes', '--json');
    expect(again.exitCode).toBe(0);
    const rows = JSON.parse(again.stdout) as { what: string }[];
    expect(rows.filter(({ what }) => what === 'deleted' || what === 'restricted')).toEqual([]);
  });

  test('knows neither a stranger nor a customer of another organization', async () => {
    const stranger = await createTenant(api);
    const answers = [
      await run('cus_000000000000000000000000', '--yes'),
      await eraseAs({ ...owner, organization: stranger.organization }, other.customer, '--yes'),
    ];
    for (const { exitCode, stderr } of answers) {
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^There is no customer cus_/)]);
    }
    expect(await tablesWith(api, wordsOf(other))).toContain('customers');
  });
});
