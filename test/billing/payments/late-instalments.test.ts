import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dunningOf, stopDunning } from '../../../src/billing/dunning/staff.ts';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { setBillingMode } from '../../../src/billing/invoices/prepayments/terms.ts';
import { billPortion } from '../../../src/billing/invoices/runs/bill.ts';
import { documentForStaff, newestInvoices } from '../../../src/billing/invoices/staff-read.ts';
import { assignEntry, unassignEntry } from '../../../src/billing/payments/assign.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../../src/billing/payments/import.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { makeDebitFile, makeRefundFile } from '../../../src/billing/payments/make-file.ts';
import { enterPayment } from '../../../src/billing/payments/staff.ts';
import { sqlFolder } from '../../../src/platform/database/migration-files.ts';
import type { Contract } from '../../contracts/usage/metered.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Billed, type StoredBill, startBilled } from '../invoices/billing.ts';
import { camt, chunks } from './bank.ts';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled('2026-04-20T05:30:00.000Z');
  await billed.price('2026-05-01', '2026-08-01', 80);
  await billed.issuer();
  await payInAdvance(7);
});
afterAll(() => billed?.close());

const act = () => ({
  ...{ staff: 'ada', reason: 'ticket 17', command: 'tests' },
  now: billed.clock.now().toISOString(),
});

const waiting: Contract[] = [];

/**
 * Contracts that pay 90 EUR in advance for May, June and July; the bill that closes them can be made on 2026-08-13. The last but
 * one uses next to nothing.
 */
async function payInAdvance(count: number): Promise<void> {
  const { deps } = billed.api;
  while (waiting.length < count) {
    const contract = await billed.contract({ meter_type: 'smart', start_at: '2026-04-30T22:00:00Z' });
    await billed.supply(contract, '2026-05-01', '2026-08-01', waiting.length === count - 2 ? 0.001 : 0.1);
    await storedRows(
      billed.api,
      `UPDATE payment_methods SET mandate_signed_on = '2026-03-01'
        WHERE id = (SELECT payment_method_id FROM subscriptions WHERE id = $1)`,
      [contract.id],
    );
    const advance = { mode: 'advance', from: '2026-05-01', instalment: '90' } as const;
    await setBillingMode(deps, billed.organization, contract.id, advance, act());
    waiting.push(contract);
  }
  for (const month of ['05', '06', '07']) {
    billed.clock.set(`2026-${month}-01T04:30:00.000Z`);
    await billed.bill();
  }
  const monthly = { mode: 'monthly', from: '2026-08-01' } as const;
  for (const { id } of waiting) await setBillingMode(deps, billed.organization, id, monthly, act());
}

/** The next one of them, for one test. */
async function paidInAdvance(): Promise<{ contract: Contract; prepayments: StoredBill[] }> {
  billed.clock.set('2026-07-01T04:30:00.000Z');
  const contract = waiting.shift();
  if (contract === undefined) throw new Error('No contract is left');
  const prepayments = (await billed.bills(contract)).filter(({ type }) => type === 'prepayment');
  expect(prepayments.map(({ total }) => total)).toEqual([90, 90, 90]);
  return { contract, prepayments };
}

/** What the run of a day makes for one contract. */
async function billOn(day: string, { id }: Contract): Promise<void> {
  billed.clock.set(`${day}T04:30:00.000Z`);
  const { organization } = billed;
  const { deps } = billed.api;
  const [run] = await storedRows<{ id: string }>(
    billed.api,
    'SELECT id FROM billing_runs WHERE organization_id = $1 LIMIT 1',
    [organization],
  );
  const { signal } = new AbortController();
  const payload = { run: run?.id ?? '', first: id, last: id };
  await billPortion(deps, { payload, organization, signal, closing: signal, log: deps.log });
}

const closingOf = async (contract: Contract) =>
  (await billed.bills(contract)).find(
    ({ period, type }) => type === 'usage' && period === '2026-05-01 2026-08-01',
  );

