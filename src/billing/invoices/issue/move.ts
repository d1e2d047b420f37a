import { recordEvents } from '../../../events/record.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { notFound } from '../../../platform/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { checkMove, MOVES, type MoveName } from './moves.ts';
import { lockInvoice, lockLedger, type StoredInvoice, updateInvoiceStatus } from './queries.ts';

/*
 * Moves of one document, in the caller's transaction. Two at once wait for each other, and the second one finds what the
 * first has made of the document. Several documents are moved by ascending id; documents are issued after that, because the
 * ledger's row comes last.
 */

type Moving = [connection: Connection, organization: string, id: string, clock: Pick<Clock, 'now'>];

/** Paid or settled in full, or paid out. */
export const movePaid = (...moving: Moving) => move('paid', ...moving);

/** A payment attempt failed; told each time. */
export const moveFailed = (...moving: Moving) => move('payment_failed', ...moving);

/** No payment is expected any more. */
export const moveUncollectible = (...moving: Moving) => move('uncollectible', ...moving);

async function move(
  name: Exclude<MoveName, 'voided'>,
  connection: Connection,
  organization: string,
  id: string,
  clock: Pick<Clock, 'now'>,
): Promise<StoredInvoice> {
  const invoice = await holdInvoice(connection, organization, id);
  checkMove(invoice, name);
  const now = clock.now().toISOString();
  const { to: status, topic } = MOVES[name];
  const change = { status, ...(status === 'paid' && { paid_at: now }) };
  if (status !== invoice.status) await updateInvoiceStatus(connection, organization, id, change);
  const context = { invoice: id, subscription: invoice.subscription_id };
  await recordEvents(connection, organization, [{ topic, context, now }]);
  return { ...invoice, ...change };
}

/** The document as nobody else changes it until the transaction ends. */
export async function holdInvoice(
  connection: Connection,
  organization: string,
  id: string,
): Promise<StoredInvoice> {
  const invoice = isId(id) ? await lockInvoice(connection, organization, id) : undefined;
  if (invoice === undefined) throw notFound();
  return invoice;
}

/**
 * Until the transaction ends nobody changes, reverses or issues a document of the customer: what is read of his documents
 * behind this stays true.
 */
export async function holdInvoicesOf(
  connection: Connection,
  organization: string,
  customer: string,
): Promise<void> {
  await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where('customer_id', '=', customer)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await lockLedger(connection, organization);
}
