import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoice } from '../../../../src/billing/invoices/issue/void.ts';
import { enterPayment } from '../../../../src/billing/payments/staff.ts';
import { runCommand } from '../../../cli/command-line.ts';
import { startApi, type TestApi, testEnvironment } from '../../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../../setup/clock.ts';
import {
  type BilledContract,
  createBilledContract,
  draftOf,
  issue,
  issueDocument,
  outcomeOf,
} from '../../../setup/invoices.ts';

/* What the service's own role could write, if it were somebody else's: the database refuses it when it is committed. */

const ISSUED = '2027-01-12T07:00:00.000Z';

let clock: FakeClock;
let api: TestApi;
let service: pg.Client;
let admin: pg.Client;
beforeAll(async () => {
  clock = fakeClock(ISSUED);
  api = await startApi({ clock });
  service = new pg.Client({ connectionString: api.database.appUrl });
  admin = new pg.Client({ connectionString: api.database.adminUrl });
  await Promise.all([service.connect(), admin.connect()]);
});
afterAll(async () => {
  await Promise.all([service?.end(), admin?.end()]);
  await api?.close();
});

/** The code with which the transaction is refused; null: it is committed. */
async function committed(
  { organization }: Pick<BilledContract, 'organization'>,
  ...statements: readonly string[]
): Promise<string | null> {
  try {
    await service.query('BEGIN');
    await service.query("SELECT set_config('app.organization', $1, true)", [organization]);
    for (const statement of statements) await service.query(statement);
    await service.query('COMMIT');
    return null;
  } catch (error) {
    await service.query('ROLLBACK');
    return (error as { code?: string }).code ?? String(error);
  }
}

const REFUSED = { change: '23001', sum: '23514', either: expect.stringMatching(/^23(?:001|514)$/) };

const lineOf = (id: string, net: string, position = 2) => `
  INSERT INTO invoice_lines (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, net, vat_rate, figures)
  SELECT organization_id, customer_id, id, ${position}, 'energy', '2026-12-01', '2027-01-01', ${net}, 0.19, '[]' FROM invoices
   WHERE id = '${id}'`;

/** A copy of a document with other numbers, and what is wanted of it. */
const copyOf = (id: string, changes: Record<string, string>, copy = `inv_${'c'.repeat(24)}`) => {
  const names = `organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number, month, year,
    period_start, period_end, period_number, status, is_estimated, is_final, usage_kwh, net, tax, deducted, total, taxes, voids,
    void_reason, due_on, created_at, issued_at, paid_at, facts, retain_until`;
  const next: Record<string, string> = {
    ...{ id: `'${copy}'`, running_number: 'running_number + 1', ledger_number: 'ledger_number + 1' },
    ...{ period_start: 'period_end', period_end: "period_end + interval '31 days'" },
    ...{ period_number: 'period_number + 1' },
    invoice_number: `split_part(invoice_number, '-', 1) || '-' || lpad((running_number + 1)::text, 3, '0')`,
    ...changes,
  };
  const values = names.split(/,\s*/).map((name) => next[name] ?? name);
  return `INSERT INTO invoices (${names}) SELECT ${values.join(', ')} FROM invoices WHERE id = '${id}'`;
};
const COPY = `inv_${'c'.repeat(24)}`;
const ledger = (change: string) => `UPDATE invoice_ledgers SET last_number = ${change}`;

async function stored({ organization }: BilledContract) {
  const { rows } = await admin.query(
    `SELECT (SELECT jsonb_agg(to_jsonb(i) ORDER BY i.id) FROM invoices AS i WHERE organization_id = $1) AS invoices,
            (SELECT count(*)::int FROM invoice_lines WHERE organization_id = $1) AS lines,
            (SELECT last_number::int FROM invoice_ledgers WHERE organization_id = $1) AS last`,
    [organization],
  );
  return rows[0];
}

