import { sql } from 'kysely';
import { noteChangedBills } from '../../../contracts/held-contracts/service.ts';
import { recordEvents } from '../../../events/record.ts';
import { audit } from '../../../platform/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { conflict } from '../../../platform/errors.ts';
import { Exact } from '../../../platform/money.ts';
import { meterValuesKeptSince } from '../../../platform/retention.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { addDays, berlinDayOf } from '../../../platform/time/berlin-calendar.ts';
import { closingBill } from '../queries.ts';
import { BillingRefused } from '../refusal.ts';
import { invoiceTopics } from '../topics.ts';
import { Numbers, newInvoiceId, retainUntil, storeDocuments, type TakenNumber } from './issue.ts';
import { holdInvoice } from './move.ts';
import { checkMove } from './moves.ts';
import {
  findMoved,
  findReversalOf,
  findStoredInvoice,
  type IssuedInvoice,
  insertNegatedLines,
  insertSetOff,
  type StoredInvoice,
  updateInvoiceStatus,
} from './queries.ts';

export interface VoidedInvoice {
  /** The document that was reversed. */
  readonly id: string;
  /** The one that reverses it. */
  readonly voiding: { readonly id: string; readonly invoiceNumber: string; readonly total: string };
}

/** Customers are paid out within two weeks (section 40c(3) EnWG). */
const PAID_OUT_DAYS = 14;

/**
 * Reverses a document by another one with its own number and the same amounts the other way round, in the caller's
 * transaction. Its period may be billed again afterwards, so that its values have to be there.
 */
export async function voidInvoice(
  connection: Connection,
  organization: string,
  id: string,
  { reason }: { reason: string },
  clock: Pick<Clock, 'now'>,
): Promise<VoidedInvoice> {
  const original = await holdInvoice(connection, organization, id);
  checkHasValues(original, clock.now().getTime());
  /* Asked behind the lock: a closing bill holds the prepayments that it deducts. */
  await checkNotDeducted(connection, organization, id);
  return await voidHeldInvoice(connection, organization, original, { reason }, clock);
}

/**
 * The same for a document that is held already (`holdInvoice`). A caller who reverses several together holds all of them
 * first, by ascending id: the ledger's row comes after them. The reversal does not owe what came back of a document after it
 * was paid: that is set off against it.
 */
export async function voidHeldInvoice(
  connection: Connection,
  organization: string,
  original: StoredInvoice,
  { reason }: { reason: string },
  clock: Pick<Clock, 'now'>,
): Promise<VoidedInvoice> {
  checkMove(original, 'voided');
  const { id, subscription_id: subscription } = original;
  const moved = await findMoved(connection, organization, id);
  if (moved.is_under_way) throw conflict([{ code: 'custom', field: 'status', message: underWay(original) }]);
  const numbers = await Numbers.take(connection, organization, [{ subscription }]);
  const number = numbers.next(subscription, { evenClosed: original.type === 'exit_summary' });
  if (number instanceof BillingRefused) throw number;
  const now = clock.now().toISOString();
  const back = original.status === 'paid' ? cameBack(original, moved.settled) : new Exact(0);
  const isSettled = original.status === 'open' || back.equals(original.total);
  const voiding = reversalOf(original, number, { reason, isSettled, now });
  await numbers.keep();
  await storeDocuments(connection, organization, [voiding], () =>
    insertNegatedLines(connection, organization, id, voiding.id),
  );
  await updateInvoiceStatus(connection, organization, id, { status: 'voided' });
  const context = { invoice: id, subscription, voiding_invoice: voiding.id };
  await recordEvents(connection, organization, [{ topic: invoiceTopics.voided, context, now }]);
  if (!back.isZero()) await insertSetOff(connection, organization, original, { back, voiding, now });
  return { id, voiding: { id: voiding.id, invoiceNumber: voiding.invoice_number, total: voiding.total } };
}

/** Says what a document waits for until it may be reversed: else its money would be lost, or move twice. */
export function underWay({ invoice_number }: Pick<StoredInvoice, 'invoice_number'>): string {
  return `payments: money for ${invoice_number} is with the bank, may come back, or was paid out in part. It ends by payments import, invoices fail or invoices refund.`;
}

/** EUR of what was paid, or paid out, of a document that are no longer there. */
function cameBack({ total }: StoredInvoice, settled: string) {
  const missing = new Exact(total).minus(settled);
  return missing.isNegative() === new Exact(total).isNegative() ? missing : new Exact(0);
}

/**
 * Sets off what comes back of a document when another one has reversed it already, in the same way, paid out or not. Returns
 * the id of the reversal; null where nothing came back that it stands for. The caller holds the document.
 */
