import { type Selectable, sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Tables } from '../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../platform/interface/newest-first.ts';
import type { InvoiceType } from './schema.ts';

/*
 * What callers and customers see. Invoices of a person who was erased are for the finance role alone: every statement here
 * leaves them out.
 */

const COLUMNS = [
  'id',
  'type',
  'customer_id',
  'subscription_id',
  'invoice_number',
  'month',
  'year',
  'period_start',
  'period_end',
  'period_number',
  'status',
  'usage_kwh',
  'total',
  'voids',
  'issued_at',
  'paid_at',
  'created_at',
] as const;

export type InvoiceRow = Pick<Selectable<Tables['invoices']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  status: 'status',
  type: 'type',
  subscription: 'subscription_id',
  period_start: 'period_start',
  period_end: 'period_end',
} as const;

const shownInvoices = (connection: Connection, organization: string, customer: string | undefined) => {
  const query = connection
    .selectFrom('invoices')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('restricted_at', 'is', null);
  return customer === undefined ? query : query.where('customer_id', '=', customer);
};

/** `withExitSummaries: false` leaves them out, for versions that do not know them. */
export function listInvoices(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
  { withExitSummaries }: { withExitSummaries: boolean },
): Promise<InvoiceRow[]> {
  const query = shownInvoices(connection, organization, customer);
  /* Written as the index of these versions has it. */
  const shown = withExitSummaries ? query : query.where(sql<boolean>`type <> 'exit_summary'`);
  return newestFirst(shown, list, FILTER_COLUMNS).execute();
}

/** Of one subscription, those of one type. */
export function listInvoicesOfSubscription(
  connection: Connection,
  organization: string,
  { subscription, type }: { subscription: string; type: InvoiceType },
  list: PageRequest,
): Promise<InvoiceRow[]> {
  const query = shownInvoices(connection, organization, undefined)
    .where('subscription_id', '=', subscription)
    .where('type', '=', type);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export async function findInvoice(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<InvoiceRow | undefined> {
  return await shownInvoices(connection, organization, customer).where('id', '=', id).executeTakeFirst();
}

export interface ListedDocument
  extends Pick<
    InvoiceRow,
    'id' | 'subscription_id' | 'type' | 'invoice_number' | 'month' | 'year' | 'status' | 'total'
  > {
  /** Whether its document is there. */
  has_document: boolean;
}

/** Of each of these contracts the newest ones, newest first. */
export async function listDocumentsOfContracts(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
  ofEachMax: number,
): Promise<ListedDocument[]> {
  const { rows } = await sql<ListedDocument>`
    SELECT invoice.id, invoice.subscription_id, invoice.type, invoice.invoice_number, invoice.month, invoice.year,
           invoice.status, invoice.total,
           EXISTS (
             SELECT FROM invoice_files
              WHERE organization_id = ${organization} AND invoice_id = invoice.id AND kind = 'pdf'
           ) AS has_document
      FROM unnest(${contracts}::text[]) AS contract (id)
     CROSS JOIN LATERAL (
             SELECT id, subscription_id, type, invoice_number, month, year, status, total, created_at
               FROM invoices
              WHERE organization_id = ${organization} AND subscription_id = contract.id AND restricted_at IS NULL
              ORDER BY created_at DESC, invoices.id DESC
              LIMIT ${ofEachMax}
           ) AS invoice
     ORDER BY invoice.created_at DESC, invoice.id DESC`.execute(connection);
  return rows;
}
