import { type Insertable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { Exact } from '../../platform/money.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { findReceiver } from '../invoices/queries.ts';
import { type MovedSums, NOTHING_MOVED, type PaymentRow } from './states.ts';

const LOCK = 'payments';

/**
 * Only one process at a time makes a file or books movements of an organization. Requests to the bank and its reports are
 * then looked at and changed together. Comes before all locks of rows.
 */
export async function lockPaymentsOf(connection: Connection, organization: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext(${`${LOCK} ${organization}`}))`.execute(connection);
}

export type NewPayment = Omit<Insertable<Tables['payments']>, 'organization_id'>;

/** One parameter for all of them: a statement with a parameter for each value could not take many. */
export async function insertPayments(
  connection: Connection,
  organization: string,
  rows: readonly NewPayment[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
  await sql`
    INSERT INTO payments (organization_id, ${names})
    SELECT ${organization}, ${names}
      FROM json_populate_recordset(NULL::payments, ${JSON.stringify(rows)}::json)`.execute(connection);
}

/** Several are locked by ascending id. */
export async function lockInvoices(connection: Connection, organization: string, ids: readonly string[]) {
  return await connection
    .selectFrom('invoices')
    .select([
      'id',
      'customer_id',
      'subscription_id',
      'type',
      'status',
      'total',
      'issued_at',
      'paid_at',
      'invoice_number',
    ])
    .where('organization_id', '=', organization)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export type BillRow = Awaited<ReturnType<typeof lockInvoices>>[number];

/** What moved for each of some bills; those without a payment have no entry. */
export async function sumsOfInvoices(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<Map<string, MovedSums>> {
  const { rows } = await sql<MovedSums & { invoice_id: string }>`
    SELECT invoice_id,
           coalesce(sum(signed) FILTER (WHERE status = 'settled'), 0)::text AS settled,
           coalesce(sum(signed) FILTER (WHERE status IN ('settled', 'credited')), 0)::text AS credited,
           coalesce(sum(signed) FILTER (WHERE status <> 'returned'), 0)::text AS expected
      FROM (SELECT invoice_id, status, CASE direction WHEN 'in' THEN amount ELSE -amount END AS signed
              FROM payments WHERE organization_id = ${organization} AND invoice_id = ANY(${[...ids]}::text[])) AS moved
     GROUP BY invoice_id`.execute(connection);
  return new Map(rows.map(({ invoice_id, ...sums }) => [invoice_id, sums]));
}

export async function sumsOf(connection: Connection, organization: string, id: string): Promise<MovedSums> {
  return (await sumsOfInvoices(connection, organization, [id])).get(id) ?? NOTHING_MOVED;
}

/** EUR that came in for a document: on itself, and on the bill that took it over. */
export async function settledFor(connection: Connection, organization: string, id: string): Promise<string> {
  const { settled } = await sumsOf(connection, organization, id);
  const receiver = await findReceiver(connection, organization, id);
  const { rows } = await sql<{ amount: string }>`
    SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0)::text AS amount FROM payments
     WHERE organization_id = ${organization} AND invoice_id = ${receiver} AND meant_for = ${id}
       AND status IN ('credited', 'settled')`.execute(connection);
  return new Exact(settled).plus(rows[0]?.amount ?? 0).toFixed(2);
}

export function paymentsOfInvoice(connection: Connection, organization: string, invoice: string) {
  return paymentsBy(connection, organization, 'invoice_id', invoice);
}

/** Those that a movement on the account is booked by. */
export function paymentsOfEntry(connection: Connection, organization: string, entry: string) {
  return paymentsBy(connection, organization, 'bank_entry_id', entry);
}

async function paymentsBy(
  connection: Connection,
  organization: string,
  column: 'invoice_id' | 'bank_entry_id',
  id: string,
): Promise<PaymentRow[]> {
  return await connection
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(column, '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function updatePayment(
  connection: Connection,
  organization: string,
  id: string,
  change: Partial<
    Pick<
      PaymentRow,
      | ('status' | 'booked_on' | 'final_on' | 'return_reason' | 'bank_entry_id' | 'invoice_id' | 'meant_for')
      | 'failure_told_at'
    >
  > & {
    updated_at: string;
  },
): Promise<void> {
  await connection
    .updateTable('payments')
    .set(change)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Behind so many days not even the customer may have a debit given back: then it is final, also where no statement follows. */
const REFUND_DAYS = 56;

/**
 * Debits that no bank returns any more as unpaid: their last day is over, and what the bank reported of it is in, for a movement
 * of a later day is.
 */
export async function listFinalDebits(
  connection: Connection,
  organization: string,
  today: CalendarDay,
  rowsMax: number,
) {
  return await connection
    .selectFrom('payments as p')
    .select(['p.id', 'p.invoice_id'])
    .where('p.organization_id', '=', organization)
    .where('p.status', '=', 'credited')
    .where('p.final_on', '<', today)
    .where(
      sql<boolean>`(p.updated_at < ${today}::date - ${REFUND_DAYS}::integer OR EXISTS (
        SELECT FROM bank_entries AS e WHERE e.organization_id = ${organization} AND e.booked_on > p.final_on))`,
    )
    .orderBy('p.final_on')
    .limit(rowsMax)
    .execute();
}
