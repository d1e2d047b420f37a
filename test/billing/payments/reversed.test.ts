import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { assignEntry } from '../../../src/billing/payments/assign.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { listOfPayments, listOverpaid } from '../../../src/billing/payments/list.ts';
import { makeDebitFile, makeRefundFile } from '../../../src/billing/payments/make-file.ts';
import { enterFailure, enterPayment, enterRefund } from '../../../src/billing/payments/staff.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { camt, startBank, type TestBank } from './bank.ts';

/** Two settlement days before the collection on the due day. */
const ORDERED = '2027-01-22T08:00:00.000Z';
const REPORTED = '2027-01-27T08:00:00.000Z';
/** Behind the five settlement days after 2027-01-26. */
const FINAL = '2027-02-03T08:00:00.000Z';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

async function billed(total: string) {
  const organization = await bank.organization();
  const bill = await bank.bill(await bank.contract(organization), { total });
  return { organization, ...bill };
}

const reverse = ({ organization, id }: { organization: string; id: string }) =>
  voidInvoiceByStaff(bank.api.deps, organization, id, bank.act());

const payBack = ({ organization, id }: { organization: string; id: string }) =>
  enterRefund({}, bank.api.deps, organization, id, bank.act());
const NOTHING_TO_PAY_BACK = {
  entries: [expect.objectContaining({ field: 'total', message: 'Nothing of it is to be paid back' })],
};

const order = (make: typeof makeDebitFile, organization: string) =>
  make(bank.api.deps, organization, { provider: bankFiles }, bank.act());

const report = (organization: string, movements: Parameters<typeof camt>[0]) =>
  bank.import(organization, camt(movements));

/** Debited, and paid when the debit could no longer come back as unpaid. */
async function paidByDebit(before = '0.00') {
  const bill = await billed('119.00');
  const { organization, number } = bill;
  bank.clock.set(ORDERED);
  if (before !== '0.00') await report(organization, [{ amount: before, text: number }]);
  const { sum } = await order(makeDebitFile, organization);
  bank.clock.set(REPORTED);
  await report(organization, [{ amount: sum, on: '2027-01-26', endToEndId: number }]);
  bank.clock.set(FINAL);
  await bank.daily(organization);
  expect((await bank.stateOf(bill.id)).status).toBe('paid');
  return bill;
}

/** EUR of all documents of an organization less what moved for them. */
async function left(organization: string): Promise<number> {
  const [row] = await storedRows<{ left: number }>(
    bank.api,
    `SELECT ((SELECT sum(total) FROM invoices WHERE organization_id = $1)
             - (SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0) FROM payments
                 WHERE organization_id = $1 AND status = 'settled'))::float8 AS left`,
    [organization],
  );
  return row?.left ?? Number.NaN;
}

test('a bill is reversed when its debit is paid, and not while the bank may pay or return it', async () => {
  const bill = await billed('119.00');
  const { organization, number } = bill;
  bank.clock.set(ORDERED);
  await order(makeDebitFile, organization);
  const refusal = { code: 'CONFLICT', entries: [expect.objectContaining({ field: 'status' })] };
  await expect(reverse(bill)).rejects.toMatchObject(refusal);
  bank.clock.set(REPORTED);
  await report(organization, [{ amount: '119.00', on: '2027-01-26', endToEndId: number }]);
  await expect(reverse(bill)).rejects.toMatchObject(refusal);
  bank.clock.set(FINAL);
  await bank.daily(organization);
  await reverse(bill);
  expect(await order(makeRefundFile, organization)).toMatchObject({ payments: 1, sum: '119.00' });
});

test('a credit of which something was paid out, or is about to be, is reversed when all of it was: nothing is paid twice', async () => {
  const [ordered, part] = [await billed('-30.00'), await billed('-30.00')];
  bank.clock.set(ORDERED);
  await order(makeRefundFile, ordered.organization);
  await enterRefund({ amount: '10' }, bank.api.deps, part.organization, part.id, bank.act());
  for (const credit of [ordered, part])
    await expect(reverse(credit)).rejects.toMatchObject({ code: 'CONFLICT' });
  bank.clock.set(REPORTED);
  await report(ordered.organization, [{ amount: '-30.00', endToEndId: ordered.number }]);
  await enterRefund({}, bank.api.deps, part.organization, part.id, bank.act());
  for (const credit of [ordered, part]) {
    const { voiding } = await reverse(credit);
    expect(voiding.total).toBe('30.00');
    expect((await bank.stateOf(voiding.id)).status).toBe('open');
  }
});

