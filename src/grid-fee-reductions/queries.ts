import { type Insertable, sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Tables } from '../platform/database/tables.ts';

export function listReductionsOfSubscription(
  connection: Connection,
  organization: string,
  subscription: string,
) {
  return connection
    .selectFrom('grid_fee_reductions')
    .select(['id', 'type', 'status', 'valid_from', 'valid_until'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Those that were wanted before the grid operator had confirmed the contract. */
export async function updateIntendedReductionsOrdered(
  connection: Connection,
  organization: string,
  subscription: string,
  now: string,
): Promise<void> {
  await connection
    .updateTable('grid_fee_reductions')
    .set({ status: 'ordered', updated_at: now })
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('status', '=', 'intended')
    .execute();
}

/** Open ones end when their contract does, at its own end and not when that was noticed. */
export async function updateOpenReductionsEnded(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  await sql`
    UPDATE grid_fee_reductions AS reduction
       SET status = 'ended', valid_until = subscription.end_at, updated_at = ${now}
      FROM subscriptions AS subscription
     WHERE reduction.organization_id = ${organization}
       AND reduction.subscription_id = ANY (${subscriptions})
       AND reduction.status IN ('intended', 'ordered', 'activated')
       AND (subscription.organization_id, subscription.id) = (reduction.organization_id, reduction.subscription_id)
  `.execute(connection);
}

export async function insertReductions(
  connection: Connection,
  organization: string,
  reductions: readonly Omit<Insertable<Tables['grid_fee_reductions']>, 'organization_id'>[],
): Promise<void> {
  await connection
    .insertInto('grid_fee_reductions')
    .values(reductions.map((reduction) => ({ ...reduction, organization_id: organization })))
    .execute();
}
