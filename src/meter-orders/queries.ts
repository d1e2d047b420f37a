import type { Insertable } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Tables } from '../platform/database/tables.ts';

/** Final ones: nothing happens to them any more. */
const ENDED_STATUSES = ['activated', 'pre_installed', 'cancelled'] as const;

export function listMeterOrdersOfSubscription(
  connection: Connection,
  organization: string,
  subscription: string,
) {
  return connection
    .selectFrom('meter_orders')
    .select(['id', 'product', 'status', 'cancelled_at', 'cancelled_reason'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Cancels what is under way for these contracts; a block goes with it. */
export function updateOpenOrdersCancelled(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
) {
  return connection
    .updateTable('meter_orders')
    .set({
      status: 'cancelled',
      unblocked_status: 'cancelled',
      cancelled_at: now,
      cancelled_reason: 'customer_request',
      blocked_at: null,
      blocked_reason: null,
      updated_at: now,
    })
    .where('organization_id', '=', organization)
    .where('subscription_id', 'in', subscriptions)
    .where('status', 'not in', ENDED_STATUSES)
    .returning(['id', 'subscription_id'])
    .execute();
}

export async function insertMeterOrder(
  connection: Connection,
  organization: string,
  order: Omit<Insertable<Tables['meter_orders']>, 'organization_id'>,
): Promise<void> {
  await connection
    .insertInto('meter_orders')
    .values({ ...order, organization_id: organization })
    .execute();
}
