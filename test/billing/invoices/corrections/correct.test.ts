import { afterAll, beforeAll, expect, test } from 'vitest';
import { dunningOf, resumeDunning, stopDunning } from '../../../../src/billing/dunning/staff.ts';
import { correctBills } from '../../../../src/billing/invoices/corrections/correct.ts';
import { voidInvoice, voidInvoiceByStaff } from '../../../../src/billing/invoices/issue/void.ts';
import { orderBilling, orderCorrection } from '../../../../src/billing/invoices/runs/order.ts';
import { bankFiles } from '../../../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../../../src/billing/payments/import.ts';
import { makeDebitFile } from '../../../../src/billing/payments/make-file.ts';
import { giveUp } from '../../../../src/billing/payments/staff.ts';
import { quarterHours } from '../../../contracts/usage/metered.ts';
import { waitingForLocks, whileHeld } from '../../../setup/held-row.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { camt, chunks } from '../../payments/bank.ts';
import { type Billed, startBilled } from '../billing.ts';

const NOW = '2026-11-12T05:30:00.000Z';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled(NOW);
  await billed.price('2026-09-01', '2026-12-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

function order({ id }: { id: string }, closeNow: boolean) {
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'moved out', command: 'invoices exit-summary', now };
  return orderCorrection(billed.api.deps, billed.organization, id, { closeNow }, act);
}

/** Supply that begins with the 26th: five days of a month are a bill as well. */
const LATE_SEPTEMBER = '2026-09-25T22:00:00Z';

const smart = (start_at: string, more = {}) => ({ meter_type: 'smart', start_at, ...more }) as const;

test('what came in behind bills that were made by hand, before the first daily run, is corrected by that one', async () => {
  const { deps } = billed.api;
  const contract = await billed.contract(smart('2026-10-25T23:00:00Z'));
  await billed.supply(contract, '2026-10-26', '2026-11-01');
  const act = { staff: 'ada', reason: 'begun', command: 'invoices run', now: NOW };
  await orderBilling(deps, billed.organization, { month: null, estimateGaps: false }, act);
  await billed.work();
  await billed.import(contract.id, quarterHours('2026-10-26T23:00:00Z', '2026-10-27T23:00:00Z', 1));
  billed.clock.set('2026-11-13T05:30:00.000Z');
  await billed.bill();
  expect((await billed.bills(contract)).map(({ type, status }) => `${type} ${status}`)).toEqual([
    'usage voided',
    'void paid',
    'usage open',
  ]);
});

test('values that came in after a bill replace it: a void document and a new bill of the same period', async () => {
  billed.clock.set(NOW);
  const contract = await billed.contract(smart(LATE_SEPTEMBER));
  await billed.supply(contract, '2026-09-26', '2026-11-01');
  await billed.bill();
  const [september, october] = await billed.bills(contract);
  billed.clock.set('2026-11-14T05:30:00.000Z');
  await billed.import(contract.id, quarterHours('2026-09-27T22:00:00Z', '2026-09-28T22:00:00Z', 1));
  billed.clock.set('2026-11-15T05:30:00.000Z');
  await billed.bill();
  const bills = await billed.bills(contract);
  expect(bills.map(({ type, status, period_number }) => [type, status, period_number])).toEqual([
    ['usage', 'voided', 1],
    ['usage', 'open', 2],
    ['void', 'paid', 1],
    ['usage', 'open', 1],
  ]);
  const [, , voiding, again] = bills;
  expect([voiding?.total, again?.usage]).toEqual([-(september?.total ?? 0), 48 - 9.6 + 96]);
  expect(bills[1]).toEqual(october);
  /* Looked at again nothing changes. */
  billed.clock.set('2026-11-16T05:30:00.000Z');
  await billed.bill();
  expect(await billed.bills(contract)).toEqual(bills);
});

