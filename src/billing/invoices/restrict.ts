import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { lockLedger } from './issue/queries.ts';

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

/**
 * Hides the bills of a customer of the transaction's organization from everybody but the finance role: the person was erased,
 * and the law wants the bills for eight years. Returns how many.
 */
export async function restrictInvoices(
  connection: Connection,
  customer: string,
  since: string,
): Promise<number> {
  const { rows } = await sql<{ restricted: number }>`
    SELECT restrict_invoices(${customer}, ${since}) AS restricted`.execute(connection);
  return rows[0]?.restricted ?? 0;
}
