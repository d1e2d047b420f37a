import { findSubscription, findSubscriptionByNumber } from '../../contracts/subscriptions/queries.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { Exact } from '../../platform/money.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { findReceiver } from '../invoices/queries.ts';
import { checkNotDeducted, newPaymentId, setOffReturned } from '../invoices/service.ts';
import { type PaymentsDeps, settleBill } from './book.ts';
import {
  type BankEntryRow,
  findEntry,
  findNamedBill,
  listOpenBillsOfContract,
  updateEntry,
} from './entry-queries.ts';
import {
  type BillRow,
  insertPayments,
  lockInvoices,
  lockPaymentsOf,
  paymentsOfEntry,
  paymentsOfInvoice,
  sumsOf,
  sumsOfInvoices,
  updatePayment,
} from './queries.ts';
import { checkPayBack, mostToPayBack } from './staff.ts';
import { isBelowOwed, missing, NOTHING_MOVED, type PaymentRow, paidOutTooMuch } from './states.ts';

/* What staff say of a movement on the account that fits nothing by itself. */

export interface AssignedEntry {
  readonly entry: string;
  readonly parts: readonly { readonly invoice: string; readonly amount: string }[];
}

interface Part {
  readonly bill: BillRow;
  /** The prepayment that was named, where the bill took it over. */
  readonly meantFor: string | null;
  readonly amount: string;
}

type Acting = [deps: PaymentsDeps, organization: string, id: string, act: StaffAct];

/**
 * A movement is about a bill, named by its number or id; or it is money for a contract, whose open bills get what they miss,
 * those that are due first first. What is too much stays on the last one, as paid too much. What is there already stays.
 */
export function assignEntry(typed: string, ...acting: Acting): Promise<AssignedEntry> {
  const [{ database, clock }, organization, id, act] = acting;
  const to = /^(?:inv|sub)_/.test(typed) ? typed : typed.toUpperCase();
  return database.inOrganization({ organization }, async (connection) => {
    const entry = await heldEntry(connection, organization, id);
    const line = { ...staffOf(act, organization), act: 'payments.assign', object_id: id };
    const standing = await partsBooked(connection, organization, entry, to);
    if (standing !== null) {
      await audit(connection, { ...line, result: 'unchanged' });
      return { entry: id, parts: standing };
    }
    assertFree(entry);
    if (entry.return_reason !== null) {
      const message =
        'It says that a payment came back: enter that on its bill (invoices fail), then set it aside';
      throw refused('entry', message);
    }
    const parts = await partsOf(connection, organization, entry, to);
    const now = clock.now().toISOString();
    const isIn = !new Exact(entry.amount).isNegative();
    const moved = isIn
      ? ({ direction: 'in', way: 'bank_transfer' } as const)
      : ({ direction: 'out', way: 'entered' } as const);
    await insertPayments(
      connection,
      organization,
      parts.map(({ bill, meantFor, amount }) => ({
        meant_for: meantFor,
        ...{ ...moved, id: newPaymentId(), customer_id: bill.customer_id, invoice_id: bill.id, amount },
        ...{ status: 'settled', booked_on: entry.booked_on, bank_entry_id: entry.id },
        ...{ created_at: now, updated_at: now },
      })),
    );
    for (const { bill } of parts) await settleBill(connection, organization, bill.id, clock);
    await updateEntry(connection, organization, id, { state: 'booked', note: null });
    await audit(connection, line);
    return { entry: id, parts: parts.map(({ bill, amount }) => ({ invoice: bill.invoice_number, amount })) };
  });
}

/** A movement is for no bill: a fee of the bank, or a mistake of the payer that goes back. It may be assigned later. */
export function setEntryAside(...[deps, organization, id, act]: Acting): Promise<{ entry: string }> {
  return deps.database.inOrganization({ organization }, async (connection) => {
    const entry = await heldEntry(connection, organization, id);
    assertFree(entry);
    await updateEntry(connection, organization, id, { state: 'set_aside', note: null });
    const result = entry.state === 'set_aside' ? 'unchanged' : 'done';
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'payments.set_aside',
      object_id: id,
      result,
    });
    return { entry: id };
  });
}

export interface UnassignedEntry {
  readonly entry: string;
  readonly parts: readonly {
    readonly invoice: string;
    readonly amount: string;
    readonly status: string;
    /** EUR that are still to come, or to be paid out. */
    readonly missing: string;
  }[];
}

/** Why it came back, where a member of staff said so: "narrative". The audit log has the words. */
const TAKEN_BACK = 'NARR';
const TAKEN_BACK_NOTE = 'taken_back';

/**
 * A movement was for another bill: it is unmatched again. Its bills get back what is missing of them, and reminders and debits
 * go on by themselves. A bill that was paid stays paid, as the interface has it: its own money is assigned to it, or it is
 * reversed. Refused where money was paid out because of it, or a closing bill deducted it.
 */