test('a process that ends begins no further correction, and a later run makes it', async () => {
  billed.clock.set('2026-11-16T05:30:00.000Z');
  const { organization, api } = billed;
  const contract = await billed.contract(smart('2026-10-25T23:00:00Z'));
  await billed.supply(contract, '2026-10-26', '2026-11-01');
  await billed.bill();
  billed.clock.set('2026-11-16T05:40:00.000Z');
  await billed.import(contract.id, quarterHours('2026-10-26T23:00:00Z', '2026-10-27T23:00:00Z', 1));
  const ended = AbortSignal.abort(new Error('this process is about to end'));
  const goesOn = new AbortController().signal;
  for (const signals of [
    { signal: goesOn, closing: ended },
    { signal: ended, closing: goesOn },
  ]) {
    const payload = { run: 'run_of_the_test', contracts: [contract.id] };
    const correcting = correctBills(api.deps, { payload, organization, ...signals, log: api.deps.log });
    await expect(correcting).rejects.toThrow('about to end');
  }
  expect(await billed.bills(contract)).toHaveLength(1);
  billed.clock.set('2026-11-16T05:50:00.000Z');
  await billed.bill();
  expect(await billed.bills(contract)).toHaveLength(3);
});

test('a bill that staff stopped stays stopped when another one replaces it, by a correction or by hand, until staff resume it', async () => {
  billed.clock.set('2026-11-16T06:00:00.000Z');
  const { deps } = billed.api;
  const act = () => {
    const now = billed.clock.now().toISOString();
    return { staff: 'ada', reason: 'meter exchanged', command: 'tests', now };
  };
  const contract = await billed.contract(smart('2026-10-25T23:00:00Z'));
  await billed.supply(contract, '2026-10-26', '2026-11-01');
  await billed.bill();
  const standing = async () => {
    const bills = await billed.bills(contract);
    const id = bills.findLast(({ type, status }) => type === 'usage' && status === 'open')?.id ?? '';
    return { id, held: (await dunningOf(deps, billed.organization, id)).held };
  };
  const { id: first } = await standing();
  await stopDunning('disputed', deps, billed.organization, first, act());
  billed.clock.set('2026-11-16T12:00:00.000Z');
  await billed.import(contract.id, quarterHours('2026-10-26T23:00:00Z', '2026-10-27T23:00:00Z', 1));
  billed.clock.set('2026-11-16T18:00:00.000Z');
  await billed.bill();
  const second = await standing();
  await voidInvoiceByStaff(deps, billed.organization, second.id, act());
  await billed.bill();
  const third = await standing();
  expect(new Set([first, second.id, third.id]).size).toBe(3);
  expect([second.held, third.held]).toEqual(['disputed', 'disputed']);
  await resumeDunning(deps, billed.organization, third.id, act());
  await voidInvoiceByStaff(deps, billed.organization, third.id, act());
  await billed.bill();
  expect((await standing()).held).toBe(null);
});

test('a bill that waits for its correction goes on waiting when another of the contract is reversed meanwhile', async () => {
  billed.clock.set('2026-11-16T19:00:00.000Z');
  const { api, organization } = billed;
  const now = billed.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'typed by mistake', command: 'tests', now };
  const contract = await billed.contract(smart(LATE_SEPTEMBER));
  await billed.supply(contract, '2026-09-26', '2026-11-01');
  await billed.bill();
  const [september, october] = (await billed.bills(contract)).map(({ id }) => id);
  await giveUp(api.deps, organization, october ?? '', act);
  for (const from of ['2026-09-27T22:00:00Z', '2026-10-27T23:00:00Z']) {
    const until = new Date(Date.parse(from) + 86_400_000).toISOString();
    await billed.import(contract.id, quarterHours(from, until, 1));
  }
  let correcting: ReturnType<typeof order> | undefined;
  await whileHeld(
    api.database,
    ['invoices', september ?? ''],
    () => voidInvoiceByStaff(api.deps, organization, september ?? '', act),
    async () => {
      correcting = order(contract, false);
      await expect.poll(() => waitingForLocks(api.database)).toBeGreaterThan(1);
    },
  );
  expect(await correcting).toMatchObject({ replaced: [], refused: 1 });
  expect(await billed.refusals(contract)).toMatchObject([
    { type: 'correction', code: 'not_reversible', period: '2026-10-01 2026-11-01' },
  ]);
});