export async function setOffReturned(
  connection: Connection,
  organization: string,
  id: string,
  clock: Pick<Clock, 'now'>,
): Promise<string | null> {
  const original = await holdInvoice(connection, organization, id);
  /* One that was reversed unpaid was settled at once: its reversal owes nothing. */
  if (original.status !== 'voided' || original.paid_at === null) return null;
  const { settled } = await findMoved(connection, organization, id);
  const back = cameBack(original, settled);
  const voiding = await findReversalOf(connection, organization, id);
  if (voiding === undefined) throw new Error(`${id} is voided, and nothing reverses it`);
  if (back.isZero()) return null;
  await insertSetOff(connection, organization, original, { back, voiding, now: clock.now().toISOString() });
  return voiding.id;
}

/** A reversal by a member of staff. What is reversed already is not reversed again. */
export function voidInvoiceByStaff(
  { database, clock }: { database: Database; clock: Clock },
  organization: string,
  id: string,
  act: StaffAct,
): Promise<VoidedInvoice> {
  return database.inOrganization({ organization }, async (connection) => {
    const line = { ...staffOf(act, organization), act: 'invoice.void', object_id: id };
    const reversal = await findReversalOf(connection, organization, id);
    if (reversal !== undefined) {
      await audit(connection, { ...line, result: 'unchanged' });
      const { invoice_number: invoiceNumber, ...voiding } = reversal;
      return { id, voiding: { ...voiding, invoiceNumber } };
    }
    await noteExitAgain(connection, organization, id, act.now);
    const voided = await voidInvoice(connection, organization, id, act, clock);
    await audit(connection, line);
    return voided;
  });
}

/**
 * Has the next run look again at what an exit summary settled, though nothing came in since. Contracts are locked before
 * documents.
 */
async function noteExitAgain(
  connection: Connection,
  organization: string,
  id: string,
  now: string,
): Promise<void> {
  const exit = await findStoredInvoice(connection, organization, id);
  if (exit?.type !== 'exit_summary') return;
  const from = berlinDayOf(exit.period_start);
  await noteChangedBills(connection, organization, [exit.subscription_id], from, now);
}

/** The next run makes an exit summary again, or a later one where something else is missing: by then its values must be there. */
const EXIT_AGAIN_MILLISECONDS = 14 * 86_400_000;

/**
 * Values of meters go by age, but for those of open bills and of days that no bill covers. Without them the days would be billed
 * by an estimate or not at all. The bills below an exit summary keep none: behind New Year's Eve it would not be made again.
 */
function checkHasValues(
  { type, status, invoice_number, period_start }: StoredInvoice,
  nowMilliseconds: number,
): void {
  if (type !== 'exit_summary' && (type !== 'usage' || status !== 'paid')) return;
  const keptSince = meterValuesKeptSince(
    nowMilliseconds + (type === 'exit_summary' ? EXIT_AGAIN_MILLISECONDS : 0),
  );
  const from = berlinDayOf(period_start);
  if (from >= keptSince) return;
  const soon = keptSince > meterValuesKeptSince(nowMilliseconds) ? ' once this year is over' : '';
  const message = `${invoice_number} begins on ${from}, and values of meters are kept from ${keptSince} on${soon}: nobody could bill its days again, so that it stands`;
  throw conflict([{ code: 'custom', field: 'period_start', message }]);
}

/** What a bill deducts is not paid back beside it. */
export async function checkNotDeducted(
  connection: Connection,
  organization: string,
  id: string,
): Promise<void> {
  const { rows } = await sql<{ bill: string | null }>`
    SELECT ${closingBill('i', 'invoice_number')} AS bill FROM invoices AS i
     WHERE i.organization_id = ${organization} AND i.id = ${id}`.execute(connection);
  const bill = rows[0]?.bill ?? null;
  if (bill === null) return;
  const message = `${bill} closes the days of this prepayment: reverse that bill first`;
  throw conflict([{ code: 'custom', field: 'status', message }]);
}

/**
 * If nobody has paid the bill, or all of it came back, nothing is paid back: the two documents settle each other, and the
 * reversal is paid at once.
 */
function reversalOf(
  { paid_at: _, run_id: __, ...original }: StoredInvoice,
  number: TakenNumber,
  { reason: void_reason, isSettled, now }: { reason: string; isSettled: boolean; now: string },
): IssuedInvoice {
  return {
    ...original,
    ...number,
    id: newInvoiceId(),
    type: 'void',
    status: isSettled ? 'paid' : 'open',
    is_final: false,
    usage_kwh: null,
    net: negated(original.net),
    tax: negated(original.tax),
    deducted: negated(original.deducted),
    total: negated(original.total),
    taxes: original.taxes.map(({ rate, net, tax }) => ({
      rate,
      net: negated(net),
      tax: negated(tax),
    })),
    voids: original.id,
    void_reason,
    due_on: addDays(berlinDayOf(now), PAID_OUT_DAYS),
    issued_at: now,
    paid_at: isSettled ? now : null,
    run_id: null,
    retain_until: retainUntil(now),
  };
}

function negated(amount: string): string {
  return new Exact(amount).negated().plus(0).toFixed(2);
}