export function unassignEntry(
  ...[{ database, clock }, organization, id, act]: Acting
): Promise<UnassignedEntry> {
  return database.inOrganization({ organization }, async (connection) => {
    const entry = await heldEntry(connection, organization, id);
    const line = { ...staffOf(act, organization), act: 'payments.unassign', object_id: id };
    if (entry.state === 'unmatched' && entry.note === TAKEN_BACK_NOTE) {
      await audit(connection, { ...line, result: 'unchanged' });
      return { entry: id, parts: [] };
    }
    const payments = await bookedOn(connection, organization, entry);
    const bills = await lockInvoices(
      connection,
      organization,
      payments.map(({ invoice_id }) => invoice_id),
    );
    const now = clock.now().toISOString();
    for (const payment of payments) {
      await checkNotDeducted(connection, organization, payment.invoice_id);
      await updatePayment(connection, organization, payment.id, {
        ...{ status: 'returned', return_reason: TAKEN_BACK, booked_on: berlinDayOf(now) },
        /* Whom it is not from has nothing to do with it: his data names no account of somebody else. */
        ...{ bank_entry_id: null, updated_at: now },
      });
    }
    const parts: UnassignedEntry['parts'][number][] = [];
    for (const payment of payments) {
      const bill = bills.find((held) => held.id === payment.invoice_id);
      if (bill === undefined) throw new Error(`Payment ${payment.id} is for a bill that is not there`);
      await checkKept(connection, organization, bill, payment);
      if (bill.status === 'voided') await setOff(connection, organization, bill, clock);
      const { settled } = await sumsOf(connection, organization, bill.id);
      const left = bill.status === 'voided' ? '0.00' : missing(bill.total, settled);
      const { invoice_number: invoice, status } = bill;
      parts.push({ invoice, amount: payment.amount, status, missing: left });
    }
    await updateEntry(connection, organization, id, { state: 'unmatched', note: TAKEN_BACK_NOTE });
    await audit(connection, line);
    return { entry: id, parts };
  });
}

/**
 * The bookings of the movement, while nothing else holds them. All are taken back, for its bills may be of several
 * customers.
 */
async function bookedOn(
  connection: Connection,
  organization: string,
  { id, state, amount }: BankEntryRow,
): Promise<PaymentRow[]> {
  if (state !== 'booked')
    throw refused('entry', `It is ${state}: only a movement that is on a bill is taken back`);
  const payments = await paymentsOfEntry(connection, organization, id);
  if (payments.length === 0 || payments.some(({ file_id }) => file_id !== null)) {
    const message = 'It is the result of a payment file: enter on the bill what is wrong (invoices fail)';
    throw refused('entry', message);
  }
  const sum = payments.reduce((total, payment) => total.plus(payment.amount), new Exact(0));
  if (sum.eq(new Exact(amount).abs())) return payments;
  throw refused('entry', 'A part of it is on a bill of a person who was erased: it stays as it is');
}

/** Refuses where money was paid out of the bill since: without the movement it would be more than the bill allows. */
async function checkKept(
  connection: Connection,
  organization: string,
  bill: BillRow,
  { direction, created_at }: PaymentRow,
): Promise<void> {
  const { expected } = await sumsOf(connection, organization, bill.id);
  if (direction === 'out' || !isBelowOwed(bill, expected)) return;
  const paidOut = (await paymentsOfInvoice(connection, organization, bill.id)).findLast(
    (payment) =>
      payment.direction === 'out' && payment.status !== 'returned' && payment.created_at >= created_at,
  );
  if (paidOut !== undefined) throw moneyHasLeft(paidOut.amount, bill);
}

/** The document that reverses a bill owes what was paid of it: now that much less, if it was not paid out yet. */
async function setOff(
  connection: Connection,
  organization: string,
  { id }: BillRow,
  clock: PaymentsDeps['clock'],
): Promise<void> {
  const reversal = await setOffReturned(connection, organization, id, clock);
  if (reversal === null) return;
  const [bill] = await lockInvoices(connection, organization, [reversal]);
  if (bill === undefined) throw new Error(`${reversal} reverses a bill and is not there`);
  const { expected } = await sumsOf(connection, organization, reversal);
  const over = paidOutTooMuch(bill, { settled: expected });
  if (new Exact(over).gt(0)) throw moneyHasLeft(over, bill);
  await settleBill(connection, organization, reversal, clock);
}

function moneyHasLeft(amount: string, { invoice_number }: BillRow): Error {
  const message = `${amount} EUR of it were paid out by ${invoice_number}, or are in a file for the bank: assign what the customer gives back to ${invoice_number} first`;
  return refused('entry', message);
}