test('values that change no cent replace nothing', async () => {
  billed.clock.set('2026-11-17T05:30:00.000Z');
  const contract = await billed.contract(smart('2026-10-07T22:00:00Z'));
  await billed.supply(contract, '2026-10-08', '2026-11-01');
  await billed.bill();
  billed.clock.set('2026-11-18T05:30:00.000Z');
  /* At the same price: half a day used less, the other half as much more. */
  await billed.import(contract.id, [
    ...quarterHours('2026-10-10T22:00:00Z', '2026-10-11T10:00:00Z', 0.05),
    ...quarterHours('2026-10-11T10:00:00Z', '2026-10-11T22:00:00Z', 0.15),
  ]);
  await billed.bill();
  expect(await billed.bills(contract)).toHaveLength(1);
});

test('behind the final bill one exit summary settles all, six weeks after the end, and nothing follows it', async () => {
  billed.clock.set('2026-11-19T05:30:00.000Z');
  const contract = await billed.contract(
    smart(LATE_SEPTEMBER, { end_at: '2026-10-31T23:00:00Z', status: 'ended' }),
  );
  await billed.supply(contract, '2026-09-26', '2026-11-01');
  await billed.bill();
  const issued = await billed.bills(contract);
  expect(issued.map(({ is_final }) => is_final)).toEqual([false, true]);
  billed.clock.set('2026-11-20T05:30:00.000Z');
  await billed.import(contract.id, quarterHours('2026-09-27T22:00:00Z', '2026-09-28T22:00:00Z', 1));
  billed.clock.set('2026-12-12T05:30:00.000Z');
  await billed.bill();
  expect(await billed.bills(contract)).toEqual(issued);
  expect(await billed.refusals(contract)).toMatchObject([{ type: 'exit_summary', code: 'too_early' }]);
  billed.clock.set('2026-12-13T05:30:00.000Z');
  await billed.bill();
  const bills = await billed.bills(contract);
  expect(bills.slice(2)).toMatchObject([
    { type: 'exit_summary', period: '2026-09-26 2026-11-01', period_number: 3, status: 'open' },
  ]);
  expect(bills[2]?.total).toBeGreaterThan(0);
  expect(await billed.refusals(contract)).toEqual([]);
  billed.clock.set('2026-12-14T05:30:00.000Z');
  await billed.import(contract.id, quarterHours('2026-10-10T22:00:00Z', '2026-10-11T22:00:00Z', 5));
  await billed.bill();
  expect(await billed.bills(contract)).toEqual(bills);
  const [{ sum } = { sum: 0 }] = await storedRows<{ sum: number }>(
    billed.api,
    `SELECT count(*)::int AS sum FROM invoice_lines WHERE invoice_id = $1 AND kind = 'correction'`,
    [bills[2]?.id],
  );
  expect(sum).toBe(1);
});