const pay = (id: string, amount?: string) =>
  enterPayment(amount === undefined ? {} : { amount }, billed.api.deps, billed.organization, id, act());

const imported = (movements: Parameters<typeof camt>[0]) =>
  importStatement(
    billed.api.deps,
    billed.organization,
    { name: 'statement', source: chunks(camt(movements, { iban: 'DE89370400440532013000' })) },
    bankFiles,
    act(),
  );

/** A debit of a prepayment that is with the bank. */
async function debited(id: string): Promise<void> {
  files += 1;
  await storedRows(
    billed.api,
    `WITH file AS (
       INSERT INTO payment_files (organization_id, id, kind, provider, format, message_id, execute_on, payments, sum, content, sha256, created_at)
       VALUES ($1, 'pfl_' || rpad($3, 24, 'z'), 'debits', 'bank_files', 'pain.008.001.08', 'EARLIER' || $3, '2026-08-10', 1, 90, 'x', sha256('x'), now()))
     INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, sequence_type, file_id,
                           end_to_end_id, created_at, updated_at)
     SELECT organization_id, customer_id, 'pay_' || rpad($3, 24, 'z'), id, 'in', 'direct_debit', 90, 'requested', 'RCUR',
            'pfl_' || rpad($3, 24, 'z'), invoice_number, '2026-08-08', '2026-08-08' FROM invoices WHERE id = $2`,
    [billed.organization, id, `${files}`],
  );
}

let files = 0;

const paymentsOf = (ids: readonly string[]) =>
  storedRows<{ invoice_id: string; text: string }>(
    billed.api,
    `SELECT invoice_id, concat_ws(' ', direction, way, amount, status) AS text FROM payments WHERE invoice_id = ANY($1)
      ORDER BY created_at, id`,
    [ids],
  );

test('money for a prepayment that the closing bill took over pays that bill, and nobody pays twice', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [may, june, july] = prepayments;
  if (may === undefined || june === undefined || july === undefined) throw new Error('No prepayments');
  await pay(may.id);
  await pay(june.id, '30.00');
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  if (closing === undefined) throw new Error('No closing bill');
  /* What came in for June in part is paid as well. */
  expect(closing).toMatchObject({ status: 'open', deducted: 120 });
  const document = await documentForStaff(billed.api.deps.database, billed.organization, closing.id);
  const facts = document.facts as unknown as { deductions: { invoiceNumber: string; gross: string }[] };
  expect(facts.deductions.map(({ invoiceNumber, gross }) => [invoiceNumber, Number(gross)])).toEqual([
    [may.invoice_number, 90],
    [june.invoice_number, 30],
  ]);
  const late = { amount: '90.00', on: '2026-08-20', text: `Abschlag ${july.invoice_number}` };
  expect(await imported([late])).toMatchObject({ booked: 1 });
  expect(await pay(june.id, '20')).toMatchObject({ invoice: closing.id, amount: '20' });
  expect(await pay(june.id)).toMatchObject({ invoice: closing.id, amount: '40.00' });
  await expect(pay(june.id, '20')).rejects.toMatchObject({ code: 'CONFLICT' });
  const rest = (closing.total - 150).toFixed(2);
  const transfer = [{ amount: rest, on: '2026-08-21', text: closing.invoice_number }];
  if (Number(rest) > 0) await imported(transfer);
  const after = new Map((await billed.bills(contract)).map(({ id, status }) => [id, status]));
  expect([may, june, july, closing].map(({ id }) => after.get(id))).toEqual([
    ...['paid', 'uncollectible', 'uncollectible', 'paid'],
  ]);
  const payments = await paymentsOf([june.id, july.id, closing.id]);
  expect(payments.filter(({ invoice_id }) => invoice_id !== closing.id).map(({ text }) => text)).toEqual([
    'in entered 30.00 settled',
  ]);
  /* At one instant of the clock: in any order. */
  expect(payments.filter(({ invoice_id }) => invoice_id === closing.id).map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'in bank_transfer 90.00 settled',
      'in entered 20.00 settled',
      'in entered 40.00 settled',
    ]),
  );
  const overpaid = await listOfPayments(billed.api.deps.database, billed.organization, 'overpaid', 99);
  const most = Math.max(0, -Number(rest));
  expect(overpaid.map(({ invoice_id, overpaid: eur }) => [invoice_id, Number(eur)])).toEqual(
    most === 0 ? [] : [[closing.id, most]],
  );
});