/** Nobody else books it until the transaction ends. */
async function heldEntry(connection: Connection, organization: string, id: string): Promise<BankEntryRow> {
  await lockPaymentsOf(connection, organization);
  const entry = isId(id) ? await findEntry(connection, organization, id) : undefined;
  if (entry === undefined) throw notFound();
  return entry;
}

function assertFree({ state }: BankEntryRow): void {
  if (state === 'unmatched' || state === 'set_aside') return;
  throw refused(
    'entry',
    `It is ${state}: only an unmatched movement, or one that was set aside, is assigned`,
  );
}

/** Where the movement is, if all of it is on that bill, or on bills of that contract that hold. Null for money that came back. */
async function partsBooked(
  connection: Connection,
  organization: string,
  { id, state, amount: moved, return_reason }: BankEntryRow,
  to: string,
): Promise<AssignedEntry['parts'] | null> {
  if (state !== 'booked' || return_reason !== null) return null;
  const payments = await paymentsOfEntry(connection, organization, id);
  const sum = payments.reduce((before, { amount }) => before.plus(amount), new Exact(0));
  const isWhole = payments.every(({ status }) => status === 'settled') && sum.eq(new Exact(moved).abs());
  if (payments.length === 0 || !isWhole) return null;
  const bills = await lockInvoices(
    connection,
    organization,
    payments.map(({ invoice_id }) => invoice_id),
  );
  const named = await findNamedBill(connection, organization, to);
  const contract = named === undefined ? await findContract(connection, organization, to) : undefined;
  const parts = payments.map(({ invoice_id, meant_for, amount }) => {
    const bill = bills.find((held) => held.id === invoice_id);
    const isThere =
      named === undefined
        ? bill?.subscription_id === contract?.id && bill?.status !== 'voided'
        : named === invoice_id || named === meant_for;
    return isThere && bill !== undefined ? { invoice: bill.invoice_number, amount } : null;
  });
  return parts.every((part) => part !== null) ? parts : null;
}

async function findContract(connection: Connection, organization: string, to: string) {
  if (!to.startsWith('sub_')) return await findSubscriptionByNumber(connection, organization, to);
  return isId(to) ? await findSubscription(connection, organization, undefined, to) : undefined;
}

async function partsOf(
  connection: Connection,
  organization: string,
  { amount: signed }: BankEntryRow,
  to: string,
): Promise<Part[]> {
  const amount = new Exact(signed).abs().toFixed(2);
  const isIn = !new Exact(signed).isNegative();
  const named = await findNamedBill(connection, organization, to);
  if (named !== undefined) {
    /* Held first: a closing bill that is being made may take it over meanwhile. */
    await lockInvoices(connection, organization, [named]);
    const [bill] = await lockInvoices(connection, organization, [
      await findReceiver(connection, organization, named),
    ]);
    if (bill === undefined) throw notFound();
    const sums = await sumsOf(connection, organization, bill.id);
    const owed = paidOutTooMuch(bill, sums);
    /* What comes in for a prepayment that a credit took over is booked there, as an import does it. */
    const isCredit = bill.id === named && new Exact(bill.total).isNegative();
    if (!isIn) checkPayBack(amount, mostToPayBack(bill, sums));
    else if (isCredit && new Exact(amount).gt(owed)) {
      throw refused('to', `${bill.invoice_number} is in favour of the customer: ${owed} is owed`);
    }
    return [{ bill, meantFor: bill.id === named ? null : named, amount }];
  }
  const contract = await findContract(connection, organization, to);
  if (contract === undefined) throw refused('to', `There is no bill and no contract ${to}`);
  if (!isIn) throw refused('to', 'Money that went out is for one bill: name it');
  return await sharesOf(connection, organization, contract.id, amount);
}

async function sharesOf(
  connection: Connection,
  organization: string,
  contract: string,
  amount: string,
): Promise<Part[]> {
  const ids = await listOpenBillsOfContract(connection, organization, contract);
  const held = ids.length === 0 ? [] : await lockInvoices(connection, organization, ids);
  const sums = await sumsOfInvoices(connection, organization, ids);
  const parts: { bill: BillRow; meantFor: null; amount: string }[] = [];
  let left = new Exact(amount);
  for (const id of ids) {
    const bill = held.find((known) => known.id === id);
    if (bill === undefined || bill.status !== 'open' || left.isZero()) continue;
    const share = Exact.min(left, missing(bill.total, (sums.get(id) ?? NOTHING_MOVED).credited));
    if (share.isZero()) continue;
    parts.push({ bill, meantFor: null, amount: share.toFixed(2) });
    left = left.minus(share);
  }
  const last = parts.at(-1);
  if (last === undefined) throw refused('to', 'No bill of the contract is open: name a bill');
  last.amount = left.plus(last.amount).toFixed(2);
  return parts;
}

function refused(field: string, message: string): Error {
  return conflict([{ code: 'custom', field, message }]);
}