test('what came back of a paid bill is not paid out by the document that reverses it', async () => {
  const [whole, part] = [await paidByDebit(), await paidByDebit('50.00')];
  for (const { organization, number } of [whole, part])
    await report(organization, [{ amount: '-119.00', endToEndId: number, reason: 'MD06' }]);
  const ofWhole = await reverse(whole);
  expect(await bank.stateOf(ofWhole.voiding.id)).toEqual({
    status: 'paid',
    told: ['invoice.created', 'invoice.paid'],
    payments: ['out entered 119.00 settled'],
  });
  expect(await order(makeRefundFile, whole.organization)).toMatchObject({ payments: 0 });
  expect(await left(whole.organization)).toBe(0);
  const ofPart = await reverse(part);
  expect((await bank.stateOf(ofPart.voiding.id)).status).toBe('open');
  expect(await order(makeRefundFile, part.organization)).toMatchObject({ payments: 1, sum: '50.00' });
  expect(await left(part.organization)).toBe(-50);
});

test('what comes back of a paid bill after it was reversed is set off against the reversal, paid out or not', async () => {
  const [early, late] = [await paidByDebit(), await paidByDebit('50.00')];
  for (const bill of [early, late]) {
    const { organization, number } = bill;
    const { voiding } = await reverse(bill);
    if (bill === late) {
      await order(makeRefundFile, organization);
      bank.clock.set('2027-02-04T08:00:00.000Z');
      await report(organization, [
        { amount: '-119.00', endToEndId: voiding.invoiceNumber, on: '2027-02-04' },
      ]);
    }
    const amount = bill === late ? '69.00' : '119.00';
    await report(organization, [
      { amount: `-${amount}`, endToEndId: number, reason: 'MD06', on: '2027-02-05' },
    ]);
    expect((await bank.stateOf(voiding.id)).status).toBe('paid');
    expect(await order(makeRefundFile, organization)).toMatchObject({ payments: 0 });
    const overpaid = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 9);
    if (bill === early) expect(overpaid).toEqual([]);
    else expect(overpaid).toMatchObject([{ invoice_id: voiding.id, overpaid: '-69.00' }]);
    expect(await left(organization)).toBe(bill === early ? 0 : 69);
  }
});

test('a credit whose refund comes back after the credit was reversed is not asked for', async () => {
  const credit = await billed('-30.00');
  const { organization, number } = credit;
  bank.clock.set(ORDERED);
  await order(makeRefundFile, organization);
  bank.clock.set(REPORTED);
  await report(organization, [{ amount: '-30.00', endToEndId: number }]);
  const { voiding } = await reverse(credit);
  await report(organization, [{ amount: '30.00', endToEndId: number, reason: 'AC04', on: '2027-01-28' }]);
  expect((await bank.stateOf(voiding.id)).status).toBe('paid');
  expect(await left(organization)).toBe(0);
  await expect(payBack(credit)).rejects.toMatchObject(NOTHING_TO_PAY_BACK);
});

test('what was paid of a bill that is reversed unpaid is paid back once, and the document that reverses it pays nothing out', async () => {
  const bill = await billed('119.00');
  const { organization } = bill;
  await enterPayment({ amount: '50' }, bank.api.deps, organization, bill.id, bank.act());
  const { voiding } = await reverse(bill);
  await expect(payBack({ organization, id: voiding.id })).rejects.toMatchObject(NOTHING_TO_PAY_BACK);
  expect(await payBack(bill)).toMatchObject({ status: 'voided', amount: '50.00' });
  await expect(payBack(bill)).rejects.toMatchObject(NOTHING_TO_PAY_BACK);
  expect(await left(organization)).toBe(0);
});

test('a refund that came back after it was booked is listed and entered again, also that of a reversal', async () => {
  const credit = await billed('-30.00');
  const { organization } = credit;
  const paid = await bank.bill(await bank.contract(organization), { total: '119.00' });
  bank.clock.set(REPORTED);
  await report(organization, [{ amount: '119.00', text: paid.number }]);
  const { voiding } = await reverse({ organization, id: paid.id });
  const neverPaid = await bank.bill(await bank.contract(organization), { total: '7.00' });
  await reverse({ organization, id: neverPaid.id });
  await order(makeRefundFile, organization);
  bank.clock.set('2027-01-28T08:00:00.000Z');
  const refunds = [
    { id: credit.id, amount: '30.00', number: credit.number },
    { id: voiding.id, amount: '119.00', number: voiding.invoiceNumber },
  ];
  await report(
    organization,
    refunds.map(({ amount, number }) => ({ amount: `-${amount}`, endToEndId: number })),
  );
  bank.clock.set(FINAL);
  await report(
    organization,
    refunds.map(({ amount, number }) => ({ amount, endToEndId: number, reason: 'AC04', on: '2027-02-01' })),
  );
  const listed = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 9);
  expect(listed.map(({ invoice_id, overpaid }) => [invoice_id, overpaid]).toSorted()).toEqual(
    refunds.map(({ id, amount }) => [id, amount]).toSorted(),
  );
  for (const { id, amount } of refunds) {
    const entered = await enterRefund({}, bank.api.deps, organization, id, bank.act());
    expect(entered).toMatchObject({ amount, missing: '0.00' });
  }
  expect(await listOfPayments(bank.api.deps.database, organization, 'overpaid', 9)).toEqual([]);
});

