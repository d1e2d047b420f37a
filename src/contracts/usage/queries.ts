import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Span } from './intervals.ts';

/** A contract whose energy is kept. */
export interface Owner {
  organization: string;
  customer: string;
  subscription: string;
}

/** Sums of kept quarter hours by steps of UTC; `start` in milliseconds since 1970, kWh as decimal text. */
export async function listKeptSums(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
  { from, until }: Span,
  stepMilliseconds: number,
): Promise<{ start: number; kwh: string }[]> {
  const step = stepMilliseconds / 1_000;
  const { rows } = await sql<{ start: number; kwh: string }>`
    SELECT floor(extract(epoch FROM interval_start) / ${step}::int)::float8 * ${stepMilliseconds}::int AS start,
           sum(kwh) AS kwh
      FROM usage_quarter_hours
     WHERE organization_id = ${organization} AND subscription_id = ${subscription}
       AND interval_start >= ${instantOf(from)}::timestamptz AND interval_start < ${instantOf(until)}::timestamptz
     GROUP BY 1`.execute(connection);
  return rows;
}

/** Sums of kept days by weeks or months; `day` lies in the week or month, and in the days from the first one on. */
export async function listKeptDaySums(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
  { first, end }: { first: CalendarDay; end: CalendarDay },
  unit: 'day' | 'week' | 'month',
): Promise<{ day: CalendarDay; kwh: string }[]> {
  const { rows } = await sql<{ day: CalendarDay; kwh: string }>`
    SELECT min(day) AS day, sum(kwh) AS kwh
      FROM usage_days
     WHERE organization_id = ${organization} AND subscription_id = ${subscription}
       AND day >= ${first}::date AND day < ${end}::date
     GROUP BY date_trunc(${unit}::text, day::timestamp)`.execute(connection);
  return rows;
}

/** How many quarter hours of each day are kept. */
export async function listKeptCounts(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
  { first, end }: { first: CalendarDay; end: CalendarDay },
): Promise<ReadonlyMap<CalendarDay, number>> {
  const rows = await connection
    .selectFrom('usage_days')
    .select(['day', 'quarter_hours'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('day', '>=', first)
    .where('day', '<', end)
    .execute();
  return new Map(rows.map(({ day, quarter_hours }) => [day, quarter_hours]));
}

/** Which quarter hours of some spans are kept, in milliseconds since 1970. */
export async function listKeptStarts(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
  spans: readonly Span[],
): Promise<ReadonlySet<number>> {
  if (spans.length === 0) return new Set();
  const { rows } = await sql<{ start: number }>`
    SELECT (extract(epoch FROM kept.interval_start) * 1000)::float8 AS start
      FROM unnest(${spans.map(({ from }) => instantOf(from))}::timestamptz[],
                  ${spans.map(({ until }) => instantOf(until))}::timestamptz[]) AS span (first, until)
     CROSS JOIN LATERAL (
             SELECT interval_start
               FROM usage_quarter_hours
              WHERE organization_id = ${organization} AND subscription_id = ${subscription}
                AND interval_start >= span.first AND interval_start < span.until) AS kept`.execute(
    connection,
  );
  return new Set(rows.map(({ start }) => start));
}

/** Days of a month, which is given by its first one. */
export interface MonthDays {
  readonly month: CalendarDay;
  readonly days: readonly { readonly first: CalendarDay; readonly end: CalendarDay }[];
}

/** As PostgreSQL writes it; the second day of each span is exclusive. */
export function multirangeOf(days: MonthDays['days']): string {
  return `{${days.map(({ first, end }) => `[${first},${end})`).join(',')}}`;
}

/** Months of a contract that have to be settled, with those of their days that a smart meter counts. */
export interface ContractMonth extends MonthDays {
  readonly subscription: string;
}

/** Those months, ascending for each contract, of whose days some are not settled. */
export async function listUnsettledMonths(
  connection: Connection,
  organization: string,
  months: readonly ContractMonth[],
): Promise<{ subscription: string; month: CalendarDay }[]> {
  const { rows } = await sql<{ subscription: string; month: CalendarDay }>`
    SELECT month_row.subscription, month_row.month
      FROM unnest(${months.map(({ subscription }) => subscription)}::text[], ${months.map(({ month }) => month)}::date[],
                  ${months.map(({ days }) => multirangeOf(days))}::text[]::datemultirange[])
             AS month_row (subscription, month, days)
      LEFT JOIN settled_usage_months AS known
             ON known.organization_id = ${organization} AND known.subscription_id = month_row.subscription
            AND known.month = month_row.month
     WHERE (known.days @> month_row.days) IS NOT TRUE
     ORDER BY month_row.subscription, month_row.month`.execute(connection);
  return rows;
}

export interface ReplacedValue {
  interval_start: string;
  kwh: string;
  source: 'own_measurement' | 'metering_operator';
  kept_at: string;
  replaced_at: string;
}

/** Final values that were replaced, by quarter hour and in the order of the imports. */
export function listReplacedUsage(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
  { from, until }: Span,
  rowsMax: number,
): Promise<ReplacedValue[]> {
  return connection
    .selectFrom('replaced_usage')
    .select(['interval_start', 'kwh', 'source', 'kept_at', 'replaced_at'])
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('interval_start', '>=', instantOf(from))
    .where('interval_start', '<', instantOf(until))
    .orderBy('interval_start')
    .orderBy('id')
    .limit(rowsMax)
    .execute();
}

/** By the role for maintenance: the service cannot delete here. Returns how many days. */
export async function deleteOldUsageDays(
  connection: Connection,
  before: CalendarDay,
  daysMax: number,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_old_usage_days(${before}, ${daysMax}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}

export const instantOf = (milliseconds: number) => new Date(milliseconds).toISOString();
