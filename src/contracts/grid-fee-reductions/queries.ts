import { type Insertable, type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import type { PagePosition } from '../../platform/interface/pagination.ts';
import { OPEN_STATUSES, REDUCTION_MOVES } from './moves.ts';

const COLUMNS = [
  'id',
  'customer_id',
  'subscription_id',
  'type',
  'status',
  'valid_from',
  'valid_until',
  'created_at',
  'updated_at',
] as const;

export type ReductionRow = Pick<Selectable<Tables['grid_fee_reductions']>, (typeof COLUMNS)[number]>;

const FILTER_COLUMNS = {
  status: 'status',
  customer: 'customer_id',
  subscription: 'subscription_id',
  created_at: 'created_at',
  updated_at: 'updated_at',
} as const;

export function listReductions(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
): Promise<ReductionRow[]> {
  let query = connection
    .selectFrom('grid_fee_reductions')
    .select(COLUMNS)
    .where('organization_id', '=', organization);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function findReduction(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<ReductionRow | undefined> {
  let query = connection
    .selectFrom('grid_fee_reductions')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return query.executeTakeFirst();
}

/** When it ended by itself, also where its contract has ended before. */
export async function findOwnEnd(
  connection: Connection,
  organization: string,
  id: string,
): Promise<string | null> {
  const { own_until } = await connection
    .selectFrom('grid_fee_reductions')
    .select('own_until')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return own_until;
}

const MODULE_COLUMNS = ['id', 'type', 'status', 'valid_from', 'valid_until'] as const;

export type ModuleRow = Pick<ReductionRow, (typeof MODULE_COLUMNS)[number]>;

/** In the order in which they were asked for. */
export function listReductionsOfSubscription(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<ModuleRow[]> {
  return connection
    .selectFrom('grid_fee_reductions')
    .select(MODULE_COLUMNS)
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Reductions of some contracts, each list in the same order. */
export async function listReductionsOfEach(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
) {
  const rows = await connection
    .selectFrom('grid_fee_reductions')
    .select([...MODULE_COLUMNS, 'subscription_id'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', sql<string>`ANY (${[...subscriptions]}::text[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ subscription_id }) => subscription_id);
}

/** Which modules of a contract are intended, ordered or activated. */
export async function listOpenTypes(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<ReductionRow['type'][]> {
  const rows = await connection
    .selectFrom('grid_fee_reductions')
    .select('type')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('status', 'in', OPEN_STATUSES)
    .execute();
  return rows.map(({ type }) => type);
}

type Changes = Pick<ReductionRow, 'status' | 'updated_at'> &
  Partial<Pick<ReductionRow, 'valid_from' | 'valid_until'>>;

/** An end that is given here is its own: it holds wherever its contract comes to end. */
export function updateReduction(
  connection: Connection,
  organization: string,
  id: string,
  changes: Changes,
): Promise<ReductionRow> {
  return connection
    .updateTable('grid_fee_reductions')
    .set({ ...changes, ...(changes.valid_until !== undefined && { own_until: changes.valid_until }) })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Those that were wanted before the grid operator had confirmed the contracts. */
export async function updateIntendedReductionsOrdered(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  const { from, to } = REDUCTION_MOVES.order;
  await connection
    .updateTable('grid_fee_reductions')
    .set({ status: to, updated_at: now })
    .where('organization_id', '=', organization)
    .where('subscription_id', 'in', subscriptions)
    .where('status', 'in', from)
    .execute();
}

/**
 * Open ones end when their contract does, at its own end and not when that was noticed. One that would have come into
 * force later never does: it ends at the instant at which it would have begun.
 */
export async function updateOpenReductionsEnded(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  const { from, to } = REDUCTION_MOVES.endAlong;
  await sql`
    UPDATE grid_fee_reductions AS reduction
       SET status = ${to}, valid_until = greatest(subscription.end_at, reduction.valid_from), updated_at = ${now}
      FROM subscriptions AS subscription
     WHERE reduction.organization_id = ${organization}
       AND reduction.subscription_id = ANY (${subscriptions})
       AND reduction.status = ANY (${from})
       AND (subscription.organization_id, subscription.id) = (reduction.organization_id, reduction.subscription_id)
  `.execute(connection);
}

/** Of an ended contract: to an instant, or before it to their own end. */
export async function updateEndsOfReductions(
  connection: Connection,
  organization: string,
  contract: { id: string },
  end_at: string | null,
  now: string,
): Promise<void> {
  const until = sql`greatest(least(own_until, ${end_at}::timestamptz), valid_from)`;
  await sql`
    UPDATE grid_fee_reductions SET valid_until = ${until}, updated_at = ${now}
     WHERE organization_id = ${organization} AND subscription_id = ${contract.id} AND status = 'ended'
       AND valid_until IS DISTINCT FROM ${until}`.execute(connection);
}

/** It ends with another one: a later end of the contract may move it again. */
export async function updateEnd(
  connection: Connection,
  organization: string,
  id: string,
  valid_until: string,
  now: string,
): Promise<void> {
  await connection
    .updateTable('grid_fee_reductions')
    .set({ valid_until, updated_at: now })
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

type NewReduction = Omit<Insertable<Tables['grid_fee_reductions']>, 'organization_id'>;

export function insertReduction(
  connection: Connection,
  organization: string,
  reduction: NewReduction,
): Promise<ReductionRow> {
  return connection
    .insertInto('grid_fee_reductions')
    .values({ ...reduction, organization_id: organization })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Those of which the grid operator has to say something, those first that wait longest. */
export async function listOrderedReductions(
  connection: Connection,
  organization: string,
  { after, rowsMax }: { after: PagePosition | null; rowsMax: number },
): Promise<ReductionRow[]> {
  return await connection
    .selectFrom('grid_fee_reductions')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('status', '=', 'ordered')
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.created_at}::timestamptz, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(rowsMax)
    .execute();
}
