import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportCustomer } from '../../../src/governance/personal-data/export.ts';
import { places } from '../../../src/governance/personal-data/places.ts';
import { readCsv } from '../../../src/platform/csv/csv.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { type CommandResult, runCommand } from '../../cli/command-line.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type MadePerson, startPersons } from './persons.ts';
import { filesWith } from './search.ts';

let api: Awaited<ReturnType<typeof startPersons>>['api'];
let organization: string;
let person: MadePerson;
let other: MadePerson;
let parent: string;
let folder: string;
let done: CommandResult;

const run = (customer: string, output: string) =>
  runCommand(
    { DATABASE_OWNER_URL: api.database.ownerUrl },
    ...[
      'customers',
      'export',
      customer,
      '--organization',
      organization,
      '--reason',
      'asked',
      '--output',
      output,
    ],
  );

beforeAll(async () => {
  const started = await startPersons([
    { word: 'Kolibri', iban: 'DE89370400440532013000' },
    { word: 'Zaunkoenig', iban: 'DE02500105170137075030' },
  ]);
  const [first, second] = started.people;
  if (first === undefined || second === undefined) throw new Error('Two were asked for');
  [person, other] = [first, second];
  ({
    api,
    owner: { organization },
  } = started);
  parent = await mkdtemp(join(tmpdir(), 'voltstream-person-'));
  folder = join(parent, 'out');
  done = await run(person.customer, folder);
}, 300_000);
afterAll(async () => {
  await api?.close();
  if (parent !== undefined) await rm(parent, { recursive: true });
});

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
    expect(empty).toEqual(['asset_quarter_hours', 'billing_terms', 'billing_refusals']);
    for (const table of ['addresses', 'assets', 'customers', 'leads', 'meter_readings', 'payment_methods'])
      expect([table, await text(`${table}.jsonl`)]).toEqual([table, expect.stringContaining(person.word)]);
    expect((await text('leads.jsonl')).split('\n')).toHaveLength(4);
    /* No digit is lost on the way. */
    expect(await text('usage_quarter_hours.jsonl')).toContain('0.123456');
    expect(await text('usage_quarter_hours.csv')).toContain('0.123456');
    for (const invoice of person.invoices) expect(await text(`${invoice}.pdf`)).toMatch(/^%PDF-/);
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
    const again = await run(person.customer, folder);
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('exist')]);
    const stranger = await run('cus_000000000000000000000000', join(parent, 'stranger'));
    expect([stranger.exitCode, stranger.stderr]).toEqual([1, expect.stringMatching(/^There is no customer/)]);
    expect(await readdir(parent)).toEqual(['out']);
    expect(await auditRows(api, organization, 'customer.export')).toEqual([
      expect.objectContaining({ object_id: person.customer, route: 'customers export', reason: 'asked' }),
    ]);
  });

  test('may take longer than a transaction that others wait for', async () => {
    const hurried = openDatabase({
      url: api.database.ownerUrl,
      applicationName: 'test-export',
      connectionsMax: 1,
      transactionMilliseconds: 500,
      onError: () => {},
    });
    const longer = join(parent, 'longer');
    const act = { staff: 'tests', reason: 'asked', command: 'test', now: new Date().toISOString() };
    const tables = await withDatabaseClient(api.database.ownerUrl, async (blocking) => {
      await blocking.query('BEGIN; LOCK TABLE grants');
      const exporting = exportCustomer(hurried, { organization, customer: person.customer }, longer, act);
      await wait(1_000);
      await blocking.query('COMMIT');
      return await exporting;
    });
    await hurried.close();
    expect(tables.length).toBe(places.length);
  });
});
