import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { conflict } from '../../platform/errors.ts';
import { Exact } from '../../platform/money.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { moveFailed, moveUncollectible } from '../invoices/issue/move.ts';
import { findReceiver, WITHDRAWN_REASON } from '../invoices/queries.ts';
import { checkMove, holdInvoice, mayMove, newPaymentId } from '../invoices/service.ts';
import { bookEntries, type PaymentsDeps, settleBill } from './book.ts';
import { updateUnmatchedOfBlock } from './entry-queries.ts';
import {
  type BillRow,
  insertPayments,
  lockPaymentsOf,
  paymentsOfInvoice,
  settledFor,
  sumsOf,
  updatePayment,
} from './queries.ts';
import { type MovedSums, missing, overpaid, paidOutTooMuch } from './states.ts';

/* Staff enter these acts on a bill by hand: money that no statement shows, and ends of waiting. */

export interface EnteredPayment {
  /** EUR; what is missing where absent. */
  readonly amount?: string;
  /** When it was paid; today where absent. */
  readonly on?: CalendarDay;
}

/** What the command shows afterwards. */
export interface BillAfter {
  readonly invoice: string;
  readonly status: string;
  readonly amount: string | null;
  /** EUR that are still to come, or to be paid out. */
  readonly missing: string;
}

type Bill = Awaited<ReturnType<typeof holdInvoice>>;
type Acting = [deps: PaymentsDeps, organization: string, id: string, act: StaffAct];

/** One transaction that holds the bill, with its audit row. */
async function actOnBill(
  name: string,
  [{ database }, organization, id, act]: Acting,
  work: (
    connection: Connection,
    bill: Bill,
  ) => Promise<{ bill?: string; amount: string | null; isKnown?: boolean }>,
): Promise<BillAfter> {
  return await database.inOrganization({ organization }, async (connection) => {
    await lockPaymentsOf(connection, organization);
    const named = await holdInvoice(connection, organization, id);
    const { bill: invoice = id, amount, isKnown = false } = await work(connection, named);
    const result = isKnown ? 'unchanged' : 'done';
    await audit(connection, {
      ...staffOf(act, organization),
      act: `invoice.${name}`,
      object_id: invoice,
      result,
    });
    const { status, total } = await holdInvoice(connection, organization, invoice);
    const { settled } = await sumsOf(connection, organization, invoice);
    return { invoice, status, amount, missing: status === 'voided' ? '0.00' : missing(total, settled) };
  });
}

/**
 * The customer paid, all of it or a part: in cash, by set-off, or on another account; or gave back what he had got too much
 * of a credit. A payment for a prepayment that a closing bill took over is booked on that bill.
 */
export function enterPayment(entered: EnteredPayment, ...acting: Acting): Promise<BillAfter> {
  const [{ clock }, organization] = acting;
  return actOnBill('pay', acting, async (connection, named) => {
    const receiver = await findReceiver(connection, organization, named.id);
    const bill = receiver === named.id ? named : await holdInvoice(connection, organization, receiver);
    const settled = await settledFor(connection, organization, named.id);
    const back = paidOutTooMuch(named, { settled });
    const isBack = new Exact(back).gt(0);
    if (bill === named && !isBack) {
      checkMove(bill, 'paid');
      if (new Exact(bill.total).isNegative()) {
        throw refused(
          'total',
          'It is in favour of the customer: invoices refund enters that it was paid out',
        );
      }
    }
    if (bill !== named && missing(named.total, settled) === '0.00') {
      throw refused('status', `${named.invoice_number} is paid: ${settled} are booked for it`);
    }
    const amount = entered.amount ?? (isBack ? back : missing(named.total, settled));
    if (isBack && new Exact(amount).gt(back)) throw refused('amount', `At most ${back} is to come back`);
    const meant_for = bill === named ? null : named.id;
    const moved = { ...entered, amount, meant_for, direction: 'in', clock } as const;
    await insertEntered(connection, organization, bill, moved);
    await settleBill(connection, organization, bill.id, clock);
    return { bill: bill.id, amount };
  });
}

/** EUR that the customer may still get of a bill: an amount in his favour, or what he paid too much. */
export function mostToPayBack(
  bill: Pick<BillRow, 'type' | 'total' | 'status' | 'issued_at' | 'paid_at'>,
  sums: MovedSums,
): string {
  const isOwed = bill.status === 'open' || bill.status === 'uncollectible';
  const isCredit = new Exact(bill.total).isNegative() && isOwed;
  return isCredit ? new Exact(missing(bill.total, sums.expected)).abs().toFixed(2) : overpaid(bill, sums);
}

