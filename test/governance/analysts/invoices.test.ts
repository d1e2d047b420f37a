import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { type Fixture, startFixture, storePrices } from './fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.close());

const rowsOf = async <Row extends object>(query: string): Promise<Row[]> =>
  (await fixture.analyst.query<Row>(query)).rows;

test('analysts read documents and lines of their organization, and that sums are those of the lines', async () => {
  const documents = await rowsOf<{ invoice: string; net_eur: string; lines: string }>(
    `SELECT i.invoice, i.net_eur, (SELECT sum(l.net_eur) FROM invoice_lines AS l WHERE l.invoice = i.invoice) AS lines
       FROM invoices AS i`,
  );
  expect(documents.length).toBeGreaterThan(0);
  for (const { net_eur, lines } of documents) expect(lines).toBe(net_eur);
});

test('what a document says in words, and its printed number, is no column for analysts', async () => {
  const columns = await rowsOf<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'invoices'::regclass AND attnum > 0`,
  );
  const names = columns.map(({ name }) => name);
  for (const hidden of ['facts', 'void_reason', 'invoice_number']) expect(names).not.toContain(hidden);
  await expect(fixture.analyst.query('SELECT facts FROM public.invoices')).rejects.toMatchObject({
    code: '42501',
  });
});

test('documents of a person who was erased are seen by no analyst', async () => {
  const { admin, own } = fixture;
  const count = async () => {
    const [row] = await rowsOf<Record<'documents' | 'lines' | 'payments' | 'reminders', string>>(
      `SELECT (SELECT count(*) FROM invoices) AS documents, (SELECT count(*) FROM invoice_lines) AS lines,
              (SELECT count(*) FROM payments) AS payments, (SELECT count(*) FROM reminders) AS reminders`,
    );
    return row;
  };
  const before = await count();
  for (const seen of Object.values(before ?? { none: 0 })) expect(Number(seen)).toBeGreaterThan(0);
  await admin.query('UPDATE invoices SET restricted_at = now() WHERE organization_id = $1', [
    own.organization,
  ]);
  expect(await count()).toEqual({ documents: '0', lines: '0', payments: '0', reminders: '0' });
  await admin.query('UPDATE invoices SET restricted_at = NULL WHERE organization_id = $1', [
    own.organization,
  ]);
  expect(await count()).toEqual(before);
});

test('query 23: energy lines of bills against quarter hours times price, over the day of 25 hours', async () => {
  const { admin, own } = fixture;
  await storePrices(admin, { from: '2026-09-30T22:00Z', until: '2026-10-31T23:00Z', minutes: 15 }, '80');
  const { rows: contracts } = await admin.query<{ id: string; customer: string }>(
    `SELECT id, customer_id AS customer FROM subscriptions WHERE organization_id = $1 AND type = 'consumption' LIMIT 1`,
    [own.organization],
  );
  const [contract] = contracts;
  if (contract === undefined) throw new Error('no contract');
  await admin.query('DELETE FROM usage_quarter_hours WHERE subscription_id = $1', [contract.id]);
  await admin.query(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source)
     SELECT $1, $2, $3, at, 0.25, now(), 'metering_operator'
       FROM generate_series('2026-09-30T22:00Z'::timestamptz, '2026-10-31T22:45Z', interval '15 minutes') AS at`,
    [own.organization, contract.customer, contract.id],
  );
  /* Documents out of order, as no service writes them: what the database asks of new ones is not the matter here. */
  await admin.query("SET session_replication_role = 'replica'");
  const bill = async (id: string, running: number, status: string, eur: string) => {
    await admin.query(
      `INSERT INTO invoices
         (organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number, month, year,
          period_start, period_end, period_number, status, is_estimated, is_final, usage_kwh, net, tax, deducted, total, taxes,
          due_on, created_at, issued_at, facts, retain_until)
       SELECT $1, $2, $3, $4, 'usage', $5::int, 'ZZZZZZZZ-' || $5::int, $5::int, 10, 2026, '2026-09-30T22:00Z', '2026-10-31T23:00Z', 70, $6,
              false, false, 745, $7::numeric, 0, 0, $7::numeric, '[]', '2026-11-30', '2026-11-12', '2026-11-12', '{}', '2034-12-31'`,
      [own.organization, contract.customer, contract.id, id, running, status, eur],
    );
    await admin.query(
      `INSERT INTO invoice_lines (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, quantity,
                                  unit, unit_price, net, vat_rate, figures)
       VALUES ($1, $2, $3, 1, 'energy', '2026-10-01', '2026-11-01', 745, 'kWh', 0.08, $4, 0.19, '[]')`,
      [own.organization, contract.customer, id, eur],
    );
  };
  /* A day more than 30 has 2,980 quarter hours in October: 745 kWh, 59.60 EUR. */
  await bill('inv_analyst00000000000000001', 901, 'voided', '70.00');
  await bill('inv_analyst00000000000000002', 902, 'open', '59.61');
  await admin.query("SET session_replication_role = 'origin'");
  const query = await readFile(
    join(projectFolder, 'sql/queries/23-billed-energy-against-prices.sql'),
    'utf8',
  );
  expect(await rowsOf(query)).toEqual([
    expect.objectContaining({
      contracts: '1',
      billed_kwh: '745.0',
      measured_kwh: '745.0',
      billed_eur: '59.61',
      computed_eur: '59.60',
      difference_eur: '0.01',
    }),
  ]);
});
