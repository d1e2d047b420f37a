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

test('query 30: bills of supply alone, and those with an advance or a reference against what belongs to them', async () => {
  const { admin, own } = fixture;
  const { rows: contracts } = await admin.query<{ id: string; customer: string }>(
    'SELECT id, customer_id AS customer FROM subscriptions WHERE organization_id = $1 ORDER BY id',
    [own.organization],
  );
  await admin.query('BEGIN');
  await admin.query("SET LOCAL session_replication_role = 'replica'");
  await admin.query('DELETE FROM billing_terms');
  await admin.query('UPDATE subscriptions SET type = $2 WHERE id = $1', [contracts[1]?.id, 'feed_in']);
  await admin.query(
    `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
     VALUES ($1, $2, $3, '2025-02-01', 'advance', 73, 'forecast')`,
    [own.organization, contracts[0]?.customer, contracts[0]?.id],
  );
  await admin.query(
    `INSERT INTO benchmarks (base_fee_eur_year_gross, energy_ct_net, valid_from, source) VALUES (36, 15, '2025-02-01', 'tests')`,
  );
  for (const [number, of, first, end, net, kwh] of [
    [1, 0, '2025-01-01', '2025-01-11', 30, 100],
    [2, 0, '2025-02-01', '2025-02-11', 20, 100],
    [3, 1, '2025-02-01', '2025-02-11', -40, 500],
  ] as const) {
    const id = `inv_${String(number).padStart(24, '0')}`;
    await admin.query(
      `WITH bill AS (
         INSERT INTO invoices
           (organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number, month, year,
            period_start, period_end, period_number, status, is_estimated, is_final, usage_kwh, net, tax, deducted, total, taxes,
            due_on, created_at, issued_at, facts, retain_until)
         VALUES ($1, $2, $3, $4, 'usage', 910 + $5, 'YYYYYYYY-' || 910 + $5, 910 + $5, 1, 2025, $6::timestamp AT TIME ZONE 'Europe/Berlin',
                 $7::timestamp AT TIME ZONE 'Europe/Berlin', 80 + $5, 'open', false, false, $9::numeric, $8::numeric, 2, 0, $8::numeric + 2,
                 '[]', '2025-03-31', '2025-03-12', '2025-03-12', '{}', '2034-12-31'))
       INSERT INTO invoice_lines (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, quantity,
                                  unit, unit_price, net, vat_rate, figures)
       VALUES ($1, $2, $4, 1, 'energy', $6::timestamp::date, $7::timestamp::date, $9::numeric, 'kWh', 0.08, $8::numeric - 8, 0.19, '[]')`,
      [own.organization, contracts[of]?.customer, contracts[of]?.id, id, number, first, end, net, kwh],
    );
  }
  await admin.query('COMMIT');
  const query = await readFile(join(projectFolder, 'sql/queries/30-savings-on-bills.sql'), 'utf8');
  const answer = await rowsOf(
    query.replace(
      "'2026-10-01' AS first_day, date '2026-12-01'",
      "'2025-01-01' AS first_day, date '2025-03-01'",
    ),
  );
  expect(answer).toMatchObject([
    {
      ...{ bills: '1', kwh: '100.0', billed_gross_eur: '32.00', with_advance: '0', their_gross_eur: null },
      ...{ advance_gross_eur: null, energy_net_eur: null, reference_net_eur: null, saved_net_eur: null },
    },
    {
      ...{ bills: '1', kwh: '100.0', billed_gross_eur: '22.00', with_advance: '1', their_gross_eur: '22.00' },
      ...{ advance_gross_eur: '24.00', energy_net_eur: '12.00', reference_net_eur: '15.00' },
      saved_net_eur: '3.00',
    },
  ]);
  await admin.query("DELETE FROM benchmarks WHERE source = 'tests'");
});

