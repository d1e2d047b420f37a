import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { PortionBounds } from '../plan/queries.ts';

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

/** Stores what this run made of some contracts, counted where it is stored: a portion that began again counts all of it. */
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

export interface RunProgress {
  portions: number;
  portions_done: number;
  contracts: number;
  /** Documents by type. */
  issued: Readonly<Record<string, number>>;
  refused: number;
  finished_at: string | null;
}

export async function findRunProgress(
  connection: Connection,
  organization: string,
  run: string,
): Promise<RunProgress> {
  const { rows } = await sql<RunProgress>`
    WITH portions AS (
      SELECT * FROM billing_portions WHERE organization_id = ${organization} AND run_id = ${run})
    SELECT count(*) AS portions, count(done_at) AS portions_done, coalesce(sum(contracts), 0)::int AS contracts,
           coalesce(sum(refused), 0)::int AS refused,
           CASE WHEN count(*) = count(done_at) THEN max(done_at) END AS finished_at,
           (SELECT coalesce(jsonb_object_agg(type, made), '{}')
              FROM (SELECT type, sum(count::int) AS made
                      FROM portions AS done CROSS JOIN LATERAL jsonb_each_text(done.issued) AS issued (type, count)
                     GROUP BY type) AS by_type) AS issued
      FROM portions`.execute(connection);
  const [progress] = rows;
  if (progress === undefined) throw new Error('A sum has one row');
  return progress;
}

export async function countRefusals(
  connection: Connection,
  organization: string,
): Promise<{ code: string; count: number }[]> {
  const { rows } = await sql<{ code: string; count: number }>`
    SELECT code, count(*) AS count FROM billing_refusals
     WHERE organization_id = ${organization} GROUP BY code ORDER BY count(*) DESC, code`.execute(connection);
  return rows;
}

export type RefusalRow = Omit<Selectable<Tables['billing_refusals']>, 'organization_id'>;

export interface RefusalFilter {
  readonly code?: string | undefined;
  readonly subscription?: string | undefined;
  /** Those that are late on this day, or before it. */
  readonly lateBy?: CalendarDay | undefined;
}

export function listRefusals(
  connection: Connection,
  organization: string,
  { code, subscription, lateBy }: RefusalFilter,
  rowsMax: number,
): Promise<RefusalRow[]> {
  let query = connection
    .selectFrom('billing_refusals')
    .select(['customer_id', 'subscription_id', 'type', 'period_start', 'period_end', 'code', 'detail'])
    .select(['deadline', 'run_id', 'first_at', 'last_at'])
    .where('organization_id', '=', organization);
  if (code !== undefined) query = query.where('code', '=', code);
  if (subscription !== undefined) query = query.where('subscription_id', '=', subscription);
  if (lateBy !== undefined) query = query.where('deadline', '<=', lateBy);
  return query
    .orderBy('deadline', (order) => order.asc().nullsLast())
    .orderBy('subscription_id')
    .orderBy('period_start')
    .limit(rowsMax)
    .execute();
}

/** The place of a refusal among those that a person has to end. */
export interface RefusalPlace {
  /** `infinity`: the law sets none. */
  readonly deadline: string;
  readonly subscription_id: string;
  readonly type: string;
  readonly period_start: CalendarDay;
}

/**
 * Documents that are missing until somebody enters something, those first that are late first. What ends by itself is left
 * out. As the index `billing_refusals_to_act` has it.
 */
export async function listRefusalsToAct(
  connection: Connection,
  organization: string,
  { after, rowsMax }: { after: RefusalPlace | null; rowsMax: number },
): Promise<RefusalRow[]> {
  const deadline = sql`CASE WHEN deadline IS NULL THEN 'infinity'::date ELSE deadline END`;
  const behind =
    after === null
      ? sql``
      : sql`AND (${deadline}, subscription_id, type, period_start)
              > (${after.deadline}::date, ${after.subscription_id}, ${after.type}, ${after.period_start}::date)`;
  const { rows } = await sql<RefusalRow>`
    SELECT customer_id, subscription_id, type, period_start, period_end, code, detail, deadline, run_id, first_at, last_at
      FROM billing_refusals
     WHERE organization_id = ${organization}
       AND code NOT IN ('not_settled', 'too_early', 'payment_under_way', 'earlier_refused') ${behind}
     ORDER BY ${deadline}, subscription_id, type, period_start LIMIT ${rowsMax}`.execute(connection);
  return rows;
}
