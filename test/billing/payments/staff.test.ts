import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { makeDebitFile } from '../../../src/billing/payments/make-file.ts';
import { enterFailure, enterPayment, enterRefund, giveUp } from '../../../src/billing/payments/staff.ts';
import { erasureOf, type Obstacle } from '../../../src/governance/personal-data/erase.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { runCommandAt } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { camt, startBank, type TestBank } from './bank.ts';

const NOW = '2027-01-27T08:00:00.000Z';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

async function issuedBill(given: Parameters<TestBank['bill']>[1] = {}) {
  const organization = await bank.organization();
  const bill = await bank.bill(await bank.contract(organization), given);
  bank.clock.set(NOW);
  return { organization, ...bill, acting: [bank.api.deps, organization, bill.id, bank.act()] as const };
}

describe('staff', () => {
  test('enter payments in parts; the last one pays the bill', async () => {
    const { id, organization, acting } = await issuedBill();
    expect(await enterPayment({ amount: '19' }, ...acting)).toEqual({
      ...{ invoice: id, status: 'open', amount: '19', missing: '100.00' },
    });
    expect(await enterPayment({ on: '2027-01-20' }, ...acting)).toEqual({
      ...{ invoice: id, status: 'paid', amount: '100.00', missing: '0.00' },
    });
    await expect(enterPayment({}, ...acting)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await auditRows(bank.api, organization, 'invoice.pay')).toEqual([
      expect.objectContaining({ staff: 'tests', reason: 'test', object_id: id, result: 'done' }),
      expect.objectContaining({ object_id: id }),
    ]);
  });

  test('enter what was paid out: an amount in favour of the customer, or too much, and never more', async () => {
    const credit = await issuedBill({ total: '-30.00' });
    await expect(enterPayment({}, ...credit.acting)).rejects.toThrow();
    await expect(enterRefund({ amount: '30.01' }, ...credit.acting)).rejects.toMatchObject({
      entries: [expect.objectContaining({ field: 'amount', message: 'At most 30.00 is to be paid back' })],
    });
    expect(await enterRefund({}, ...credit.acting)).toMatchObject({ status: 'paid', amount: '30.00' });
    const givenUp = await issuedBill({ total: '-30.00' });
    await giveUp(...givenUp.acting);
    expect(await enterRefund({}, ...givenUp.acting)).toMatchObject({ status: 'paid', amount: '30.00' });
    const paid = await issuedBill();
    await expect(enterRefund({}, ...paid.acting)).rejects.toMatchObject({ code: 'CONFLICT' });
    await enterPayment({ amount: '120.50' }, ...paid.acting);
    expect(await enterRefund({}, ...paid.acting)).toMatchObject({ status: 'paid', amount: '1.50' });
    await expect(enterRefund({}, ...paid.acting)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('enter failures and give up; a refusal leaves nothing', async () => {
    const { id, organization, acting } = await issuedBill();
    await enterFailure('AC04', ...acting);
    expect(await giveUp(...acting)).toMatchObject({ status: 'uncollectible' });
    expect(await giveUp(...acting)).toMatchObject({ status: 'uncollectible' });
    await expect(enterFailure('AC04', ...acting)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(enterPayment({ amount: '0' }, ...acting)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(enterPayment({ on: '2027-01-28' }, ...acting)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await bank.stateOf(id)).toEqual({
      status: 'uncollectible',
      told: ['invoice.created', 'invoice.payment_failed', 'invoice.uncollectible'],
      payments: [],
    });
    const acts = (await auditRows(bank.api, organization, 'invoice.')).map(({ act, result }) => [
      act,
      result,
    ]);
    expect(acts).toEqual([
      ['invoice.fail', 'done'],
      ['invoice.uncollectible', 'done'],
      ['invoice.uncollectible', 'unchanged'],
    ]);
    const other = await bank.organization();
    const [deps, , , act] = acting;
    await expect(giveUp(deps, other, id, act)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('a debit that no statement will report is ended by hand, also when its bill was paid or given up meanwhile', async () => {
  for (const end of [enterPayment.bind(null, {}), giveUp]) {
    const { id, organization, acting } = await issuedBill();
    bank.clock.set('2027-01-22T08:00:00.000Z');
    await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    const { status } = await end(...acting);
    expect(await enterFailure('AM04', ...acting)).toMatchObject({ status, amount: '119.00' });
    const after = await bank.stateOf(id);
    expect(after.payments).toContain('in direct_debit 119.00 returned AM04');
    expect(after.told).not.toContain('invoice.payment_failed');
    await expect(enterFailure('AM04', ...acting)).rejects.toMatchObject({ code: 'CONFLICT' });
  }
});

test('a failure is entered and told once, whatever else waits to be booked', async () => {
  const { organization, id, acting } = await issuedBill();
  const [deps] = acting;
  const other = await bank.bill(await bank.contract(organization));
  bank.clock.set('2027-01-22T08:00:00.000Z');
  await makeDebitFile(deps, organization, { provider: bankFiles }, bank.act());
  bank.clock.set(NOW);
  const waiting = () => listOfPayments(deps.database, organization, 'new', 9);
  const [block] = await storedRows<{ id: string }>(
    bank.api,
    'SELECT block_id AS id FROM payments WHERE invoice_id = $1',
    [id],
  );
  await bank.import(organization, camt([{ amount: '119.00', blockId: block?.id ?? '' }]));
  let acts = 0;
  const inOrganization: typeof deps.database.inOrganization = async (...work) => {
    acts += 1;
    if (acts > 1) throw new Error('killed');
    return await deps.database.inOrganization(...work);
  };
  const dying = { ...deps, database: { ...deps.database, inOrganization } };
  await enterFailure('AC04', dying, organization, id, bank.act());
  const failed = ['invoice.created', 'invoice.payment_failed'];
  expect(await bank.stateOf(id)).toMatchObject({
    ...{ told: failed, payments: ['in direct_debit 119.00 returned AC04'] },
  });
  expect(await waiting()).toHaveLength(1);
  await bank.daily(organization);
  expect((await bank.stateOf(other.id)).payments).toEqual(['in direct_debit 119.00 credited']);
  /* What an import left is none of its business. */
  const third = await bank.bill(await bank.contract(organization));
  await bank.importAndDie(organization, camt([{ amount: '119.00', text: other.number }]));
  await enterFailure('AC04', deps, organization, third.id, bank.act());
  expect(await waiting()).toHaveLength(1);
});

test('nobody is erased while money of his is with the bank, may come back, is to be paid back, or was taken back', async () => {
  const { organization, number, id, acting } = await issuedBill();
  const [{ customer_id: customer } = { customer_id: '' }] = await storedRows<{ customer_id: string }>(
    bank.api,
    'SELECT customer_id FROM invoices WHERE id = $1',
    [id],
  );
  const owner = openDatabase({
    ...{ url: bank.api.database.ownerUrl, applicationName: 'test-erase', connectionsMax: 1 },
    onError: () => {},
  });
  const obstacles = async () => {
    const refused = await erasureOf(owner, { organization, customer }, bank.act().now).catch(
      (error) => error,
    );
    return refused.obstacles
      .filter(({ object }: Obstacle) => object === id)
      .map(({ reason }: Obstacle) => reason);
  };
  try {
    bank.clock.set('2027-01-22T08:00:00.000Z');
    await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    await giveUp(...acting);
    expect(await obstacles()).toEqual(['payment_under_way']);
    bank.clock.set(NOW);
    await bank.import(
      organization,
      camt([
        { amount: '119.00', on: '2027-01-26', endToEndId: number },
        { amount: '119.00', text: number },
      ]),
    );
    expect(await obstacles()).toEqual(['payment_under_way']);
    bank.clock.set('2027-02-03T08:00:00.000Z');
    await bank.daily(organization);
    expect(await obstacles()).toEqual(['overpaid']);
    await enterRefund({}, ...acting);
    expect(await obstacles()).toEqual([]);
    await bank.import(organization, camt([{ amount: '-119.00', endToEndId: number, reason: 'MD01' }]));
    expect(await obstacles()).toEqual(['open_invoice']);
    await voidInvoiceByStaff(bank.api.deps, organization, id, bank.act());
    expect(await obstacles()).toEqual([]);
  } finally {
    await owner.close();
  }
});

test('bills that were paid too much: a look ends behind 20,000 payments, says how far it came, and goes on there', async () => {
  const { id, organization, acting } = await issuedBill();
  await enterPayment({ amount: '120.00' }, ...acting);
  const others: string[] = [];
  while (others.length < 20) others.push((await bank.bill(await bank.contract(organization))).id);
  /* So many acts would take minutes. */
  await storedRows(
    bank.api,
    `INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at, updated_at)
     SELECT organization_id, customer_id, 'pay_' || substr(md5(n::text), 1, 24), id, 'in', 'entered', 0.01, 'settled', '2027-01-27',
            $3::timestamptz + n * interval '1 s', $3
       FROM invoices, generate_series(1, 20001) AS n
      WHERE organization_id = $1 AND id = ($2::text[])[least(n / 1000, 19) + 1]`,
    [organization, others, NOW],
  );
  const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
  const list = (...args: string[]) =>
    runCommandAt(bank.clock, environment, 'payments', 'list', '--organization', organization, ...args);
  const first = await list('--what', 'overpaid', '--json');
  /* Another payment may have the instant of the last one. */
  const until = new Date(Date.parse(NOW) + 2_001).toISOString();
  expect([first.exitCode, JSON.parse(first.stdout), first.stderr]).toEqual([
    ...[0, [], `Looked back to ${until}; --before ${until} goes on.\n`],
  ]);
  const next = await list('--what', 'overpaid', '--before', until, '--json');
  expect([JSON.parse(next.stdout), next.stderr]).toEqual([
    [expect.objectContaining({ invoice_id: id, overpaid: '1.00' })],
    '',
  ]);
  expect((await list('--before', until)).stderr).toContain('--before belongs to --what overpaid');
});

test('the command line makes files, takes statements in and lists what is not clear', async () => {
  const { organization, number } = await issuedBill();
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
  const run = (...args: string[]) =>
    runCommandAt(bank.clock, environment, 'payments', ...args, '--organization', organization);
  const why = ['--staff', 'me', '--reason', 'daily'];
  try {
    const statement = join(folder, 'statement.xml');
    await writeFile(
      statement,
      camt([
        { amount: '119.00', text: number },
        { amount: '1.00', text: 'who knows' },
      ]),
    );
    const imported = await run('import', statement, '--json');
    expect(JSON.parse(imported.stdout)).toMatchObject({ entries: 2, new: 2, booked: 1, unmatched: 1 });
    const again = await run('import', statement);
    expect(again.stdout).toMatch(/^known +2$/m);
    expect(again.stdout).toMatch(
      /^known: .*Ntry\[2\]\/NtryDtls\/TxDtls {2}2027-01-27 {2}1\.00 {2}who knows$/m,
    );
    const listed = await run('list', '--what', 'unmatched');
    expect(listed.stdout).toContain('no_bill');
    expect((await run('import', join(folder, 'missing.xml'))).exitCode).toBe(1);
    expect((await run('debit-file', '--out', statement)).exitCode).toBe(2);

    const left = join(folder, 'left.xml');
    const { number: unbooked } = await bank.bill(await bank.contract(organization));
    await writeFile(left, camt([{ amount: '119.00', text: unbooked }]));
    await bank.importAndDie(organization, await readFile(left, 'utf8'));
    const ends = [await run('import', left), await run('import', left)];
    expect(ends.map(({ stdout }) => [/^new +0$/m.test(stdout), stdout.includes('Already entered:')])).toEqual(
      [
        [true, false],
        [true, true],
      ],
    );

    const open = await bank.bill(await bank.contract(organization));
    const debits = join(folder, 'debits.xml');
    const made = await run('debit-file', '--out', debits, ...why);
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const [file] = await storedRows<{ id: string; payments: number; content: Buffer }>(
      bank.api,
      'SELECT id, payments, content FROM payment_files WHERE organization_id = $1',
      [organization],
    );
    const out = join(folder, 'again.xml');
    const readAgain = () => run('debit-file', '--again', file?.id ?? '', '--out', out, ...why);
    const second = await readAgain();
    expect([second.exitCode, second.stderr]).toEqual([0, '']);
    for (const written of [debits, out]) {
      expect(await readFile(written)).toEqual(file?.content);
      expect((await stat(written)).mode & 0o777).toBe(0o600);
    }
    expect(file).toMatchObject({ payments: 1 });
    expect(file?.content.toString()).toContain(`<EndToEndId>${open.number}</EndToEndId>`);
    const twice = await readAgain();
    expect([twice.exitCode, twice.stderr]).toEqual([
      1,
      expect.stringContaining('is stored and was not written'),
    ]);
    const lines = await auditRows(bank.api, organization, 'payments.');
    expect(lines.map(({ act, object_id, result }) => [act, object_id, result])).toEqual([
      ['payments.import', organization, 'done'],
      ['payments.import', organization, 'unchanged'],
      ...['done', 'unchanged', 'unchanged'].map((result) => ['payments.import', organization, result]),
      ['payments.debits', file?.id, 'done'],
      ...[debits, out, out].map(() => ['payments.read_file', file?.id, 'done']),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
