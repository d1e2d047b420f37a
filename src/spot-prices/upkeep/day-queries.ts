import { sql } from 'kysely';
import type { PriceKind } from '../../config/prices.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { RealizedSource } from '../providers/index.ts';

/* Statements about delivery days as a whole: which are there, which are not, who was asked for them and when. */

const instant = (milliseconds: number) => sql`${new Date(milliseconds).toISOString()}::timestamptz`;

/** The oldest day of which any source gave a value; that somebody asked for a day in vain is no beginning. */
export async function findOldestDay(connection: Connection, zone: Zone): Promise<DeliveryDay | null> {
  const { rows } = await sql<{ oldest: DeliveryDay | null }>`
    SELECT min(delivery_on) AS oldest FROM price_source_days WHERE zone = ${zone}`.execute(connection);
  return rows[0]?.oldest ?? null;
}

export async function findNewestCompleteDay(connection: Connection, zone: Zone): Promise<DeliveryDay | null> {
  const { rows } = await sql<{ newest: DeliveryDay | null }>`
    SELECT max(delivery_on) AS newest
      FROM price_days
     WHERE zone = ${zone} AND state = 'complete'`.execute(connection);
  return rows[0]?.newest ?? null;
}

/**
 * Those of the days for which every one of the feeds said, at its last answer since the instant, that it does not have
 * all of it. A feed that failed or was not asked leaves the question open; an imported file is no answer.
 */
export async function listDaysAnsweredInVain(
  connection: Connection,
  zone: Zone,
  days: readonly DeliveryDay[],
  sources: readonly RealizedSource[],
  sinceMilliseconds: number,
): Promise<DeliveryDay[]> {
  const { rows } = await sql<{ delivery_on: DeliveryDay }>`
    SELECT day.delivery_on
      FROM unnest(${[...days]}::date[]) AS day (delivery_on)
     WHERE NOT EXISTS (
             SELECT
               FROM unnest(${[...sources]}::text[]) AS source (name)
              WHERE coalesce((
                      SELECT attempt.outcome NOT IN ('not_published', 'partial')
                        FROM price_fetches AS attempt
                       WHERE attempt.zone = ${zone} AND attempt.source = source.name
                         AND day.delivery_on BETWEEN attempt.delivery_from AND attempt.delivery_to
                         AND attempt.captured_at >= ${instant(sinceMilliseconds)}
                         AND attempt.url LIKE 'http%'
                       ORDER BY attempt.captured_at DESC, attempt.id DESC
                       LIMIT 1), true))
     ORDER BY day.delivery_on`.execute(connection);
  return rows.map((row) => row.delivery_on);
}

/** Of 2,420 real days, 8 were suspect. */
const SUSPECT_DAYS_MAX = 1_000;

/**
 * Days of which any source is kept as suspect, oldest first; without those of which the operator keeps what is served of it. His
 * choice ended the alarm about what was held back then: one that stands again is about other values.
 */
export async function listSuspectDays(
  connection: Connection,
): Promise<{ zone: Zone; delivery_on: DeliveryDay }[]> {
  const { rows } = await sql<{ zone: Zone; delivery_on: DeliveryDay }>`
    SELECT DISTINCT zone, delivery_on
      FROM price_source_days AS held
      LEFT JOIN price_days AS day USING (zone, delivery_on)
     WHERE held.state = 'suspect'
       AND (day.preferred_source IS DISTINCT FROM held.source
            OR EXISTS (SELECT FROM price_alarms AS alarm
                        WHERE alarm.kind = 'suspect' AND alarm.source = held.source AND alarm.zone = held.zone
                          AND alarm.delivery_on = held.delivery_on AND alarm.resolved_at IS NULL))
     ORDER BY delivery_on
     LIMIT ${SUSPECT_DAYS_MAX}`.execute(connection);
  return rows;
}

/** Days with an alarm of this kind that stands although the day is complete. */
export async function listCompleteDaysWithAlarm(
  connection: Connection,
  zone: Zone,
  kind: string,
): Promise<DeliveryDay[]> {
  const { rows } = await sql<{ delivery_on: DeliveryDay }>`
    SELECT DISTINCT alarm.delivery_on
      FROM price_alarms AS alarm
      JOIN price_days AS day ON day.zone = alarm.zone AND day.delivery_on = alarm.delivery_on
     WHERE alarm.zone = ${zone} AND alarm.kind = ${kind} AND alarm.resolved_at IS NULL
       AND day.state = 'complete'
     ORDER BY alarm.delivery_on`.execute(connection);
  return rows.map((row) => row.delivery_on);
}

/** Of which kind the stored prices are; null: none are stored, or files alone. A database holds one kind for good. */
export async function findPriceKind(connection: Connection): Promise<PriceKind | null> {
  const { rows } = await sql<{ kind: PriceKind }>`SELECT kind FROM price_kind`.execute(connection);
  return rows[0]?.kind ?? null;
}
