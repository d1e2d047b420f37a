import { sql } from 'kysely';
import type { Database } from '../../platform/database/db.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findBillThatTookOver } from './queries.ts';
import { INVOICE_STATUSES, type InvoiceType } from './schema.ts';

/** For the interface a prepayment is uncollectible when its closing bill took it over; staff see the difference. */
export const STAFF_STATUSES = [...INVOICE_STATUSES, 'taken_over'] as const;
export type StaffStatus = (typeof STAFF_STATUSES)[number];

const takenOver = findBillThatTookOver('invoices', 'invoice_number');

interface InvoiceFilter {
  readonly status?: StaffStatus | undefined;
  readonly type?: InvoiceType | undefined;
  readonly subscription?: string | undefined;
}

const dayOf = (column: 'period_start' | 'period_end') =>
  sql<CalendarDay>`(${sql.ref(column)} AT TIME ZONE 'Europe/Berlin')::date`;

/** The newest documents, for the back office. */
export function newestInvoices(
  database: Database,
  organization: string,
  filter: InvoiceFilter,
  rowsMax: number,
) {
  return database.inOrganization({ organization }, (connection) => {
    let query = connection
      .selectFrom('invoices')
      .select(['id', 'invoice_number', 'type', 'total', 'due_on', 'subscription_id'])
      .select(sql<string>`CASE WHEN ${takenOver} IS NULL THEN status ELSE 'taken_over' END`.as('status'))
      .select(takenOver.as('taken_over_by'))
      .select([dayOf('period_start').as('from'), dayOf('period_end').as('until')])
      .where('organization_id', '=', organization);
    const { status, type, subscription } = filter;
    if (status !== undefined) {
      query = query.where('status', '=', status === 'taken_over' ? 'uncollectible' : status);
      if (status === 'taken_over') query = query.where(takenOver, 'is not', null);
      if (status === 'uncollectible') query = query.where(takenOver, 'is', null);
    }
    if (type !== undefined) query = query.where('type', '=', type);
    if (subscription !== undefined) query = query.where('subscription_id', '=', subscription);
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(rowsMax).execute();
  });
}

interface DocumentProblem {
  /** Of all organizations. */
  readonly documents: number;
  /** Null: there is none. */
  readonly problem: string | null;
  readonly organization_id: string | null;
  /** Null: the first number of the organization is missing. */
  readonly document: string | null;
}

/** Documents of all organizations that the database should never have taken. */
export function listDocumentProblems(database: Database, rowsMax: number): Promise<DocumentProblem[]> {
  return database.asService(async (connection) => {
    await allowLongTransaction(connection);
    const { rows } = await sql<DocumentProblem>`SELECT * FROM list_document_problems(${rowsMax})`.execute(
      connection,
    );
    return rows;
  });
}
