import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

const COLUMNS = [
  'id',
  'customer_id',
  'plan_id',
  'meter_id',
  'meter_type',
  'type',
  'status',
  'intended_start_on',
  'start_at',
  'end_at',
  'created_at',
] as const;

/** As much of a contract as the rules of an order for it need. */
export type HeldContract = Pick<Selectable<Tables['subscriptions']>, (typeof COLUMNS)[number]>;

/** Held until the end of the transaction: of two orders for one contract the second is judged with the first. */
export function lockContract(
  connection: Connection,
  organization: string,
  id: string,
): Promise<HeldContract | undefined> {
  return connection
    .selectFrom('subscriptions')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Several of them, by id as the order of locks asks for. */
export async function lockContracts(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<void> {
  await connection
    .selectFrom('subscriptions')
    .select('id')
    .where('organization_id', '=', organization)
    .where('id', '=', sql<string>`ANY (${[...ids]}::text[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Notes that bills from a day on are to be calculated anew: something that they depend on came in. */
export async function updateBillsChanged(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
  from: CalendarDay,
  now: string,
): Promise<void> {
  if (contracts.length === 0) return;
  await sql`
    UPDATE subscriptions
       SET bills_changed_at = greatest(bills_changed_at, ${now}::timestamptz),
           bills_changed_from = least(bills_changed_from, ${from}::date)
     WHERE organization_id = ${organization} AND id = ANY (${[...contracts]}::text[])`.execute(connection);
}

/** Forgets what was noted before an instant: all that depends on it was calculated anew. */
export async function updateBillsLookedAt(
  connection: Connection,
  organization: string,
  id: string,
  before: string,
): Promise<void> {
  await sql`
    UPDATE subscriptions SET bills_changed_at = NULL, bills_changed_from = NULL
     WHERE organization_id = ${organization} AND id = ${id} AND bills_changed_at < ${before}::timestamptz`.execute(
    connection,
  );
}
