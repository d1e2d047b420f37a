import { sql } from 'kysely';
import type { Database } from '../platform/database/db.ts';
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