test('an issued document gets no line from a later transaction, whatever the transaction does before', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const before = await stored(contract);
  for (const line of [lineOf(id, '5'), lineOf(id, '0')]) {
    expect(await committed(contract, line)).toBe(REFUSED.change);
    expect(await committed(contract, 'UPDATE invoices SET status = status, paid_at = paid_at', line)).toBe(
      REFUSED.change,
    );
    expect(await committed(contract, ledger('last_number'), line)).toBe(REFUSED.change);
  }
  expect(await committed(contract, lineOf(id, '5'), lineOf(id, '-5', 3))).toBe(REFUSED.change);
  expect(await stored(contract)).toEqual(before);
});

test('a document whose lines do not add up to it is not stored, and with them it is', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const next = [ledger('last_number + 1'), copyOf(id, {})];
  expect(await committed(contract, ...next)).toBe(REFUSED.sum);
  expect(await committed(contract, ...next, lineOf(COPY, '99.99', 1))).toBe(REFUSED.sum);
  expect(await committed(contract, ...next, lineOf(COPY, '99.99', 1), lineOf(COPY, '0.01'))).toBeNull();
});

test('numbers follow each other: none is left out, taken twice, or given without a document', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  await issueDocument(api.deps, contract, { month: 1 });
  const { id: last } = await issueDocument(api.deps, contract, { month: 2 });
  const before = await stored(contract);
  const copy = `inv_${'d'.repeat(24)}`;
  const other = (changes: Record<string, string>) => [copyOf(last, changes, copy), lineOf(copy, '100', 1)];
  const jump = { ledger_number: 'ledger_number + 2' };
  for (const statements of [
    [ledger('last_number + 1')],
    [ledger('last_number + 5'), ...other({})],
    [ledger('last_number + 2'), ...other(jump)],
    [...other({})],
    [
      ledger('last_number + 1'),
      ...other({ running_number: 'running_number + 2', invoice_number: `'${contract.number}-099'` }),
    ],
  ]) {
    expect([statements, await committed(contract, ...statements)]).toEqual([statements, REFUSED.either]);
  }
  expect(await committed(contract, ledger('last_number - 1'))).toBe(REFUSED.change);
  /* A number that is free because its document was removed with age is not given again. */
  await admin.query("SET session_replication_role = 'replica'");
  await admin.query('DELETE FROM invoice_lines WHERE invoice_id = $1', [id]);
  await admin.query('DELETE FROM invoices WHERE id = $1', [id]);
  await admin.query("SET session_replication_role = 'origin'");
  expect(await committed(contract, ledger('last_number'), ...other({ ledger_number: '1' }))).toEqual(
    REFUSED.either,
  );
  const { invoices } = await stored(contract);
  expect(invoices).toEqual((before?.invoices ?? []).filter((invoice: { id: string }) => invoice.id !== id));
  expect(await committed(contract, ledger('last_number + 1'), ...other({}))).toBeNull();
});

test('a document is voided by a document that reverses it, and by no other', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const voided = `UPDATE invoices SET status = 'voided' WHERE id = '${id}'`;
  expect(await committed(contract, voided)).toBe(REFUSED.sum);
  const reversal = (net: string) =>
    [
      ledger('last_number + 1'),
      copyOf(id, {
        ...{
          type: "'void'",
          voids: 'id',
          void_reason: "'tests'",
          usage_kwh: 'NULL',
          net,
          tax: '-tax',
          total: `${net} - tax`,
        },
      }),
      lineOf(COPY.replaceAll('c', 'e'), net === '-net' ? '-100' : net, 1),
    ].map((statement) => statement.replaceAll(COPY, COPY.replaceAll('c', 'e')));
  expect(await committed(contract, ...reversal('-1'), voided)).toBe(REFUSED.sum);
  expect(await committed(contract, ...reversal('-net'))).toBe(REFUSED.sum);
  expect(await committed(contract, ...reversal('-net'), voided)).toBeNull();
});

