import { sql } from 'kysely';
import type { Connection } from '../platform/db.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';

/** Imported quarter hours of a contract in a span of milliseconds since 1970, the second one exclusive; ascending. */
export async function listQuarterHours(
  connection: Connection,
  organization: string,
  subscription: string,
  { from, until }: { from: number; until: number },
): Promise<{ start: number; kwh: number }[]> {
  const bounds = [from, until].map((milliseconds) => new Date(milliseconds).toISOString());
  const { rows } = await sql<{ start: number; kwh: number }>`
    SELECT date_part('epoch', interval_start) * 1000 AS start, kwh
      FROM usage_quarter_hours
     WHERE organization_id = ${organization} AND subscription_id = ${subscription}
       AND interval_start >= ${bounds[0]}::timestamptz AND interval_start < ${bounds[1]}::timestamptz
     ORDER BY interval_start`.execute(connection);
  return rows;
}

/** What was imported before for the same quarter hours is replaced. */
export async function upsertQuarterHours(
  connection: Connection,
  organization: string,
  contract: { customer: string; subscription: string },
  quarterHours: { starts: readonly string[]; kwh: readonly string[] },
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO usage_quarter_hours
      (organization_id, customer_id, subscription_id, interval_start, kwh, imported_at)
    SELECT ${organization}, ${contract.customer}, ${contract.subscription}, interval_start, kwh, ${now}::timestamptz
      FROM unnest(${quarterHours.starts}::timestamptz[], ${quarterHours.kwh}::double precision[])
           AS sent (interval_start, kwh)
        ON CONFLICT (organization_id, subscription_id, interval_start)
        DO UPDATE SET kwh = excluded.kwh, imported_at = excluded.imported_at`.execute(connection);
}

/** The same, where nothing is known yet: what came meanwhile stays. */
export async function insertQuarterHours(
  connection: Connection,
  organization: string,
  contract: { customer: string; subscription: string },
  quarterHours: { starts: readonly string[]; kwh: readonly string[] },
  now: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO usage_quarter_hours
      (organization_id, customer_id, subscription_id, interval_start, kwh, imported_at)
    SELECT ${organization}, ${contract.customer}, ${contract.subscription}, interval_start, kwh, ${now}::timestamptz
      FROM unnest(${quarterHours.starts}::timestamptz[], ${quarterHours.kwh}::double precision[])
           AS kept (interval_start, kwh)
        ON CONFLICT DO NOTHING`.execute(connection);
  return Number(numAffectedRows);
}

export type SuppliedContract = Pick<
  SubscriptionRow,
  'id' | 'type' | 'customer_id' | 'household_id' | 'start_at' | 'end_at'
>;

/** Contracts that were supplied, and whose meter was smart, at some moment of a span, by id, those behind `after`. */
export function listSuppliedSmartContracts(
  connection: Connection,
  organization: string,
  { from, until }: { from: number; until: number },
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<SuppliedContract[]> {
  const [first, end] = [from, until].map((milliseconds) => new Date(milliseconds).toISOString());
  return connection
    .selectFrom('subscriptions as contract')
    .select([
      'contract.id',
      'contract.type',
      'contract.customer_id',
      'contract.household_id',
      'contract.start_at',
      'contract.end_at',
    ])
    .where('contract.organization_id', '=', organization)
    .where('contract.id', '>', after)
    .where(
      sql<boolean>`contract.start_at < ${end}::timestamptz
        AND coalesce(contract.end_at, 'infinity') > ${first}::timestamptz`,
    )
    .where(
      /* A scalar answer for each contract: as a join it would put the states of all meters together. */
      sql<boolean>`(
        SELECT bool_or(state.type = 'smart') FROM meter_states AS state
         WHERE state.organization_id = contract.organization_id AND state.meter_id = contract.meter_id
           AND state.valid_from < (${end}::timestamptz AT TIME ZONE 'Europe/Berlin')::date
           AND state.valid_until > (${first}::timestamptz AT TIME ZONE 'Europe/Berlin')::date)`,
    )
    .orderBy('contract.id')
    .limit(rowsMax)
    .execute();
}
