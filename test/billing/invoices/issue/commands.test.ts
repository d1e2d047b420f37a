import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../cli/command-line.ts';
import { startApi, type TestApi, testEnvironment } from '../../../setup/api.ts';
import { type BilledContract, createBilledContract, issueDocument } from '../../../setup/invoices.ts';
import { auditRows } from '../../../setup/stored-rows.ts';
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

test('void reverses a document with a reason that is kept, once', async () => {
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
  expect(await run(contract, 'void', id, ...ACT)).toMatchObject({
    exitCode: 1,
    stderr: `status: Invoice ${id} (usage) is voided: voided cannot follow\n`,
  });
  expect(await auditRows(api, contract.organization, 'invoice.void')).toMatchObject([
    { object_id: id, staff: 'a.b', reason: 'wrong meter', route: 'invoices void' },
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