test('a document is paid by a payment, and its state never goes back', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  const move = (status: string, paid_at: string) =>
    `UPDATE invoices SET status = '${status}', paid_at = ${paid_at} WHERE id = '${id}'`;
  const payment = (amount: string, status: string) => `
    INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at, updated_at)
    SELECT organization_id, customer_id, 'pay_' || repeat('c', 24), id, 'in', 'entered', ${amount}, '${status}', '2027-01-20', now(), now()
      FROM invoices WHERE id = '${id}'`;
  expect(await committed(contract, move('paid', 'now()'))).toBe(REFUSED.sum);
  expect(await committed(contract, payment('118.99', 'settled'), move('paid', 'now()'))).toBe(REFUSED.sum);
  const act = { staff: 'tests', reason: 'test', command: 'test', now: ISSUED };
  await enterPayment({}, api.deps, contract.organization, id, act);
  expect(await committed(contract, move('open', 'NULL'))).toBe(REFUSED.change);
  expect(await committed(contract, move('uncollectible', 'NULL'))).toBe(REFUSED.change);
  expect(await committed(contract, move('paid', "'2020-01-01'"))).toBe(REFUSED.change);
  const reversed = await api.deps.database.inOrganization(
    { organization: contract.organization },
    (connection) => voidInvoice(connection, contract.organization, id, { reason: 'tests' }, clock),
  );
  expect(await committed(contract, move('paid', 'paid_at'))).toBe(REFUSED.change);
  const refunded = move('paid', 'now()').replace(id, reversed.voiding.id);
  expect(await committed(contract, refunded)).toBe(REFUSED.sum);
});

test('documents are issued many at once, and with nothing to pay', async () => {
  const contract = await createBilledContract(api.deps);
  const free = { net: '0.00', taxes: [], tax: '0.00', deducted: '0.00', total: '0.00' };
  const drafts = [0, 1, 2].map((month) => draftOf(contract, { month }));
  const issued = await issue(api.deps, contract.organization, [
    ...drafts,
    draftOf(contract, { month: 3, lines: [], sums: free }),
  ]);
  expect(issued.map(outcomeOf)).toEqual(Array.from({ length: 4 }, () => 'issued'));
  expect(await stored(contract)).toMatchObject({ lines: 3, last: 4 });
});

test('audit verify names what stands in the database against these rules, and ends with 1', async () => {
  const verify = () =>
    runCommand(testEnvironment(api.database, 'redis://127.0.0.1:1'), 'audit', 'verify', '--json');
  const documents = ({ stdout }: { stdout: string }) =>
    (
      JSON.parse(stdout) as { checks: { name: string; problems: { of: string; problem: string }[] }[] }
    ).checks.find(({ name }) => name === 'documents')?.problems ?? [];
  const contract = await createBilledContract(api.deps);
  const { organization } = contract;
  const ids: string[] = [];
  for (const month of [0, 1, 2, 3]) ids.push((await issueDocument(api.deps, contract, { month })).id);
  const ofHere = (problem: { of: string }) => problem.of.startsWith(organization);
  expect(documents(await verify()).filter(ofHere)).toEqual([]);
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await admin.query("SET session_replication_role = 'replica'");
  await admin.query('DELETE FROM invoice_lines WHERE invoice_id = $1', [second]);
  await admin.query('DELETE FROM invoices WHERE id = $1', [second]);
  await admin.query("UPDATE invoices SET status = 'voided' WHERE id = $1", [third]);
  await admin.query("UPDATE invoices SET status = 'paid', paid_at = now() WHERE id = $1", [fourth]);
  await admin.query('UPDATE invoice_lines SET net = net + 1 WHERE invoice_id = $1', [first]);
  await admin.query("SET session_replication_role = 'origin'");
  const broken = await verify();
  expect(broken.exitCode).toBe(1);
  expect(
    documents(broken)
      .filter(ofHere)
      .map(({ of, problem }) => `${of.slice(organization.length + 1)} ${problem}`)
      .toSorted(),
  ).toEqual(
    [
      `${first} behind number 1 of the ledger one is missing`,
      `${first} its lines do not add up to it`,
      `${third} it is voided, and no document reverses it`,
      `${fourth} it is paid without a payment`,
    ].toSorted(),
  );
});