test('rows of reference data that an exit summary was made of stay when others are pruned', async () => {
  billed.clock.set('2026-12-14T06:00:00.000Z');
  const contract = await billed.contract(
    smart(LATE_SEPTEMBER, { end_at: '2026-10-14T22:00:00Z', status: 'ended' }),
  );
  await billed.supply(contract, '2026-09-26', '2026-10-15');
  await billed.bill();
  billed.clock.set('2026-12-14T10:00:00.000Z');
  await billed.import(contract.id, quarterHours('2026-09-27T22:00:00Z', '2026-09-28T22:00:00Z', 1));
  await storedRows(billed.api, 'TRUNCATE billed_reference_rows');
  await billed.bill();
  expect((await billed.bills(contract)).at(-1)).toMatchObject({ type: 'exit_summary' });
  const rows = await storedRows<{ name: string }>(
    billed.api,
    `SELECT DISTINCT reference_table AS name FROM billed_reference_rows ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['concession_fees', 'grid_fees', 'levies', 'vat_rates', 'zip_areas']),
  );
});

test('the back office closes an ended contract before the six weeks, once, and none that goes on', async () => {
  billed.clock.set('2026-11-19T05:30:00.000Z');
  const ended = { end_at: '2026-10-14T22:00:00Z', status: 'ended' };
  const contract = await billed.contract(smart(LATE_SEPTEMBER, ended));
  const running = await billed.contract(smart('2026-10-24T22:00:00Z'));
  await billed.supply(contract, '2026-09-26', '2026-10-15');
  await billed.supply(running, '2026-10-25', '2026-11-01');
  await billed.bill();
  await billed.import(contract.id, quarterHours('2026-09-27T22:00:00Z', '2026-09-28T22:00:00Z', 1));
  expect(await order(contract, false)).toEqual({ replaced: [], exitSummary: null, refused: 1 });
  expect(await billed.bills(contract)).toHaveLength(2);
  const { exitSummary } = await order(contract, true);
  expect((await billed.bills(contract)).slice(2)).toMatchObject([
    { type: 'exit_summary', invoice_number: exitSummary, status: 'open' },
  ]);
  expect(await billed.refusals(contract)).toEqual([]);
  const refused = { code: 'CONFLICT', entries: [expect.objectContaining({ field: 'subscription' })] };
  for (const closeNow of [true, false])
    await expect(order(contract, closeNow)).rejects.toMatchObject(refused);
  await expect(order(running, true)).rejects.toMatchObject(refused);
  expect(await billed.bills(running)).toHaveLength(1);
  const rows = await auditRows(billed.api, billed.organization, 'invoices.');
  const ofContract = rows.filter(({ object_id }) => object_id === contract.id);
  expect(ofContract.map(({ act, object_id }) => [act, object_id])).toEqual([
    ['invoices.correct', contract.id],
    ['invoices.exit_summary', contract.id],
  ]);
});

test('a contract is not closed while days of it have no bill, which nothing could bill afterwards', async () => {
  billed.clock.set('2026-11-19T05:30:00.000Z');
  const ended = { end_at: '2026-10-14T22:00:00Z', status: 'ended' };
  const contract = await billed.contract(smart(LATE_SEPTEMBER, ended));
  await billed.supply(contract, '2026-09-26', '2026-10-15');
  await billed.bill();
  const [september] = await billed.bills(contract);
  const act = { staff: 'ada', reason: 'wrong', command: 'invoices void' };
  const now = billed.clock.now().toISOString();
  const { api, organization } = billed;
  await voidInvoiceByStaff(api.deps, organization, september?.id ?? '', { ...act, now });
  await billed.import(contract.id, quarterHours('2026-10-01T22:00:00Z', '2026-10-02T22:00:00Z', 1));
  expect(await order(contract, true)).toEqual({ replaced: [], exitSummary: null, refused: 1 });
  expect(await billed.refusals(contract)).toMatchObject([
    { type: 'exit_summary', code: 'earlier_refused', detail: expect.stringContaining('2026-09-26') },
  ]);
  await billed.bill();
  expect((await order(contract, true)).exitSummary).not.toBeNull();
  expect((await billed.bills(contract)).map(({ type, status }) => `${type} ${status}`)).toEqual(
    expect.arrayContaining(['usage open', 'exit_summary open']),
  );
});

test('a bill that is reversed while its contract is closed is not settled', async () => {
  billed.clock.set('2026-11-19T05:30:00.000Z');
  const ended = { end_at: '2026-10-14T22:00:00Z', status: 'ended' };
  const contract = await billed.contract(smart(LATE_SEPTEMBER, ended));
  await billed.supply(contract, '2026-09-26', '2026-10-15');
  await billed.bill();
  const [september] = await billed.bills(contract);
  await billed.import(contract.id, quarterHours('2026-10-01T22:00:00Z', '2026-10-02T22:00:00Z', 1));
  const { api, organization, clock } = billed;
  const { closed } = await api.deps.database.inOrganization({ organization }, async (connection) => {
    await voidInvoice(connection, organization, september?.id ?? '', { reason: 'wrong' }, clock);
    const ordered = order(contract, true);
    await expect.poll(() => waitingForLocks(api.database)).toBeGreaterThan(0);
    return { closed: ordered };
  });
  expect(await closed).toEqual({ replaced: [], exitSummary: null, refused: 1 });
  await billed.bill();
  expect((await order(contract, true)).exitSummary).not.toBeNull();
});

test('a bill whose debit is under way is replaced when it is paid, so that nobody pays both', async () => {
  billed.clock.set('2026-12-15T05:30:00.000Z');
  const { deps } = billed.api;
  const act = () => ({
    staff: 'ada',
    reason: 'daily',
    command: 'tests',
    now: billed.clock.now().toISOString(),
  });
  const contract = await billed.contract(smart('2026-10-25T23:00:00Z'));
  await storedRows(
    billed.api,
    `UPDATE payment_methods SET mandate_signed_on = '2026-10-01'
      WHERE id = (SELECT payment_method_id FROM subscriptions WHERE id = $1)`,
    [contract.id],
  );
  await billed.supply(contract, '2026-10-26', '2026-11-01');
  await billed.bill();
  billed.clock.set('2026-12-28T08:00:00.000Z');
  await makeDebitFile(deps, billed.organization, { provider: bankFiles }, act());
  await billed.import(contract.id, quarterHours('2026-10-26T23:00:00Z', '2026-10-27T23:00:00Z', 1));
  await billed.bill();
  const [bill] = await billed.bills(contract);
  expect(await billed.bills(contract)).toEqual([expect.objectContaining({ status: 'open' })]);
  expect((await billed.refusals(contract)).filter(({ type }) => type === 'correction')).toMatchObject([
    { code: 'payment_under_way', detail: expect.stringContaining(bill?.invoice_number ?? '') },
  ]);
  const { invoice_number: endToEndId = '', total = 0 } = bill ?? {};
  const credited = [{ amount: total.toFixed(2), on: '2026-12-30', endToEndId }];
  const fee = [{ amount: '-1.50', on: '2027-01-08', text: 'Entgelt' }];
  for (const [day, movements] of [
    ['2026-12-30', credited],
    ['2027-01-08', fee],
  ] as const) {
    billed.clock.set(`${day}T08:00:00.000Z`);
    const source = chunks(camt(movements, { iban: 'DE89370400440532013000' }));
    await importStatement(deps, billed.organization, { name: 'statement', source }, bankFiles, act());
  }
  await billed.bill();
  expect((await billed.bills(contract)).map(({ type, status }) => `${type} ${status}`)).toEqual([
    'usage voided',
    'void open',
    'usage open',
  ]);
});

test('an exit summary that was reversed is made again by the next run', async () => {
  billed.clock.set('2027-01-10T05:30:00.000Z');
  const contract = await billed.contract(
    smart(LATE_SEPTEMBER, { end_at: '2026-10-14T22:00:00Z', status: 'ended' }),
  );
  await billed.supply(contract, '2026-09-26', '2026-10-15');
  await billed.bill();
  billed.clock.set('2027-01-11T05:30:00.000Z');
  await billed.import(contract.id, quarterHours('2026-09-27T22:00:00Z', '2026-09-28T22:00:00Z', 1));
  await billed.bill();
  const exit = (await billed.bills(contract)).at(-1);
  expect(exit).toMatchObject({ type: 'exit_summary', status: 'open' });
  billed.clock.set('2027-01-21T05:30:00.000Z');
  await billed.bill();
  billed.clock.set('2027-01-21T09:00:00.000Z');
  const act = { staff: 'ada', reason: 'a debit came back', command: 'invoices void' };
  const now = billed.clock.now().toISOString();
  const { api, organization } = billed;
  await voidInvoiceByStaff(api.deps, organization, exit?.id ?? '', { ...act, now });
  billed.clock.set('2027-01-22T05:30:00.000Z');
  await billed.bill();
  const after = (await billed.bills(contract)).slice(2);
  expect(after.map(({ type, status, total }) => [type, status, total])).toEqual([
    ['exit_summary', 'voided', exit?.total],
    ['void', 'paid', -(exit?.total ?? 0)],
    ['exit_summary', 'open', exit?.total],
  ]);
});