test('staff and analysts see which bill took a prepayment over; the interface keeps its states', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [may] = prepayments;
  if (may === undefined) throw new Error('No prepayments');
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  const { database } = billed.api.deps;
  const of = { subscription: contract.id };
  const listed = await newestInvoices(database, billed.organization, { ...of, status: 'taken_over' }, 9);
  expect(listed.map(({ status, taken_over_by }) => [status, taken_over_by])).toEqual(
    prepayments.map(() => ['taken_over', closing?.invoice_number]),
  );
  expect(await newestInvoices(database, billed.organization, { ...of, status: 'uncollectible' }, 9)).toEqual(
    [],
  );
  expect(
    await storedRows(
      billed.api,
      `SELECT DISTINCT taken_over_by, missing_eur::float8 AS missing FROM analytics.invoices
        WHERE contract = $1 AND type = 'prepayment'`,
      [contract.id],
    ),
  ).toEqual([{ taken_over_by: closing?.id, missing: 0 }]);
  expect(await documentForStaff(database, billed.organization, may.id)).toMatchObject({
    ...{ status: 'uncollectible', taken_over_by: closing?.invoice_number, may_follow: [] },
  });
});

test('a debit that was under way when its prepayment was taken over pays the closing bill, also one of before', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [, june, july] = prepayments;
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  if (!june || !july || !closing) throw new Error('No closing bill');
  /* As bills were closed before they waited. */
  await debited(july.id);
  await imported([{ amount: '90.00', on: '2026-08-13', endToEndId: july.invoice_number }]);
  billed.clock.set('2026-08-21T08:00:00.000Z');
  await imported([{ amount: '-1.50', on: '2026-08-21', text: 'Entgelt' }]);
  expect(await paymentsOf([july.id, closing.id])).toEqual([
    { invoice_id: closing.id, text: 'in direct_debit 90.00 settled' },
  ]);
  const after = (await billed.bills(contract)).find(({ id }) => id === july.id);
  expect(after?.status).toBe('uncollectible');
  /* As versions stored it that did not keep what was meant. */
  await imported([{ amount: '90.00', on: '2026-08-22', text: `Abschlag ${june.invoice_number}` }]);
  await storedRows(billed.api, 'UPDATE payments SET meant_for = NULL WHERE invoice_id = $1', [closing.id]);
  const file = `${sqlFolder}/migrations/0059-earlier-meant-prepayments.sql`;
  await storedRows(billed.api, await readFile(file, 'utf8'));
  for (const { id } of [july, june])
    await expect(pay(id, '90')).rejects.toMatchObject({
      entries: [expect.objectContaining({ message: expect.stringContaining('90.00 are booked for it') })],
    });
});

