import { afterAll, beforeAll, expect, test } from 'vitest';
import { billNumbersIn } from '../../../../src/billing/payments/match.ts';
import { runCommand, runCommandAt } from '../../../cli/command-line.ts';
import { startApi, type TestApi, testEnvironment } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { type BilledContract, createBilledContract, issueDocument } from '../../../setup/invoices.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { factsOfSample } from '../documents/sample-facts.ts';

let api: TestApi;
let environment: Record<string, string>;
beforeAll(async () => {
  api = await startApi();
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
});
afterAll(() => api?.close());

const run = ({ organization }: BilledContract, verb: string, id: string, ...more: string[]) =>
  runCommand(environment, 'invoices', verb, id, '--organization', organization, ...more);

const ACT = ['--staff', 'a.b', '--reason', 'wrong meter'];

test('show prints a document by id or printed number, each line with what it was made of', async () => {
  const contract = await createBilledContract(api.deps);
  const { id, invoice_number } = await issueDocument(api.deps, contract);
  const shown = await run(contract, 'show', invoice_number);
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(shown.stdout).toMatch(new RegExp(`^id +${id}$`, 'm'));
  for (const line of [
    'tax 0.19: 19.00 of 100.00',
    '1. energy  2026-12-01 to 2027-01-01  431.6 kWh x 0.2317  = 100.00',
    '   price: 0.2317 EUR/kWh net (tests)',
  ]) {
    expect(shown.stdout).toContain(`${line}\n`);
  }
  expect(JSON.parse((await run(contract, 'show', id, '--json')).stdout)).toMatchObject({
    id,
    invoice_number,
    status: 'open',
    total: '119.00',
    voided_by: null,
    may_follow: ['paid', 'payment_failed', 'uncollectible', 'voided'],
    facts: factsOfSample(),
    lines: [
      { position: 1, kind: 'energy', period_from: '2026-12-01', period_until: '2027-01-01', net: '100.00' },
    ],
    files: [],
  });
});

test('void reverses a document with a reason that is kept, once, and says so where it comes again', async () => {
  const contract = await createBilledContract(api.deps);
  const { id } = await issueDocument(api.deps, contract);
  expect((await run(contract, 'void', id)).exitCode).toBe(2);
  const done = await run(contract, 'void', id, ...ACT, '--json');
  expect(done).toMatchObject({ exitCode: 0, stderr: '' });
  const { voided_by } = JSON.parse(done.stdout);
  expect(JSON.parse(done.stdout)).toEqual({
    id,
    status: 'voided',
    voided_by,
    invoice_number: `${contract.number}-002`,
    total: '-119.00',
  });
  expect(JSON.parse((await run(contract, 'show', voided_by, '--json')).stdout)).toMatchObject({
    type: 'void',
    voids: id,
    void_reason: 'wrong meter',
    may_follow: [],
  });
  expect(await run(contract, 'void', id, ...ACT, '--json')).toEqual(done);
  expect((await run(contract, 'void', id, ...ACT)).stdout).toContain('Already entered');
  expect(await auditRows(api, contract.organization, 'invoice.void')).toMatchObject([
    { object_id: id, staff: 'a.b', reason: 'wrong meter', route: 'invoices void', result: 'done' },
    ...[{ result: 'unchanged' }, { result: 'unchanged' }],
  ]);
});

test('a document of another organization is not known', async () => {
  const [own, other] = [await createBilledContract(api.deps), await createBilledContract(api.deps)];
  const { id, invoice_number } = await issueDocument(api.deps, other);
  for (const name of [id, invoice_number, 'x']) {
    expect((await run(own, 'show', name)).exitCode).toBe(1);
    expect((await run(own, 'void', name, ...ACT)).exitCode).toBe(1);
  }
});

test('behind a restore no document gets a printed number that a lost one may have, and the counts go on without a gap', async () => {
  const contract = await createBilledContract(api.deps);
  const other = await createBilledContract(api.deps, { organization: contract.organization });
  await issueDocument(api.deps, contract);
  const begin = seriesOf(contract);
  expect(await begin('2026-11-29T10:00:00Z')).toMatchObject({ exitCode: 0, stderr: '' });
  const next = await issueDocument(api.deps, contract, { month: 1, periodNumber: 2 });
  const first = await issueDocument(api.deps, other);
  expect(await begin('2026-11-29T10:00:05Z')).toMatchObject({
    ...{ exitCode: 0, stderr: '' },
    stdout: expect.stringMatching(/^first_number +2872080500001$/m),
  });
  const last = await issueDocument(api.deps, contract, { month: 2, periodNumber: 3 });
  const issued = [next, first, last];
  expect(issued.map(({ invoice_number }) => invoice_number)).toEqual([
    ...[`${contract.number}-2872080000002`, `${other.number}-2872080000001`],
    `${contract.number}-2872080500003`,
  ]);
  expect(issued.map(({ running_number }) => running_number)).toEqual([2, 1, 3]);
  expect(issued.map(({ ledger_number }) => ledger_number)).toEqual([2, 3, 4]);
  expect(billNumbersIn(`Rechnung ${last.invoice_number} vom`)).toEqual([last.invoice_number]);
  expect((await run(contract, 'show', next.invoice_number)).stdout).toContain(next.id);
  expect(await auditRows(api, contract.organization, 'invoices.begin_series')).toMatchObject([
    { object_id: '28720800', staff: 'a.b', route: 'invoices begin-series' },
    { object_id: '28720805' },
  ]);
  expect(
    await storedRows(api, 'SELECT problem FROM list_document_problems(1000) WHERE organization_id = $1', [
      contract.organization,
    ]),
  ).toEqual([]);
});

const seriesOf = (contract: BilledContract) => (at: string) =>
  runCommandAt(
    fakeClock(at),
    environment,
    ...['invoices', 'begin-series', '--organization', contract.organization, ...ACT],
  );

/** `back`: before it the backup is restored, which knows of so high a series. */
test.each<[string, ...{ at: string; back?: number }[]]>([
  ['on the same day', { at: '2026-11-29T10:00:00Z' }, { at: '2026-11-29T15:00:00Z', back: 0 }],
  [
    'on another day of Berlin and the same one of UTC',
    { at: '2026-11-29T22:30:00Z' },
    { at: '2026-11-29T23:30:00Z', back: 0 },
  ],
  [
    'behind one begun twice by mistake',
    { at: '2026-11-29T10:00:00Z' },
    { at: '2026-11-29T10:00:00Z' },
    { at: '2026-11-30T10:00:00Z', back: 0 },
  ],
  [
    'behind series that were counted one by one',
    { at: '2026-11-29T10:00:00Z', back: 2 },
    { at: '2026-11-29T10:00:04Z', back: 1 },
  ],
])('a series has other numbers than each before it: behind a second restore, %s', async (_when, ...begun) => {
  const contract = await createBilledContract(api.deps);
  await issueDocument(api.deps, contract);
  const firsts: number[] = [];
  for (const { at, back } of begun) {
    if (back !== undefined) {
      await storedRows(api, 'UPDATE invoice_ledgers SET series = $2 WHERE organization_id = $1', [
        contract.organization,
        back,
      ]);
    }
    const { stdout } = await seriesOf(contract)(at);
    firsts.push(Number(/^first_number +(\d+)$/m.exec(stdout)?.[1]));
  }
  expect(firsts).toEqual([...new Set(firsts)].sort((left, right) => left - right));
  expect(firsts[0]).toBeGreaterThan(299_999);
});
