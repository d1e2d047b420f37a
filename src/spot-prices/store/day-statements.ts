import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DayGrid, type DeliveryDay, startText, type Zone } from '../calendar.ts';
import { meansSource } from '../providers/index.ts';
import { instantText } from './fetch-records.ts';

/* Statements about delivery days. Those that write run under the days' locks. */

/**
 * One writer of a day at a time, until the transaction ends: what is served is chosen from what all sources have, so two
 * choices must not overlap. Days ascending: whoever locks several waits in one direction only.
 */
export async function lockDayWrites(
  connection: Connection,
  zone: Zone,
  days: readonly DeliveryDay[],
): Promise<void> {
  const names = days.map((deliveryOn) => `spot prices written ${zone} ${deliveryOn}`);
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(${names}::text[]) AS name`.execute(
    connection,
  );
}

export interface SourceDayState {
  readonly deliveryOn: DeliveryDay;
  readonly source: string;
  readonly intervalCount: number;
  readonly state: 'complete' | 'partial' | 'suspect';
  /** Suspicion lifted now. */
  readonly releasedAt: number | null;
}

export async function updateSourceDays(
  connection: Connection,
  zone: Zone,
  days: readonly SourceDayState[],
): Promise<void> {
  if (days.length === 0) return;
  await sql`
    UPDATE price_source_days AS day
       SET interval_count = given.interval_count, state = given.state,
           released_at = coalesce(day.released_at, given.released_at)
      FROM unnest(${days.map(({ deliveryOn }) => deliveryOn)}::date[],
                  ${days.map(({ source }) => source)}::text[],
                  ${days.map(({ intervalCount }) => intervalCount)}::integer[],
                  ${days.map(({ state }) => state)}::text[],
                  ${days.map(({ releasedAt }) => textOrNull(releasedAt))}::timestamptz[])
        AS given (delivery_on, source, interval_count, state, released_at)
     WHERE day.zone = ${zone} AND day.delivery_on = given.delivery_on AND day.source = given.source`.execute(
    connection,
  );
}

const textOrNull = (milliseconds: number | null) =>
  milliseconds === null ? null : instantText(milliseconds);

export interface ChosenSource {
  readonly grid: DayGrid;
  readonly source: string;
}

/** Makes the served values of each day those of one source; returns the days on which that changed anything. */
export async function replaceServed(
  connection: Connection,
  zone: Zone,
  days: readonly ChosenSource[],
): Promise<ReadonlySet<DeliveryDay>> {
  if (days.length === 0) return new Set();
  /* LATERAL: each day by its index. */
  const { rows } = await sql<{ delivery_on: DeliveryDay }>`
    WITH chosen AS (
      SELECT *
        FROM unnest(${days.map(({ grid }) => grid.deliveryOn)}::date[],
                    ${days.map(({ grid }) => grid.minutes)}::smallint[],
                    ${days.map(({ grid }) => startText(grid.from))}::timestamptz[],
                    ${days.map(({ grid }) => startText(grid.to))}::timestamptz[],
                    ${days.map(({ source }) => source)}::text[])
          AS chosen (delivery_on, minutes, begins_at, ends_at, source)),
    newest AS (
      SELECT chosen.delivery_on, chosen.source, value.*
        FROM chosen
       CROSS JOIN LATERAL (
               SELECT DISTINCT ON (interval_start) interval_start, minutes, amount, revision
                 FROM price_revisions
                WHERE zone = ${zone} AND source = chosen.source AND minutes = chosen.minutes
                  AND interval_start >= chosen.begins_at AND interval_start < chosen.ends_at
                ORDER BY interval_start, revision DESC) AS value),
    removed AS (
      DELETE FROM spot_prices AS served USING chosen
       WHERE served.zone = ${zone} AND served.delivery_on = chosen.delivery_on
         AND served.interval_start NOT IN (SELECT interval_start FROM newest)
      RETURNING served.delivery_on),
    written AS (
      INSERT INTO spot_prices AS served (zone, interval_start, minutes, delivery_on, amount, source, revision)
      SELECT ${zone}, interval_start, minutes, delivery_on, amount, source, revision FROM newest
      ON CONFLICT (zone, interval_start) DO UPDATE
        SET minutes = excluded.minutes, delivery_on = excluded.delivery_on, amount = excluded.amount,
            source = excluded.source, revision = excluded.revision
        WHERE (served.source, served.revision) IS DISTINCT FROM (excluded.source, excluded.revision)
      RETURNING delivery_on)
    SELECT delivery_on FROM removed UNION SELECT delivery_on FROM written`.execute(connection);
  return new Set(rows.map((row) => row.delivery_on));
}

export interface DayState {
  readonly deliveryOn: DeliveryDay;
  readonly servedSource: string | null;
  readonly state: 'complete' | 'partial' | 'suspect';
  /** Whether anything served is different: the version goes up by one. */
  readonly changed: boolean;
  /** When a source said that it lacks intervals that nobody has, in milliseconds since 1970; null where none did. */
  readonly incompleteAt: number | null;
}

/**
 * Writes the state of the days and, with a change of what is served, their next version. The last instant at which a day
 * was seen incomplete and the one at which the last of its served values came bracket its publication. They stand still once
 * it is complete. Values that were held back came before their release.
 */
export async function upsertDays(
  connection: Connection,
  zone: Zone,
  days: readonly DayState[],
  nowMilliseconds: number,
): Promise<void> {
  const now = instantText(nowMilliseconds);
  await sql`
    WITH given AS (
      SELECT *
        FROM unnest(${days.map(({ deliveryOn }) => deliveryOn)}::date[],
                    ${days.map(({ servedSource }) => servedSource)}::text[],
                    ${days.map(({ state }) => state)}::text[],
                    ${days.map(({ changed }) => changed)}::boolean[],
                    ${days.map(({ incompleteAt }) => textOrNull(incompleteAt))}::timestamptz[])
          AS given (delivery_on, served_source, state, changed, incomplete_at)),
    written AS (
      INSERT INTO price_days AS day (zone, delivery_on, served_source, state, version, last_incomplete_at,
                                     first_complete_at, updated_at)
      SELECT ${zone}, delivery_on, served_source, state, changed::integer,
             incomplete_at,
             CASE WHEN state = 'complete'
                   AND NOT EXISTS (SELECT FROM price_days AS known
                                    WHERE known.zone = ${zone} AND known.delivery_on = given.delivery_on
                                      AND known.first_complete_at IS NOT NULL)
                  THEN (SELECT max((SELECT value.captured_at FROM price_revisions AS value
                                     WHERE value.zone = served.zone AND value.source = served.source
                                       AND value.interval_start = served.interval_start
                                       AND value.minutes = served.minutes AND value.revision = served.revision))
                          FROM spot_prices AS served
                         WHERE served.zone = ${zone} AND served.delivery_on = given.delivery_on) END,
             ${now}
        FROM given
      ON CONFLICT (zone, delivery_on) DO UPDATE
        SET served_source = excluded.served_source,
            state = excluded.state,
            version = day.version + excluded.version,
            last_incomplete_at = CASE WHEN day.first_complete_at IS NULL
                                      THEN greatest(day.last_incomplete_at, excluded.last_incomplete_at)
                                      ELSE day.last_incomplete_at END,
            first_complete_at = coalesce(day.first_complete_at, excluded.first_complete_at),
            updated_at = CASE WHEN excluded.version = 0 AND day.state = excluded.state
                               AND day.served_source IS NOT DISTINCT FROM excluded.served_source
                              THEN day.updated_at ELSE excluded.updated_at END
      RETURNING delivery_on, version)
    INSERT INTO price_day_changes (zone, delivery_on, version, served_source, changed_at)
    SELECT ${zone}, delivery_on, written.version, given.served_source, ${now}
      FROM written JOIN given USING (delivery_on)
     WHERE given.changed
     ORDER BY delivery_on`.execute(connection);
}

export async function updatePreferredSource(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
  source: string,
): Promise<void> {
  await sql`
    UPDATE price_days SET preferred_source = ${source}
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn}`.execute(connection);
}

/** Lifts the suspicion from every source of the day; their names. */
export async function updateReleased(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
  now: number,
): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    UPDATE price_source_days SET released_at = ${instantText(now)}
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn} AND state = 'suspect' AND released_at IS NULL
    RETURNING source`.execute(connection);
  return rows.map((row) => row.source);
}

/* When what is served of a day changed, and who has looked at it since. */

export interface DayChange {
  version: number;
  served_source: string;
  changed_at: string;
}

/** Newest first. */
export async function listDayChanges(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
  limit: number,
): Promise<DayChange[]> {
  const { rows } = await sql<DayChange>`
    SELECT version, served_source, changed_at
      FROM price_day_changes
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn}
     ORDER BY version DESC
     LIMIT ${limit}`.execute(connection);
  return rows;
}

/** Whether hourly means of the whole day came after its last change; null where the day is not served complete. */
export async function isComparedSinceChange(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<boolean | null> {
  const { rows } = await sql<{ compared: boolean }>`
    SELECT EXISTS (
             SELECT FROM price_fetches AS means
              WHERE means.source = ${meansSource.name} AND means.zone = ${zone} AND means.delivery_from = ${deliveryOn}
                AND means.outcome = 'published'
                AND means.captured_at >= (
                      SELECT max(changed_at) FROM price_day_changes
                       WHERE zone = ${zone} AND delivery_on = ${deliveryOn})) AS compared
      FROM price_days
     WHERE zone = ${zone} AND delivery_on = ${deliveryOn} AND state = 'complete'`.execute(connection);
  return rows[0]?.compared ?? null;
}
