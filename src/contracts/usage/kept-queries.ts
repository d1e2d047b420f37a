import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import {
  addMonths,
  type BerlinDay,
  berlinMidnight,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import type { Span } from './intervals.ts';
import { instantOf, type MonthDays, multirangeOf, type Owner } from './queries.ts';

/*
 * Writing what is final. Each transaction writes for one contract and begins with its lock, so that two of them cannot
 * wait for each other; then quarter hours in ascending order, then the sums of their days.
 */

/** Held until the end of the transaction: imports and settlements of one contract come one after the other. */
export async function lockUsage(
  connection: Connection,
  { organization, subscription }: Omit<Owner, 'customer'>,
): Promise<void> {
  const name = `usage ${organization} ${subscription}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(connection);
}

/** Quarter hours as columns: starts in UTC, ascending, and kWh as decimal texts. */
export interface QuarterHourColumns {
  readonly starts: readonly string[];
  readonly kwh: readonly string[];
}

/**
 * Stores values of the metering operator. Kept values that differ, in value or in source, go into the history first. A month
 * in which something differs is marked, so that its bill is looked at again.
 */
export async function upsertImported(
  connection: Connection,
  { organization, customer, subscription }: Owner,
  { starts, kwh }: QuarterHourColumns,
  { months, now }: { months: readonly CalendarDay[]; now: string },
): Promise<{ replaced: number }> {
  const { numAffectedRows } = await sql`
    INSERT INTO replaced_usage
      (organization_id, customer_id, subscription_id, interval_start, kwh, source, kept_at, replaced_at)
    SELECT kept.organization_id, kept.customer_id, kept.subscription_id, interval_start, kept.kwh, kept.source,
           kept.kept_at, ${now}::timestamptz
      FROM unnest(${starts}::timestamptz[], ${kwh}::numeric[]) AS sent (interval_start, kwh)
      JOIN usage_quarter_hours AS kept USING (interval_start)
     WHERE kept.organization_id = ${organization} AND kept.subscription_id = ${subscription}
       AND (kept.kwh, kept.source) IS DISTINCT FROM (sent.kwh, 'metering_operator')
     ORDER BY interval_start`.execute(connection);
  await sql`
    WITH written AS (
      INSERT INTO usage_quarter_hours
        (organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source)
      SELECT ${organization}, ${customer}, ${subscription}, interval_start, kwh, ${now}::timestamptz, 'metering_operator'
        FROM unnest(${starts}::timestamptz[], ${kwh}::numeric[]) AS sent (interval_start, kwh)
          ON CONFLICT (organization_id, subscription_id, interval_start)
          DO UPDATE SET kwh = excluded.kwh, kept_at = excluded.kept_at, source = excluded.source
          WHERE (usage_quarter_hours.kwh, usage_quarter_hours.source) IS DISTINCT FROM (excluded.kwh, excluded.source)
      RETURNING interval_start)
    UPDATE settled_usage_months AS settled
       SET changed_at = ${now}::timestamptz
      FROM unnest(${months}::date[], ${months.map((month) => berlinMidnight(month))}::timestamptz[],
                  ${months.map((month) => berlinMidnight(addMonths(month, 1)))}::timestamptz[])
             AS imported (month, begins, ends)
     WHERE settled.organization_id = ${organization} AND settled.subscription_id = ${subscription}
       AND settled.month = imported.month
       AND EXISTS (SELECT FROM written WHERE interval_start >= begins AND interval_start < ends)`.execute(
    connection,
  );
  return { replaced: Number(numAffectedRows) };
}

/** Own measurements, where nothing is known yet. */
export async function insertMeasured(
  connection: Connection,
  { organization, customer, subscription }: Owner,
  { starts, kwh }: QuarterHourColumns,
  now: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO usage_quarter_hours
      (organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source)
    SELECT ${organization}, ${customer}, ${subscription}, interval_start, kwh, ${now}::timestamptz, 'own_measurement'
      FROM unnest(${starts}::timestamptz[], ${kwh}::numeric[]) AS measured (interval_start, kwh)
        ON CONFLICT DO NOTHING`.execute(connection);
  return Number(numAffectedRows);
}

/** Adds up what is kept of some days: one range of the index for each of them. */
export async function upsertDaySums(
  connection: Connection,
  { organization, customer, subscription }: Owner,
  days: readonly (BerlinDay & { ends: number })[],
): Promise<void> {
  await sql`
    INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
    SELECT ${organization}, ${customer}, ${subscription}, span.day, kept.kwh, kept.count
      FROM unnest(${days.map(({ day }) => day)}::date[],
                  ${days.map(({ begins }) => instantOf(begins))}::timestamptz[],
                  ${days.map(({ ends }) => instantOf(ends))}::timestamptz[]) AS span (day, begins, ends)
     CROSS JOIN LATERAL (
             SELECT sum(kwh) AS kwh, count(*) AS count
               FROM usage_quarter_hours
              WHERE organization_id = ${organization} AND subscription_id = ${subscription}
                AND interval_start >= span.begins AND interval_start < span.ends) AS kept
     WHERE kept.count > 0
        ON CONFLICT (organization_id, subscription_id, day)
        DO UPDATE SET kwh = excluded.kwh, quarter_hours = excluded.quarter_hours`.execute(connection);
}

/** False when these days of the month are settled already. */
export async function upsertSettledMonth(
  connection: Connection,
  { organization, customer, subscription }: Owner,
  { month, days }: MonthDays,
  now: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO settled_usage_months AS known
      (organization_id, customer_id, subscription_id, month, days, settled_at)
    VALUES (${organization}, ${customer}, ${subscription}, ${month}, ${multirangeOf(days)}::datemultirange,
            ${now}::timestamptz)
        ON CONFLICT (organization_id, subscription_id, month) DO UPDATE
       SET days = known.days + excluded.days, changed_at = excluded.settled_at
     WHERE NOT known.days @> excluded.days`.execute(connection);
  return Number(numAffectedRows) === 1;
}

const SUPPLIED_COLUMNS = [
  'id',
  'type',
  'customer_id',
  'household_id',
  'meter_id',
  'start_at',
  'end_at',
] as const;

export type SuppliedContract = Pick<SubscriptionRow, (typeof SUPPLIED_COLUMNS)[number]>;

/** Some contracts by id, behind `after`: those of them that are to be settled, and the last one that was looked at. */
export interface SettledPortion {
  due: SuppliedContract[];
  /** Null: there is none behind it. */
  last: string | null;
}

/**
 * Contracts that were supplied, and whose meter was smart, at some moment of a month and that are not settled for it. Looks
 * at a number of contracts, not for a number of them: where few have a smart meter, the statement would read all of the
 * organization.
 */
export async function listUnsettledContracts(
  connection: Connection,
  organization: string,
  month: CalendarDay,
  { from, until }: Span,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<SettledPortion> {
  const rows = await connection
    .selectFrom((query) =>
      query
        .selectFrom('subscriptions')
        .select([...SUPPLIED_COLUMNS, 'organization_id'])
        .where('organization_id', '=', organization)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsMax)
        .as('contract'),
    )
    .select(SUPPLIED_COLUMNS)
    .select(
      /* A scalar answer for each contract: as a join it would put the states of all meters together. */
      sql<boolean>`
        coalesce(start_at < ${instantOf(until)}::timestamptz, false)
        AND coalesce(end_at, 'infinity') > ${instantOf(from)}::timestamptz
        AND NOT EXISTS (
              SELECT FROM settled_usage_months AS settled
               WHERE settled.organization_id = contract.organization_id AND settled.subscription_id = contract.id
                 AND settled.month = ${month}::date)
        AND coalesce((
              SELECT bool_or(state.type = 'smart') FROM meter_states AS state
               WHERE state.organization_id = contract.organization_id AND state.meter_id = contract.meter_id
                 AND state.valid_from < ${addMonths(month, 1)}::date AND state.valid_until > ${month}::date), false)`.as(
        'is_due',
      ),
    )
    .orderBy('id')
    .execute();
  const last = rows.length < rowsMax ? null : (rows.at(-1)?.id ?? null);
  return { due: rows.filter(({ is_due }) => is_due).map(({ is_due: _, ...contract }) => contract), last };
}
