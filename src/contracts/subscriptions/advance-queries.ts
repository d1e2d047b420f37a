import type { Connection } from '../../platform/database/db.ts';

/*
 * What the clock moves. Rows that somebody else holds are left out and found again a minute later: two workers share the
 * work, and neither waits for a request.
 */

/** Contracts whose supply begins, the oldest first. One that ends before or with its start never begins. */
export async function lockDueToBegin(
  connection: Connection,
  organization: string,
  now: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('status', '=', 'pending')
    .where('start_at', '<=', now)
    .where((where) => where.or([where('end_at', 'is', null), where('end_at', '>', where.ref('start_at'))]))
    .orderBy('start_at')
    .limit(rowsMax)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Contracts whose end is reached, withdrawn ones that never began among them. One that has to begin first is left to the
 * next turn: a portion may be full before it.
 */
export async function lockDueToEnd(
  connection: Connection,
  organization: string,
  now: string,
  rowsMax: number,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('status', '<>', 'ended')
    .where('end_at', '<=', now)
    .where((where) =>
      where.or([
        where('status', '=', 'active'),
        where('start_at', 'is', null),
        where('end_at', '<=', where.ref('start_at')),
      ]),
    )
    .orderBy('end_at')
    .limit(rowsMax)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ id }) => id);
}

export async function updateStatuses(
  connection: Connection,
  organization: string,
  ids: readonly string[],
  status: 'active' | 'ended',
  now: string,
): Promise<void> {
  await connection
    .updateTable('subscriptions')
    .set({ status, updated_at: now })
    .where('organization_id', '=', organization)
    .where('id', 'in', ids)
    .execute();
}
