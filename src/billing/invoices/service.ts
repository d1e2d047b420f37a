import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';

/* For the page on which customers see what their usage costs. */
export { type EnergyCosts, energyCosts } from './basis/energy-cost.ts';
/* For an erasure, which takes what a correction is made of. */
export { contractsWaitedFor } from './corrections/changes.ts';
/* For whoever enters or reads what becomes of documents. */
export { holdInvoice, holdInvoicesOf } from './issue/move.ts';
export { checkMove, mayMove } from './issue/moves.ts';
export { checkNotDeducted, setOffReturned } from './issue/void.ts';
/* For an erasure: what is still to be billed needs the person. */
export { listUnbilledContracts } from './plan/due.ts';
/* For payments, of which a reversal may set off what came back. */
export { newPaymentId } from './schema.ts';

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
