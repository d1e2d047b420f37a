import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BillingTerms } from '../plan/periods.ts';

/** Contracts by id, both included. */
export interface PortionBounds {
  readonly first: string;
  readonly last: string;
}

export type BillingRun = Omit<Selectable<Tables['billing_runs']>, 'organization_id'>;

const RUN_COLUMNS = ['id', 'due_at', 'month', 'estimate_gaps', 'created_at'] as const;

/** False: this tick has its run already. */
export async function insertRun(
  connection: Connection,
  organization: string,
  run: BillingRun,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await connection
    .insertInto('billing_runs')
    .values({ ...run, organization_id: organization })
    .onConflict((on) => on.columns(['organization_id', 'due_at']).where('due_at', 'is not', null).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export function findRun(
  connection: Connection,
  organization: string,
  id: string,
): Promise<BillingRun | undefined> {
  return connection
    .selectFrom('billing_runs')
    .select(RUN_COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listNewestRuns(
  connection: Connection,
  organization: string,
  rowsMax: number,
): Promise<BillingRun[]> {
  return connection
    .selectFrom('billing_runs')
    .select(RUN_COLUMNS)
    .where('organization_id', '=', organization)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsMax)
    .execute();
}

/** The last of the next contracts by id, behind `after`; null: there is none. Looks at the index only. */
export async function findPortion(
  connection: Connection,
  organization: string,
  after: string,
  contractsMax: number,
): Promise<PortionBounds | null> {
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    SELECT min(id) AS first, max(id) AS last
      FROM (SELECT id FROM subscriptions
             WHERE organization_id = ${organization} AND id > ${after}
             ORDER BY id LIMIT ${contractsMax}) AS next`.execute(connection);
  const { first, last } = rows[0] ?? { first: null, last: null };
  return first === null || last === null ? null : { first, last };
}

export async function insertPortions(
  connection: Connection,
  organization: string,
  run: string,
  portions: readonly PortionBounds[],
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO billing_portions (organization_id, run_id, first_subscription, last_subscription, created_at)
    SELECT ${organization}, ${run}, first, last, ${now}::timestamptz
      FROM unnest(${portions.map(({ first }) => first)}::text[],
                  ${portions.map(({ last }) => last)}::text[]) AS portion (first, last)`.execute(connection);
}

/** What this run made of some contracts, counted where it is stored: a portion that began again counts all of it. */
export async function updatePortionDone(
  connection: Connection,
  organization: string,
  { run, first, last }: PortionBounds & { run: string },
  now: string,
): Promise<void> {
  await sql`
    UPDATE billing_portions
       SET done_at = ${now}::timestamptz,
           contracts = (SELECT count(*) FROM subscriptions
                         WHERE organization_id = ${organization} AND id BETWEEN ${first} AND ${last}),
           issued = (SELECT coalesce(jsonb_object_agg(type, count), '{}')
                       FROM (SELECT type, count(*) FROM invoices
                              WHERE organization_id = ${organization} AND run_id = ${run}
                                AND subscription_id BETWEEN ${first} AND ${last} GROUP BY type) AS made),
           refused = (SELECT count(*) FROM billing_refusals
                       WHERE organization_id = ${organization} AND run_id = ${run}
                         AND subscription_id BETWEEN ${first} AND ${last})
     WHERE organization_id = ${organization} AND run_id = ${run} AND first_subscription = ${first}`.execute(
    connection,
  );
}

/** What a period of a contract follows from. */
export interface ScheduledContract {
  id: string;
  customer_id: string;
  type: 'consumption' | 'feed_in';
  start_at: string;
  end_at: string | null;
}

/** Contracts that are supplied, or were. */
export async function listScheduledContracts(
  connection: Connection,
  organization: string,
  { first, last }: PortionBounds,
): Promise<ScheduledContract[]> {
  const { rows } = await sql<ScheduledContract>`
    SELECT id, customer_id, type, start_at, end_at
      FROM subscriptions
     WHERE organization_id = ${organization} AND id BETWEEN ${first} AND ${last} AND start_at IS NOT NULL
     ORDER BY id`.execute(connection);
  return rows;
}

export async function listBillingTerms(
  connection: Connection,
  organization: string,
  { first, last }: PortionBounds,
): Promise<ReadonlyMap<string, BillingTerms[]>> {
  const { rows } = await sql<BillingTerms & { subscription_id: string }>`
    SELECT subscription_id, valid_from AS "validFrom", mode, instalment
      FROM billing_terms
     WHERE organization_id = ${organization} AND subscription_id BETWEEN ${first} AND ${last}
     ORDER BY subscription_id, valid_from`.execute(connection);
  return Map.groupBy(rows, ({ subscription_id }) => subscription_id);
}

/** What a contract has documents about: their first days by type. Documents that were reversed do not count. */
export interface IssuedPeriods {
  subscription_id: string;
  usage: CalendarDay[];
  prepayment: CalendarDay[];
  has_exit_summary: boolean;
}

export async function listIssuedPeriods(
  connection: Connection,
  organization: string,
  { first, last }: PortionBounds,
): Promise<ReadonlyMap<string, IssuedPeriods>> {
  const startOf = (type: string) => sql`
    coalesce(array_agg((period_start AT TIME ZONE 'Europe/Berlin')::date::text) FILTER (WHERE type = ${type}), '{}')`;
  const { rows } = await sql<IssuedPeriods>`
    SELECT subscription_id, ${startOf('usage')} AS usage, ${startOf('prepayment')} AS prepayment,
           bool_or(type = 'exit_summary') AS has_exit_summary
      FROM invoices
     WHERE organization_id = ${organization} AND subscription_id BETWEEN ${first} AND ${last}
       AND type <> 'void' AND status <> 'voided'
     GROUP BY subscription_id`.execute(connection);
  return new Map(rows.map((row) => [row.subscription_id, row]));
}
