import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listOutstandingBills } from '../../../src/billing/payments/due-queries.ts';
import { withdrawFile } from '../../../src/billing/payments/withdraw.ts';
import { serviceChecks } from '../../../src/cli/doctor/service.ts';
import { readCommandLineConfig } from '../../../src/config/config.ts';
import { runCommandAt } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { camt, type Movement, startBank, type TestBank } from './bank.ts';

const ORDERED = '2027-01-22T08:00:00.000Z';
const REPORTED = '2027-01-28T08:00:00.000Z';

let bank: TestBank;
let folder: string;
beforeAll(async () => {
  bank = await startBank();
  folder = await mkdtemp(join(tmpdir(), 'withdrawn-'));
});
afterAll(async () => {
  await bank?.close();
  await rm(folder, { recursive: true });
});

let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.xml`);
};

/** The command line for one organization. */
async function office() {
  const organization = await bank.organization();
  const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
  const run = async (...words: string[]) => {
    const own = ['--organization', organization, '--json', '--reason', 'lost', '--staff', 'ada'];
    const { exitCode, stdout, stderr } = await runCommandAt(bank.clock, environment, ...words, ...own);
    return { exitCode, stderr, stdout, answer: () => JSON.parse(stdout) };
  };
  return {
    ...{ organization, run },
    make: async (kind: 'debit' | 'refund' = 'debit') => {
      const out = newFile();
      const { id, payments } = (await run('payments', `${kind}-file`, '--out', out)).answer();
      const text = id === null ? '' : await readFile(out, 'utf8');
      const numbers = [...text.matchAll(/<EndToEndId>([^<]+)</g)].map(([, name = '']) => name);
      const sequences = [...text.matchAll(/<SeqTp>(\w+)</g)].map(([, type]) => type);
      const [, block = ''] = /<PmtInfId>([^<]+)</.exec(text) ?? [];
      return { id: String(id), payments, numbers: numbers.toSorted(), sequences, block };
    },
    withdraw: (file: string) => run('payments', 'withdraw-file', file),
    report: async (...movements: Movement[]) => {
      const statement = newFile();
      await writeFile(statement, camt(movements));
      return (await run('payments', 'import', statement)).answer();
    },
    overpaid: async () => (await run('payments', 'list', '--what', 'overpaid')).answer(),
  };
}

test('a debit file that the bank never had is taken back: the next one has its bills, and no account counts as one that did not pay', async () => {
  const { organization, run, make, withdraw, report, overpaid } = await office();
  const contract = await bank.contract(organization);
  const [first, second] = [await bank.bill(contract), await bank.bill(contract, { month: 1 })];
  const failed = await bank.bill(await bank.contract(organization));
  bank.clock.set(ORDERED);
  const lost = await make();
  expect([lost.payments, lost.sequences]).toEqual([3, ['FRST', 'RCUR']]);
  await run('invoices', 'fail', failed.id, '--code', 'AC04');
  expect((await run('payments', 'debit-file', '--again', lost.id, '--out', newFile())).exitCode).toBe(0);

  bank.clock.set(REPORTED);
  const taken = { file: lost.id, payments: 2, sum: '238.00' };
  expect((await withdraw(lost.id)).answer()).toEqual(taken);
  expect((await withdraw(lost.id)).answer()).toEqual(taken);
  const lines = await auditRows(bank.api, organization, 'payments.withdraw_file');
  expect(lines.map(({ object_id, reason, result }) => [object_id, reason, result])).toEqual([
    [lost.id, 'lost', 'done'],
    [lost.id, 'lost', 'unchanged'],
  ]);
  expect(await bank.stateOf(first.id)).toEqual({
    status: 'open',
    told: ['invoice.created'],
    payments: ['in direct_debit 119.00 returned FILE'],
  });
  expect((await bank.stateOf(failed.id)).payments).toEqual(['in direct_debit 119.00 returned AC04']);
  const reasons = async (list: string) => {
    const payments: { return_reason: string }[] = (await run('payments', 'list', '--what', list)).answer();
    return payments.map(({ return_reason }) => return_reason).toSorted();
  };
  expect(await reasons('returned')).toEqual(['AC04']);
  expect(await reasons('payments')).toEqual(['AC04', 'FILE', 'FILE']);
  const outstanding = await bank.api.deps.database.inOrganization({ organization }, (connection) =>
    listOutstandingBills(connection, organization, [first.id]),
  );
  expect(outstanding).toMatchObject([{ amount: '119.00', is_debited: true }]);
  const twice = await run('payments', 'debit-file', '--again', lost.id, '--out', newFile());
  expect([twice.exitCode, twice.stderr]).toEqual([1, expect.stringContaining('was withdrawn')]);

  const next = await make();
  expect([next.numbers, next.sequences]).toEqual([
    [`${first.number}.2`, `${second.number}.2`].toSorted(),
    ['FRST', 'RCUR'],
  ]);
  expect((await withdraw(next.id)).exitCode).toBe(0);
  expect((await make()).numbers).toContain(`${first.number}.3`);

  expect(
    await report(
      { amount: '119.00', on: '2027-01-26', endToEndId: first.number },
      { amount: '119.00', on: '2027-02-01', endToEndId: `${first.number}.3` },
    ),
  ).toMatchObject({ booked: 2, unmatched: 0 });
  bank.clock.set('2027-02-10T08:00:00.000Z');
  await report({ amount: '-1.50', on: '2027-02-10', text: 'Entgelt' });
  expect(await bank.stateOf(first.id)).toMatchObject({ status: 'paid' });
  expect(await overpaid()).toEqual([
    expect.objectContaining({ invoice_id: first.id, received: '238.00', overpaid: '119.00' }),
  ]);
});

test('a block that the bank credits without what staff entered as failed is booked, also behind the withdrawal of its file', async () => {
  const { organization, run, make, withdraw, report, overpaid } = await office();
  const bills: { id: string; number: string }[] = [];
  while (bills.length < 3) bills.push(await bank.bill(await bank.contract(organization)));
  const [refused, ...others] = bills;
  bank.clock.set(ORDERED);
  const lost = await make();
  await run('invoices', 'fail', refused?.id ?? '', '--code', 'AC04');
  bank.clock.set(REPORTED);
  await withdraw(lost.id);
  const next = await make();
  expect(next.numbers).toEqual(others.map(({ number }) => `${number}.2`).toSorted());
  expect(
    await report(
      { amount: '238.00', on: '2027-01-26', blockId: lost.block },
      { amount: '238.00', on: '2027-02-01', blockId: next.block },
    ),
  ).toMatchObject({ booked: 2, unmatched: 0 });
  bank.clock.set('2027-02-10T08:00:00.000Z');
  await report({ amount: '-1.50', on: '2027-02-10', text: 'Entgelt' });
  const twice: { invoice_id: string; overpaid: string }[] = await overpaid();
  expect(new Map(twice.map((bill) => [bill.invoice_id, bill.overpaid]))).toEqual(
    new Map(others.map(({ id }) => [id, '119.00'])),
  );
  expect((await bank.stateOf(refused?.id ?? '')).payments).toEqual(['in direct_debit 119.00 returned AC04']);
});

test('a file of refunds is taken back in the same way, and its transfers are in the next one', async () => {
  const { organization, make, withdraw } = await office();
  const credit = await bank.bill(await bank.contract(organization), { total: '-30.00' });
  bank.clock.set(ORDERED);
  const lost = await make('refund');
  expect((await withdraw(lost.id)).answer()).toMatchObject({ payments: 1, sum: '30.00' });
  expect((await bank.stateOf(credit.id)).told).toEqual(['invoice.created']);
  expect((await make('refund')).numbers).toEqual([`${credit.number}.2`]);
});

test('a file of which the bank reported a part is not taken back, whatever became of that part', async () => {
  const { organization, run, make, withdraw, report } = await office();
  const bills: { id: string; number: string }[] = [];
  const billed = async () => bills.push(await bank.bill(await bank.contract(organization)));
  await billed();
  await billed();
  bank.clock.set(ORDERED);
  const refused = async (file: string) => {
    const { exitCode, stderr } = await withdraw(file);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/file: The bank had pfl_\w+: it reported/)]);
  };
  /* Its sum differs: staff look at it. */
  const first = await make();
  await report({ amount: '119.00', on: '2027-01-26', blockId: first.block });
  await refused(first.id);
  for (const { id } of bills) await run('invoices', 'fail', id, '--code', 'AM04');

  const second = await make();
  await report({ amount: '-119.00', on: '2027-01-27', endToEndId: second.numbers[0] ?? '', reason: 'AC04' });
  await refused(second.id);
  /* As the erasure of the person leaves it, whose bill that was. */
  await storedRows(
    bank.api,
    `WITH gone AS (UPDATE payments SET restricted_at = now() WHERE end_to_end_id = $1 RETURNING file_id)
     UPDATE payment_files SET restricted_at = now() FROM gone WHERE id = gone.file_id`,
    [second.numbers[0]],
  );
  await refused(second.id);
  expect((await bank.stateOf(bills[1]?.id ?? '')).payments).toHaveLength(2);
  const wrong = await run('invoices', 'fail', bills[1]?.id ?? '', '--code', 'FILE');
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('payments withdraw-file')]);
  const { stderr } = await withdraw('pfl_000000000000000000000000');
  expect(stderr).toContain('payment file pfl_000000000000000000000000');
});

test('a file is not taken back while a report of it is stored', async () => {
  const { organization, make } = await office();
  const { id, number } = await bank.bill(await bank.contract(organization));
  bank.clock.set(ORDERED);
  const file = await make();
  const { deps } = bank.api;
  const reported = camt([{ amount: '119.00', on: '2027-01-26', endToEndId: number }]);
  let looks = 0;
  /* The import stores what the bank says between the look at what is not booked and the act itself. */
  const inOrganization: typeof deps.database.inOrganization = async (...work) => {
    looks += 1;
    if (looks === 2) await bank.importAndDie(organization, reported);
    return await deps.database.inOrganization(...work);
  };
  const meanwhile = { ...deps, database: { ...deps.database, inOrganization } };
  await expect(withdrawFile(meanwhile, organization, file.id, bank.act())).rejects.toMatchObject({
    entries: [expect.objectContaining({ message: expect.stringContaining('it reported a part of it') })],
  });
  expect((await bank.stateOf(id)).payments).toEqual(['in direct_debit 119.00 requested']);
});

test('a file of which the bank reported nothing for more than a week is told by the doctor, until it is taken back', async () => {
  const { organization, make, withdraw } = await office();
  await bank.bill(await bank.contract(organization), {
    issuedAt: '2026-05-01T08:00:00Z',
    dueOn: '2026-06-02',
  });
  bank.clock.set('2026-05-29T08:00:00.000Z');
  const { id } = await make();
  const { database, clock } = bank.api.deps;
  const config = readCommandLineConfig(testEnvironment(bank.api.database, 'redis://127.0.0.1:1'));
  const look = async (now: string) => {
    bank.clock.set(now);
    const check = serviceChecks({ config, database, clock }).find(({ name }) => name === 'bank statements');
    return [await check?.look(new AbortController().signal)].flat();
  };
  const told = expect.objectContaining({
    ...{ level: 'warning', found: expect.stringContaining(id) },
    remedy: expect.stringContaining('payments withdraw-file'),
  });
  expect(await look('2026-06-09T08:00:00.000Z')).not.toContainEqual(told);
  expect(await look('2026-06-10T08:00:00.000Z')).toContainEqual(told);
  await withdraw(id);
  expect(await look('2026-06-10T08:00:00.000Z')).not.toContainEqual(told);
});