test('a refund that one report says was paid, and then came back, is booked as both', async () => {
  const { organization, number, id } = await billed('-30.00');
  bank.clock.set(ORDERED);
  await order(makeRefundFile, organization);
  bank.clock.set(FINAL);
  const later = { on: '2027-01-29', text: 'of nobody' };
  const movements = [
    { amount: '-30.00', endToEndId: number },
    { amount: '30.00', endToEndId: number, reason: 'AC04', on: '2027-01-28' },
    { amount: '1.00', ...later },
  ];
  expect(await report(organization, movements)).toMatchObject({ booked: 2, unmatched: 1 });
  expect(await bank.stateOf(id)).toEqual({
    status: 'paid',
    told: ['invoice.created', 'invoice.paid'],
    payments: ['out credit_transfer 30.00 returned AC04'],
  });
  const listed = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 9);
  expect(listed).toMatchObject([{ invoice_id: id, overpaid: '30.00' }]);
});

test('a refund that is paid although it counted as failed is listed when its credit was reversed or paid out, until it comes back', async () => {
  const [reversed, paidTwice] = [await billed('-30.00'), await billed('-30.00')];
  for (const credit of [reversed, paidTwice]) {
    const { organization, id, number } = credit;
    const deps = [bank.api.deps, organization, id, bank.act()] as const;
    bank.clock.set(ORDERED);
    await order(makeRefundFile, organization);
    bank.clock.set(REPORTED);
    await enterFailure('AC04', ...deps);
    if (credit === reversed) await reverse(credit);
    else await enterRefund({}, ...deps);
    await report(organization, [{ amount: '-30.00', endToEndId: number }]);
    const overpaid = () => listOfPayments(bank.api.deps.database, organization, 'overpaid', 9);
    expect(await overpaid()).toMatchObject([{ invoice_id: id, overpaid: '-30.00' }]);
    await expect(enterPayment({ amount: '30.01' }, ...deps)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await enterPayment({ amount: '10' }, ...deps)).toMatchObject({ amount: '10' });
    await report(organization, [{ amount: '20.00', text: number }]);
    const [entry] = await listOfPayments(bank.api.deps.database, organization, 'unmatched', 9);
    await assignEntry(number, bank.api.deps, organization, String(entry?.id), bank.act());
    expect(await overpaid()).toEqual([]);
    expect(await left(organization)).toBe(0);
    await expect(enterPayment({ amount: '1' }, ...deps)).rejects.toMatchObject({ code: 'CONFLICT' });
  }
});

type Page = Awaited<ReturnType<typeof listOverpaid>>;

test('bills that were paid too much are listed once, payment by payment from the newest one on', async () => {
  const first = await billed('119.00');
  const { organization } = first;
  const second = await bank.bill(await bank.contract(organization), { total: '119.00' });
  const whole = await bank.bill(await bank.contract(organization), { total: '119.00' });
  const paid = async (day: string, ...movements: Parameters<typeof camt>[0]) => {
    bank.clock.set(`${day}T08:00:00.000Z`);
    await report(organization, movements);
  };
  await paid('2027-01-27', { amount: '60.00', text: first.number });
  await paid('2027-01-28', { amount: '120.00', text: second.number });
  await paid('2027-01-29', { amount: '119.00', text: whole.number });
  await paid('2027-01-30', { amount: '64.00', text: first.number });
  const { database } = bank.api.deps;
  const pages = await database.inOrganization({ organization }, async (connection) => {
    const found: unknown[][] = [];
    for (let last: Page['last'] | undefined; last !== null; ) {
      const page: Page = await listOverpaid(connection, organization, { after: last, rowsMax: 1 });
      found.push(page.bills.map(({ invoice_id, overpaid }) => [invoice_id, overpaid]));
      last = page.last;
    }
    return found;
  });
  expect(pages).toEqual([[[first.id, '5.00']], [], [[second.id, '1.00']], [], []]);
  const listed = await listOfPayments(database, organization, 'overpaid', 9);
  expect(listed.map(({ invoice_id }) => invoice_id)).toEqual([first.id, second.id]);
  expect(await listOfPayments(database, organization, 'overpaid', 1)).toEqual(listed.slice(0, 1));
});
