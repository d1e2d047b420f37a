import { sql } from 'kysely';
import type { Database } from '../platform/database/db.ts';
import { allowLongTransaction } from '../platform/database/time-limits.ts';
import type { CalendarDay } from '../platform/time/berlin-calendar.ts';
import type { InvoiceStatus, InvoiceType } from './schema.ts';

interface InvoiceFilter {
  readonly status?: InvoiceStatus | undefined;
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
      .select(['id', 'invoice_number', 'type', 'status', 'total', 'due_on', 'subscription_id'])
      .select([dayOf('period_start').as('from'), dayOf('period_end').as('until')])
      .where('organization_id', '=', organization);
    const { status, type, subscription } = filter;
    if (status !== undefined) query = query.where('status', '=', status);
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
