import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';

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
                      FROM portions AS done CROSS JOIN LATERAL jsonb_each_text(done.issued) AS one (type, count)
                     GROUP BY type) AS by_type) AS issued
      FROM portions`.execute(connection);
  const [found] = rows;
  if (found === undefined) throw new Error('A sum has one row');
  return found;
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
