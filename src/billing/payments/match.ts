import { Exact } from '../../platform/money.ts';
import { WITHDRAWN_REASON } from '../invoices/queries.ts';
import type { BankEntry } from './statements/entry.ts';
import { missing, type PaymentRow } from './states.ts';

/* What a movement on the account means for bills. Nothing is guessed: what is not clear stays with staff. */

type KnownPayment = Pick<
  PaymentRow,
  | ('id' | 'invoice_id' | 'direction' | 'status' | 'amount' | 'bank_entry_id' | 'failure_told_at')
  | 'return_reason'
>;

/** A bill that a movement may be about. */
export interface KnownBill {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly total: string;
  /** EUR, in less out, with what is credited and may come back. */
  readonly credited: string;
  /** EUR: a prepayment over so much was meant, which this bill took over. Null: the bill itself was meant. */
  readonly instalment: string | null;
  /** Id of that prepayment. */
  readonly meant_for: string | null;
}

export interface Candidates {
  readonly paymentOf: (endToEndId: string) => KnownPayment | undefined;
  readonly blockOf: (blockId: string) => readonly KnownPayment[];
  readonly billOf: (number: string) => KnownBill | undefined;
  /** Open bills of customers with this account. */
  readonly billsOfAccount: (iban: string) => readonly KnownBill[];
}

export type UnmatchedNote =
  | 'no_bill'
  | 'several_bills'
  | 'amount_differs'
  | 'already_booked'
  | 'nothing_owed'
  /** It would pay a bill, and says the same as a movement of another report, without a reference that tells them apart. */
  | 'perhaps_known';

/** What a bill gets, and the prepayment that it took over where that was meant. */
export interface ReceivedPart {
  readonly bill: string;
  readonly meantFor: string | null;
  readonly amount: string;
}

export type Meaning =
  /** The bank did what it was asked for: these payments are booked. */
  | { readonly means: 'executed'; readonly payments: readonly KnownPayment[] }
  | { readonly means: 'returned'; readonly payment: KnownPayment; readonly reason: string }
  /** Customers paid by themselves. */
  | {
      readonly means: 'received';
      readonly parts: readonly ReceivedPart[];
    }
  | { readonly means: 'unmatched'; readonly note: UnmatchedNote };

/** As `invoices.invoice_number` has them, in the longest series too; longer words that contain such a text are no number. */
const NUMBERS = /(?<![A-Z0-9])[A-Z0-9]{8}-\d{3,15}(?!\d)/g;

export function meaningOf(
  entry: Omit<BankEntry, 'path' | 'identity' | 'elsewhere' | 'hasReference'>,
  known: Candidates,
): Meaning {
  const amount = new Exact(entry.amount).abs().toFixed(2);
  const comesIn = !new Exact(entry.amount).isNegative();
  const payment = entry.endToEndId === null ? undefined : known.paymentOf(entry.endToEndId);
  if (entry.returnReason !== null) return returned(entry.returnReason, payment, comesIn);
  const direction = comesIn ? 'in' : 'out';
  if (payment?.direction === direction) return executed([payment], amount);
  if (entry.endToEndId === null && entry.blockId !== null) {
    const block = known.blockOf(entry.blockId).filter((payment) => payment.direction === direction);
    if (block.length > 0) return executedBlock(block, amount);
  }
  return comesIn ? received(entry, amount, known) : { means: 'unmatched', note: 'no_bill' };
}

function returned(reason: string, payment: KnownPayment | undefined, comesIn: boolean): Meaning {
  /* What we collected goes out again; what we paid comes in again. */
  const direction = comesIn ? 'out' : 'in';
  if (payment === undefined || payment.direction !== direction)
    return { means: 'unmatched', note: 'no_bill' };
  if (payment.status === 'returned') return { means: 'unmatched', note: 'already_booked' };
  return { means: 'returned', payment, reason };
}

/**
 * The bank leaves out of the credit of a block what it refused at once: then the credit is for the rest. What was taken back
 * with its file the bank refused in no way.
 */
function executedBlock(block: readonly KnownPayment[], amount: string): Meaning {
  const whole = executed(block, amount);
  const rest = block.filter(
    ({ status, return_reason }) => status !== 'returned' || return_reason === WITHDRAWN_REASON,
  );
  return whole.means === 'executed' || rest.length === 0 ? whole : executed(rest, amount);
}

function executed(payments: readonly KnownPayment[], amount: string): Meaning {
  if (!payments.every(isWaitedFor)) return { means: 'unmatched', note: 'already_booked' };
  const sum = payments.reduce((total, payment) => total.plus(payment.amount), new Exact(0));
  return sum.eq(amount) ? { means: 'executed', payments } : { means: 'unmatched', note: 'amount_differs' };
}

/** The bank has said nothing of it yet. That it failed was entered by staff, who may have been wrong. */
function isWaitedFor({ status, bank_entry_id }: KnownPayment): boolean {
  return status === 'requested' || (status === 'returned' && bank_entry_id === null);
}

function received(
  { endToEndId, text, iban }: Pick<BankEntry, 'endToEndId' | 'text' | 'iban'>,
  amount: string,
  known: Candidates,
): Meaning {
  const bills = billNumbersIn(endToEndId, text).flatMap((number) => known.billOf(number) ?? []);
  if (bills.length > 0) return paidBills(bills, amount);
  const ofAccount = iban === null ? [] : known.billsOfAccount(iban);
  const open = ofAccount.filter((bill) => bill.instalment === null && leftOf(bill) === amount);
  const late = ofAccount.filter((bill) => bill.instalment === amount && leftOf(bill) !== '0.00');
  const fitting =
    open.length > 0 ? open : late.filter(({ id }, at) => late.findIndex((bill) => bill.id === id) === at);
  if (fitting.length > 1) return { means: 'unmatched', note: 'several_bills' };
  const [bill] = fitting;
  if (bill === undefined) return { means: 'unmatched', note: 'no_bill' };
  return { means: 'received', parts: [{ bill: bill.id, meantFor: bill.meant_for, amount }] };
}

/** The one bill that is named gets all of it, too much or too little; several only what they need together. */
function paidBills(bills: readonly KnownBill[], amount: string): Meaning {
  const [only, second] = bills;
  if (only !== undefined && second === undefined) {
    const owes = only.instalment !== null || !new Exact(only.total).isNegative();
    return owes
      ? { means: 'received', parts: [{ bill: only.id, meantFor: only.meant_for, amount }] }
      : { means: 'unmatched', note: 'nothing_owed' };
  }
  const parts = bills.map((bill) => ({
    ...{ bill: bill.id, meantFor: bill.meant_for },
    amount: bill.instalment ?? leftOf(bill),
  }));
  const sum = parts.reduce((total, part) => total.plus(part.amount), new Exact(0));
  const fits = sum.eq(amount) && parts.every((part) => new Exact(part.amount).gt(0));
  return fits ? { means: 'received', parts } : { means: 'unmatched', note: 'several_bills' };
}

function leftOf({ total, credited, status }: KnownBill): string {
  const isOwed = status === 'open' || status === 'uncollectible';
  return isOwed && !new Exact(total).isNegative() ? missing(total, credited) : '0.00';
}

/** Numbers of bills that the payer named, each once. */
export function billNumbersIn(...texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.toUpperCase().match(NUMBERS) ?? []))];
}
