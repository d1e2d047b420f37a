import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { SubscriptionRow } from './queries.ts';

/** The household's consumption contract that is not over; of several the one that ends last, or not at all. */
export function findRunningSupply(
  connection: Connection,
  organization: string,
  household: string,
): Promise<{ end_at: string | null } | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select('end_at')
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .where('type', '=', 'consumption')
    .where('status', '<>', 'ended')
    .orderBy('end_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst();
}

/** A contract of the household that began, or still can; with `begunBy` only one whose supply began by then. */
export function findContractThatCounts(
  connection: Connection,
  organization: string,
  household: string,
  begunBy?: string,
): Promise<{ id: string } | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .where((where) => {
      const isSupplied = where.or([where('end_at', 'is', null), where('end_at', '>', where.ref('start_at'))]);
      return begunBy === undefined
        ? where.or([
            where('status', '<>', 'ended'),
            where.and([where('start_at', 'is not', null), isSupplied]),
          ])
        : where.and([where('start_at', '<=', begunBy), isSupplied]);
    })
    .limit(1)
    .executeTakeFirst();
}

/** Another consumption contract of the household that supplies it, or will, at some moment of this period. */
export function findOverlappingSupply(
  connection: Connection,
  organization: string,
  subscription: Pick<SubscriptionRow, 'id' | 'household_id'>,
  period: { start_at: string; end_at: string | null },
): Promise<{ id: string } | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('household_id', '=', subscription.household_id)
    .where('id', '<>', subscription.id)
    .where('type', '=', 'consumption')
    .where(
      sql<boolean>`start_at < coalesce(end_at, 'infinity')
        AND start_at < coalesce(${period.end_at}::timestamptz, 'infinity')
        AND coalesce(end_at, 'infinity') > ${period.start_at}::timestamptz`,
    )
    .executeTakeFirst();
}