/** A bill a month of so many contracts, each with a line, a payment and a reminder, in months before November 2026. */
async function storeBills({ from, until, each }: Record<'from' | 'until' | 'each', number>): Promise<void> {
  const { admin, own } = fixture;
  await admin.query("SET session_replication_role = 'replica'");
  await admin.query(
    `INSERT INTO subscriptions (organization_id, customer_id, id, plan_id, type, household_id, billing_address_id, meter_id,
                                payment_method_id, status, estimated_usage, intended_start_on)
     SELECT organization_id, customer_id, 'sub_' || lpad(n::text, 24, '0'), plan_id, type, household_id, billing_address_id, meter_id,
            payment_method_id, status, estimated_usage, intended_start_on
       FROM (SELECT * FROM subscriptions WHERE organization_id = $1 ORDER BY id DESC LIMIT 1) AS contract, generate_series(1, $2::int) AS n
     ON CONFLICT DO NOTHING`,
    [own.organization, each],
  );
  await admin.query(
    `WITH bills AS (
       INSERT INTO invoices
         (organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number, month, year,
          period_start, period_end, period_number, status, is_estimated, is_final, usage_kwh, net, tax, deducted, total, taxes,
          due_on, created_at, issued_at, facts, retain_until)
       SELECT organization_id, customer_id, contract.id, 'inv_' || left(md5(place::text), 24), 'usage', place,
              'ZZZZZZZZ-' || place, place, 10, 2026, begins AT TIME ZONE 'Europe/Berlin',
              (begins + interval '1 month') AT TIME ZONE 'Europe/Berlin', place, CASE WHEN n % 20 = 0 THEN 'open' ELSE 'uncollectible' END,
              false, false, 1, 1, 0, 0, 1, '[]', begins::date + 45, begins, begins, '{}', '2034-12-31'
         FROM generate_series($2::int, $3::int) AS m, generate_series(1, $4::int) AS n
         JOIN subscriptions AS contract ON contract.organization_id = $1 AND contract.id = 'sub_' || lpad(n::text, 24, '0'),
              LATERAL (SELECT timestamp '2026-11-01' - m * interval '1 month' AS begins, 10000 + m * $4 + n AS place) AS bill
       RETURNING organization_id, customer_id, id, due_on - 45 AS first_day
     ), lines AS (
       INSERT INTO invoice_lines (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, quantity,
                                  unit, unit_price, net, vat_rate, figures)
       SELECT organization_id, customer_id, id, 1, 'energy', first_day, first_day + 28, 1, 'kWh', 1, 1, 0.19, '[]' FROM bills
     ), money AS (
       INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at,
                             updated_at)
       SELECT organization_id, customer_id, 'pay_' || substr(id, 5), id, 'in', 'entered', 1, 'settled', first_day, first_day, now()
         FROM bills)
     INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, mail, created_at)
     SELECT organization_id, customer_id, id, 1, 1, first_day, 'handed_over', now() FROM bills`,
    [own.organization, from, until, each],
  );
  await admin.query("SET session_replication_role = 'origin'");
  await admin.query('ANALYZE');
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of bills that a query kept or threw away. */
function billsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + billsRead(child), 0);
  if (!/^(invoices|invoice_lines|payments|dunning_steps)$/.test(node['Relation Name'] ?? '')) return below;
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

test('questions about bills read those of their days, however many there were before', async () => {
  const queries = ['23-billed-energy-against-prices', '30-savings-on-bills', '36-late-payers'];
  const readByAll = async () => {
    const found: Record<string, number> = {};
    for (const name of queries) {
      const query = await readFile(join(projectFolder, `sql/queries/${name}.sql`), 'utf8');
      const { rows } = await fixture.analyst.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`);
      found[name] = billsRead(rows[0]['QUERY PLAN'][0].Plan);
    }
    return found;
  };
  await storeBills({ from: 0, until: 23, each: 40 });
  const before = await readByAll();
  await storeBills({ from: 24, until: 59, each: 40 });
  const after = await readByAll();
  for (const name of queries) {
    /* Two or three months of bills, each with its line or with payment and reminder. */
    expect([name, before[name] ?? 0]).toEqual([
      name,
      expect.toSatisfy((rows: number) => rows > 0 && rows < 700),
    ]);
    expect([name, after[name]]).toEqual([name, before[name]]);
  }
});
