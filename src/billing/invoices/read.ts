import { findSubscription } from '../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { roundHalfUp } from '../../platform/money.ts';
import { findInvoice, type InvoiceRow, listInvoices, listInvoicesOfSubscription } from './queries.ts';
import type { Invoice } from './schema.ts';

/** As usage is shown; bills are made of more. */
const KWH_DECIMALS = 4;

type ReadDeps = Pick<Deps, 'database'>;

export async function getInvoices({ database }: ReadDeps, request: ApiRequest): Promise<Page<Invoice>> {
  const { principal, list } = request;
  const { organization, customer } = principal;
  const shown = { withExitSummaries: request.knows('exit summaries') };
  const rows = await database.inOrganization(principal, (connection) =>
    listInvoices(connection, organization, customer, list, shown),
  );
  return pageOf(rows, list, shownInvoice);
}

/** The list of versions that know usage invoices only, and consumption only. */
export async function getInvoicesOfSubscription(
  { database }: ReadDeps,
  request: ApiRequest,
): Promise<Page<Invoice>> {
  const { principal, list, pathId } = request;
  const { organization, customer } = principal;
  const rows = await database.inOrganization(principal, async (connection) => {
    const subscription = await findSubscription(connection, organization, customer, pathId);
    if (subscription === undefined) throw notFound();
    if (subscription.type === 'feed_in') request.requires('feed-in', 'subscription');
    const bills = { subscription: pathId, type: 'usage' as const };
    return await listInvoicesOfSubscription(connection, organization, bills, list);
  });
  return pageOf(rows, list, shownInvoice);
}

export async function getInvoice({ database }: ReadDeps, request: ApiRequest): Promise<Invoice> {
  const row = await database.inOrganization(request.principal, (connection) =>
    invoiceShownTo(connection, request),
  );
  return shownInvoice(row);
}

/** The invoice of the path. Not found where the caller's version does not show it. */
export async function invoiceShownTo(connection: Connection, request: ApiRequest): Promise<InvoiceRow> {
  const { organization, customer } = request.principal;
  const row = await findInvoice(connection, organization, customer, request.pathId);
  if (row === undefined) throw notFound();
  if (row.type === 'exit_summary' && !request.knows('exit summaries')) throw notFound();
  if (request.knows('invoice types')) return row;
  const subscription = await findSubscription(connection, organization, customer, row.subscription_id);
  if (row.type !== 'usage' || subscription?.type !== 'consumption') throw notFound();
  return row;
}

function shownInvoice(row: InvoiceRow): Invoice {
  return {
    object: 'invoice',
    id: row.id,
    type: row.type,
    customer: row.customer_id,
    subscription: row.subscription_id,
    invoice_number: row.invoice_number,
    month: row.month,
    year: row.year,
    period_start: row.period_start,
    period_end: row.period_end,
    period_number: row.period_number,
    status: row.status,
    ...(row.usage_kwh !== null && { usage: roundHalfUp(row.usage_kwh, KWH_DECIMALS).toNumber() }),
    total: Number(row.total),
    ...(row.voids !== null && { voids: row.voids }),
    issued_at: row.issued_at,
    paid_at: row.paid_at,
  };
}
