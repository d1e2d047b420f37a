import type { Selectable } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { Exact } from '../../platform/money.ts';

export type PaymentRow = Selectable<Tables['payments']>;

/** What moved for one bill: in less out. */
export interface MovedSums {
  /** Done for good. */
  readonly settled: string;
  /** With what the bank may still return. */
  readonly credited: string;
  /** With what is in a file. */
  readonly expected: string;
}

export const NOTHING_MOVED: MovedSums = { settled: '0', credited: '0', expected: '0' };

/** Whether a bill, or an amount in favour of the customer, is settled in full. */
export function isSettled(total: string, { settled }: Pick<MovedSums, 'settled'>): boolean {
  const missing = new Exact(total).minus(settled);
  return new Exact(total).isNegative() ? missing.gte(0) : missing.lte(0);
}

/** The amount that is still to come, or to be paid out where the total is negative; else zero. */
export function missing(total: string, moved: string): string {
  const left = new Exact(total).minus(moved);
  return left.isZero() || left.isNegative() !== new Exact(total).isNegative() ? '0.00' : left.toFixed(2);
}

interface MovedBill {
  readonly type: string;
  readonly total: string;
  readonly status: string;
  readonly paid_at: string | null;
  readonly issued_at: string;
}

/**
 * What came in beyond what was owed. A bill that was reversed before it was paid is owed no more; what was paid of one that
 * was paid before is paid back by the document that reverses it.
 */
export function overpaid(bill: MovedBill, { settled }: Pick<MovedSums, 'settled'>): string {
  const owed = owedOf(bill);
  /*
   * A credit that was paid out: what came back of it, or came in for a prepayment behind it. One that reverses a document that
   * nobody had paid was paid as it was issued, and nothing is to be paid out.
   */
  const isSettledAtOnce = bill.type === 'void' && bill.paid_at === bill.issued_at;
  if (new Exact(owed).isNegative() && (bill.status !== 'paid' || isSettledAtOnce)) return '0.00';
  const over = new Exact(settled).minus(owed);
  return over.gt(0) ? over.toFixed(2) : '0.00';
}

/** The amount that the customer got beyond a credit: he got it twice, or it was reversed before it was paid out. */
export function paidOutTooMuch(bill: MovedBill, { settled }: Pick<MovedSums, 'settled'>): string {
  const over = new Exact(owedOf(bill)).minus(settled);
  return new Exact(bill.total).isNegative() && over.gt(0) ? over.toFixed(2) : '0.00';
}

/** Whether less is there than is owed: nothing of it could be paid back. */
export function isBelowOwed(bill: MovedBill, moved: string): boolean {
  return new Exact(moved).lt(owedOf(bill));
}

function owedOf({ total, status, paid_at }: MovedBill): string {
  return status === 'voided' && paid_at === null ? '0' : total;
}