export function checkPayBack(amount: string, most: string): void {
  if (!new Exact(most).gt(0)) throw refused('total', 'Nothing of it is to be paid back');
  if (new Exact(amount).gt(most)) throw refused('amount', `At most ${most} is to be paid back`);
}

/** The customer was paid: an amount in his favour, or what he had paid too much. */
export function enterRefund(entered: EnteredPayment, ...acting: Acting): Promise<BillAfter> {
  const [{ clock }, organization] = acting;
  return actOnBill('refund', acting, async (connection, bill) => {
    const most = mostToPayBack(bill, await sumsOf(connection, organization, bill.id));
    const amount = entered.amount ?? most;
    checkPayBack(amount, most);
    await insertEntered(connection, organization, bill, { ...entered, amount, direction: 'out', clock });
    await settleBill(connection, organization, bill.id, clock);
    return { amount };
  });
}

/**
 * An attempt to pay failed, which is told once of each payment. A debit that is under way is no longer waited for, also where
 * its bill was paid or given up meanwhile: else neither a correction nor the bill that closes its prepayment could ever follow.
 * The credit of its block, which came without it, is for the others.
 */
export async function enterFailure(reason: string, ...acting: Acting): Promise<BillAfter> {
  const [deps, organization] = acting;
  const { clock } = deps;
  let isBlockLookedAt = false;
  const after = await actOnBill('fail', acting, async (connection, bill) => {
    if (reason === WITHDRAWN_REASON)
      throw refused('code', `${reason} is of a file that the bank never had: payments withdraw-file`);
    const now = clock.now().toISOString();
    const payments = await paymentsOfInvoice(connection, organization, bill.id);
    const underWay = payments.find(({ status }) => status === 'requested' || status === 'credited');
    const isNews = (underWay?.failure_told_at ?? null) === null && mayMove(bill, 'payment_failed');
    if (underWay === undefined) checkMove(bill, 'payment_failed');
    else {
      await updatePayment(connection, organization, underWay.id, {
        ...{ status: 'returned', return_reason: reason, booked_on: berlinDayOf(now), updated_at: now },
        ...(isNews && { failure_told_at: now }),
      });
      if (underWay.block_id !== null)
        isBlockLookedAt = await updateUnmatchedOfBlock(connection, organization, underWay.block_id);
    }
    if (isNews) await moveFailed(connection, organization, bill.id, clock);
    return { amount: underWay?.amount ?? null };
  });
  /* The failure is entered and told, whatever comes of this: what is left is `new`, and whoever books next finds it. */
  if (isBlockLookedAt) await bookEntries(deps, organization).catch(() => {});
  return after;
}

/** Nobody waits for the money any more. */
export function giveUp(...acting: Acting): Promise<BillAfter> {
  const [{ clock }, organization] = acting;
  return actOnBill('uncollectible', acting, async (connection, bill) => {
    const isKnown = bill.status === 'uncollectible';
    if (!isKnown) await moveUncollectible(connection, organization, bill.id, clock);
    return { amount: null, isKnown };
  });
}

async function insertEntered(
  connection: Connection,
  organization: string,
  bill: Bill,
  {
    amount,
    on,
    direction,
    meant_for = null,
    clock,
  }: EnteredPayment & {
    amount: string;
    direction: 'in' | 'out';
    meant_for?: string | null;
    clock: PaymentsDeps['clock'];
  },
): Promise<void> {
  if (!/^\d{1,9}(?:\.\d{1,2})?$/.test(amount) || !new Exact(amount).gt(0)) {
    throw refused('amount', 'More than zero, at most two decimals (12.34)');
  }
  const now = clock.now().toISOString();
  const booked_on = on ?? berlinDayOf(now);
  if (booked_on > berlinDayOf(now)) throw refused('on', 'Not a day of the future');
  await insertPayments(connection, organization, [
    {
      ...{
        id: newPaymentId(),
        customer_id: bill.customer_id,
        invoice_id: bill.id,
        meant_for,
        direction,
        way: 'entered',
      },
      ...{ amount, status: 'settled', booked_on, created_at: now, updated_at: now },
    },
  ]);
}

function refused(field: string, message: string): Error {
  return conflict([{ code: 'custom', field, message }]);
}