test('a prepayment that a bill deducts is not reversed beside it, nor is money for it taken back', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [may, june] = prepayments;
  if (may === undefined || june === undefined) throw new Error('No prepayment');
  await pay(may.id);
  await imported([{ amount: '90.00', on: '2026-07-01', text: june.invoice_number }]);
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  if (closing === undefined) throw new Error('No closing bill');
  const reverse = (id: string) => voidInvoiceByStaff(billed.api.deps, billed.organization, id, act());
  await expect(reverse(may.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  const { database } = billed.api.deps;
  const [of] = (await listOfPayments(database, billed.organization, 'payments', 99)).filter(
    ({ invoice_id }) => invoice_id === june.id,
  );
  const takeBack = () =>
    unassignEntry(billed.api.deps, billed.organization, String(of?.bank_entry_id), act());
  await expect(takeBack()).rejects.toMatchObject({
    entries: [
      expect.objectContaining({ message: expect.stringContaining(`${closing.invoice_number} closes`) }),
    ],
  });
  await reverse(closing.id);
  expect((await takeBack()).parts).toMatchObject([{ invoice: june.invoice_number, missing: '90.00' }]);
  /* The next one takes off what was paid for May alone. */
  await billOn('2026-08-14', contract);
  const anew = (await billed.bills(contract)).find(
    ({ type, status }) => type === 'usage' && status !== 'voided',
  );
  expect(anew).toMatchObject({ period: '2026-05-01 2026-08-01', deducted: 90 });
  await reverse(anew?.id ?? '');
  expect((await reverse(may.id)).voiding.total).toBe('-90.00');
});

test('a paid prepayment whose debit was taken back is asked for by the closing bill, which is stopped with it, and money for it pays that bill', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [may, june, july] = prepayments;
  if (may === undefined || june === undefined || july === undefined) throw new Error('No prepayments');
  const { deps } = billed.api;
  await pay(may.id);
  await pay(june.id);
  await debited(july.id);
  await stopDunning('disputed', deps, billed.organization, july.id, act());
  await imported([{ amount: '90.00', on: '2026-08-03', endToEndId: july.invoice_number }]);
  billed.clock.set('2026-08-11T08:00:00.000Z');
  await imported([{ amount: '-1.50', on: '2026-08-11', text: 'Entgelt' }]);
  const takenBack = { amount: '-90.00', on: '2026-08-12', endToEndId: july.invoice_number, reason: 'MD01' };
  await imported([takenBack]);
  expect((await billed.bills(contract)).find(({ id }) => id === july.id)?.status).toBe('paid');
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  expect(closing).toMatchObject({ status: 'open', deducted: 180 });
  const document = await documentForStaff(deps.database, billed.organization, closing?.id ?? '');
  expect(document.facts).toMatchObject({ payment: { way: 'stopped' } });
  expect((await dunningOf(deps, billed.organization, closing?.id ?? '')).held).toBe('disputed');
  const facts = document.facts as unknown as { deductions: { invoiceNumber: string }[] };
  expect(facts.deductions.map(({ invoiceNumber }) => invoiceNumber)).toEqual(
    [may, june].map(({ invoice_number }) => invoice_number),
  );
  const takenOver = { subscription: contract.id, status: 'taken_over' } as const;
  const listed = await newestInvoices(deps.database, billed.organization, takenOver, 9);
  expect(listed.map(({ id, taken_over_by }) => [id, taken_over_by])).toEqual([
    [july.id, closing?.invoice_number],
  ]);
  const iban = 'DE02120300000000202051';
  await storedRows(
    billed.api,
    'UPDATE payment_methods SET iban = $2 WHERE id = (SELECT payment_method_id FROM subscriptions WHERE id = $1)',
    [contract.id, iban],
  );
  expect(await pay(july.id, '1')).toMatchObject({ invoice: closing?.id });
  await imported([
    { on: '2026-08-20', amount: '90.00', iban },
    { on: '2026-08-20', amount: '50.00', text: `Abschlag ${july.invoice_number}` },
  ]);
  const payments = await paymentsOf([july.id, closing?.id ?? '']);
  expect(payments.filter(({ invoice_id }) => invoice_id === july.id).map(({ text }) => text)).toEqual([
    'in direct_debit 90.00 returned',
  ]);
  expect(payments).toHaveLength(4);
});

