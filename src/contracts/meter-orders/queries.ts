import type { Insertable, Selectable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';

/** Final ones: nothing happens to them any more. */
const ENDED_STATUSES = ['activated', 'pre_installed', 'cancelled'] as const;

const COLUMNS = [
  'id',
  'customer_id',
  'subscription_id',
  'product',
  'provider',
  'status',
  'unblocked_status',
  'public_status',
  'details_received_at',
  'appointment_at',
  'installed_at',
  'activated_at',
  'cancelled_at',
  'cancelled_reason',
  'blocked_at',
  'blocked_reason',
  'created_at',
  'updated_at',
] as const;

export type MeterOrderRow = Pick<Selectable<Tables['meter_orders']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  status: 'public_status',
  internal_status: 'status',
  product: 'product',
  customer: 'customer_id',
  subscription: 'subscription_id',
  created_at: 'created_at',
  updated_at: 'updated_at',
} as const;

export function listMeterOrders(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
): Promise<MeterOrderRow[]> {
  let query = connection
    .selectFrom('meter_orders')
    .select(COLUMNS)
    .where('organization_id', '=', organization);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function findMeterOrder(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<MeterOrderRow | undefined> {
  let query = connection
    .selectFrom('meter_orders')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return query.executeTakeFirst();
}

/** A contract has one for ever. */
export function findMeterOrderOfContract(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<{ id: string } | undefined> {
  return connection
    .selectFrom('meter_orders')
    .select('id')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .executeTakeFirst();
}

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

export type MeterOrderChange = Partial<
  Omit<
    MeterOrderRow,
    'id' | 'customer_id' | 'subscription_id' | 'product' | 'provider' | 'public_status' | 'created_at'
  >
> & { updated_at: string };

/** The caller holds the lock of the contract. */
export function updateMeterOrder(
  connection: Connection,
  organization: string,
  id: string,
  change: MeterOrderChange,
): Promise<MeterOrderRow> {
  return connection
    .updateTable('meter_orders')
    .set(change)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
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

export function insertMeterOrder(
  connection: Connection,
  organization: string,
  order: Omit<Insertable<Tables['meter_orders']>, 'organization_id'>,
): Promise<MeterOrderRow> {
  return connection
    .insertInto('meter_orders')
    .values({ ...order, organization_id: organization })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
