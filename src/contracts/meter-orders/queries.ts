import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';

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
  'entered_steps',
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

export type MeterOrderToAct = Pick<
  MeterOrderRow,
  'id' | 'subscription_id' | 'product' | 'provider' | 'status' | 'appointment_at'
> & {
  /** Since when it waits for the supplier. */
  since: string;
};

/**
 * Orders that the supplier has to move, those first that wait longest: one that was not handed on, one that is held back, and
 * one whose visit is over, or has no date, and of which the partner has not reported. As the index `meter_orders_to_act` has it.
 */
export async function listMeterOrdersToAct(
  connection: Connection,
  organization: string,
  { now, after, rowsMax }: { now: string; after: PagePosition | null; rowsMax: number },
): Promise<MeterOrderToAct[]> {
  const since = sql`CASE WHEN status IN ('installation_scheduled', 'installation_waiting')
                         THEN coalesce(appointment_at, updated_at) ELSE updated_at END`;
  const behind =
    after === null ? sql`` : sql`AND (${since}, id) > (${after.created_at}::timestamptz, ${after.id})`;
  const { rows } = await sql<MeterOrderToAct>`
    SELECT id, subscription_id, product, provider, status, appointment_at, ${since} AS since
      FROM meter_orders
     WHERE organization_id = ${organization}
       AND status IN ('waiting', 'blocked', 'blocked_wim', 'installation_scheduled', 'installation_waiting')
       AND ${since} <= ${now}::timestamptz ${behind}
     ORDER BY ${since}, id LIMIT ${rowsMax}`.execute(connection);
  return rows;
}
