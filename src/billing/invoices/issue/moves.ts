import { conflict } from '../../../platform/errors.ts';
import type { InvoiceStatus, InvoiceType } from '../schema.ts';
import { invoiceTopics } from '../topics.ts';

interface Move {
  readonly from: readonly InvoiceStatus[];
  readonly to: InvoiceStatus;
  /** Types of documents that never make it. */
  readonly notOf: readonly InvoiceType[];
  readonly topic: (typeof invoiceTopics)[keyof typeof invoiceTopics];
}

/*
 * The life of a document as data: each is `open` when it is issued. `move.ts` asks it what may follow, and tests try every
 * move from every state.
 */
export const MOVES = {
  /** Paid or settled in full, in time or late; for an amount in favour of the customer: paid out. */
  paid: { from: ['open', 'uncollectible'], to: 'paid', notOf: [], topic: invoiceTopics.paid },
  /** An attempt failed; told each time. */
  payment_failed: { from: ['open'], to: 'open', notOf: [], topic: invoiceTopics.payment_failed },
  /** Dunning is exhausted, or an unpaid prepayment is cancelled. */
  uncollectible: { from: ['open'], to: 'uncollectible', notOf: ['void'], topic: invoiceTopics.uncollectible },
  /** Another document reverses it. */
  voided: { from: ['open', 'paid'], to: 'voided', notOf: ['void'], topic: invoiceTopics.voided },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

export interface MovingInvoice {
  readonly id: string;
  readonly type: InvoiceType;
  readonly status: InvoiceStatus;
}

export function mayMove({ type, status }: MovingInvoice, name: MoveName): boolean {
  const { from, notOf }: Move = MOVES[name];
  return from.includes(status) && !notOf.includes(type);
}

/** Throws where the move is none. */
export function checkMove(invoice: MovingInvoice, name: MoveName): void {
  if (mayMove(invoice, name)) return;
  const message = `Invoice ${invoice.id} (${invoice.type}) is ${invoice.status}: ${name} cannot follow`;
  throw conflict([{ code: 'custom', field: 'status', message }]);
}