test('a late instalment that comes in with the report that its credit was paid out is paid too much', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const [may, june, july] = prepayments;
  if (may === undefined || june === undefined || july === undefined) throw new Error('No prepayments');
  const { deps } = billed.api;
  await pay(may.id);
  await pay(june.id);
  await billOn('2026-08-13', contract);
  const closing = await closingOf(contract);
  if (closing === undefined) throw new Error('No closing bill');
  expect(closing.total).toBeLessThan(0);
  await makeRefundFile(deps, billed.organization, { provider: bankFiles }, act());
  billed.clock.set('2026-08-21T08:00:00.000Z');
  const on = '2026-08-20';
  const movements = [
    { on, amount: closing.total.toFixed(2), endToEndId: closing.invoice_number },
    { on: '2026-08-21', amount: '90.00', text: july.invoice_number },
  ];
  expect(await imported(movements)).toMatchObject({ booked: 2, unmatched: 0 });
  expect((await closingOf(contract))?.status).toBe('paid');
  const overpaid = async () => {
    const listed = await listOfPayments(deps.database, billed.organization, 'overpaid', 99);
    return listed.find(({ invoice_id }) => invoice_id === closing.id)?.overpaid;
  };
  expect(await overpaid()).toBe('90.00');
  await expect(pay(july.id)).rejects.toMatchObject({
    entries: [
      expect.objectContaining({ message: `${july.invoice_number} is paid: 90.00 are booked for it` }),
    ],
  });
  /* What says nothing of a bill is assigned as an import would have booked it. */
  await imported([{ on: '2026-08-22', amount: '12.00', text: 'Danke' }]);
  const [entry] = await storedRows<{ id: string }>(
    billed.api,
    "SELECT id FROM bank_entries WHERE organization_id = $1 AND text = 'Danke'",
    [billed.organization],
  );
  const given = [deps, billed.organization, entry?.id ?? '', act()] as const;
  expect(await assignEntry(july.invoice_number, ...given)).toMatchObject({
    parts: [{ invoice: closing.invoice_number, amount: '12.00' }],
  });
  expect(await overpaid()).toBe('102.00');
});

/* The last one: its file has the debits of all contracts that are left. */
test('the closing bill waits for a debit that is under way, and deducts it when it is paid', async () => {
  const { contract, prepayments } = await paidInAdvance();
  const july = prepayments.at(-1);
  if (july === undefined) throw new Error('No prepayment');
  const { deps } = billed.api;
  billed.clock.set('2026-08-10T08:00:00.000Z');
  const others = prepayments.slice(0, 2);
  for (const { id } of others) await pay(id);
  const made = await makeDebitFile(deps, billed.organization, { provider: bankFiles }, act());
  expect(made.left_out).toEqual([]);
  expect(made).not.toMatchObject({ id: null });
  await billOn('2026-08-13', contract);
  expect(await closingOf(contract)).toBeUndefined();
  const refused = async () =>
    (await billed.refusals(contract)).filter(({ code }) => code === 'payment_under_way');
  expect(await refused()).toEqual([
    expect.objectContaining({
      type: 'usage',
      period: '2026-05-01 2026-08-01',
      detail: expect.stringContaining(july.invoice_number),
      deadline: expect.any(String),
    }),
  ]);
  await imported([{ amount: '90.00', on: '2026-08-13', endToEndId: july.invoice_number }]);
  await billOn('2026-08-14', contract);
  expect(await refused()).toHaveLength(1);
  billed.clock.set('2026-08-21T08:00:00.000Z');
  await imported([{ amount: '-1.50', on: '2026-08-21', text: 'Entgelt' }]);
  await billOn('2026-08-22', contract);
  expect(await refused()).toEqual([]);
  expect(await closingOf(contract)).toMatchObject({ deducted: 270 });
  /* What comes back of a prepayment that was deducted is owed for that one. */
  const takenBack = { amount: '-90.00', on: '2026-08-24', endToEndId: july.invoice_number, reason: 'MD06' };
  await imported([takenBack, { amount: '90.00', on: '2026-08-25', text: july.invoice_number }]);
  expect((await paymentsOf([july.id])).map(({ text }) => text)).toEqual([
    'in direct_debit 90.00 returned',
    'in bank_transfer 90.00 settled',
  ]);
});
