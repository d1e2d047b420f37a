import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DayGrid, type DeliveryDay, startText, type Zone } from '../calendar.ts';
import { instantText } from './fetch-records.ts';

/* The writing statements about one delivery day. All of them run under the day's lock. */

/**
 * One writer of a day at a time, until the transaction ends: what is served is chosen from what all sources have, so two
 * choices must not overlap.
 */
export async function lockDayWrites(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<void> {
  const name = `spot prices written ${zone} ${deliveryOn}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(connection);
}

export async function updateSourceDay(
  connection: Connection,
  day: {
    zone: Zone;
    deliveryOn: DeliveryDay;
    source: string;
    intervalCount: number;
    state: 'complete' | 'partial' | 'suspect';
    /** Suspicion lifted now. */
    releasedAt: number | null;
  },
): Promise<void> {
  await sql`
    UPDATE price_source_days
       SET interval_count = ${day.intervalCount}, state = ${day.state},
           released_at = coalesce(released_at, ${day.releasedAt === null ? null : instantText(day.releasedAt)}::timestamptz)
     WHERE zone = ${day.zone} AND delivery_on = ${day.deliveryOn} AND source = ${day.source}`.execute(
    connection,
  );
}

export async function countServed(
  connection: Connection,
  zone: Zone,
  deliveryOn: DeliveryDay,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM spot_prices WHERE zone = ${zone} AND delivery_on = ${deliveryOn}`.execute(
    connection,
  );
  return rows[0]?.count ?? 0;
}

/** Makes the served values of a day those of one source, and tells how many rows that changed. */
export async function replaceServed(
  connection: Connection,
  zone: Zone,
  grid: DayGrid,
  source: string,
): Promise<number> {
  const { rows } = await sql<{ changed: number }>`
    WITH newest AS (
      SELECT DISTINCT ON (interval_start) interval_start, minutes, amount, revision
        FROM price_revisions
       WHERE zone = ${zone} AND source = ${source} AND minutes = ${grid.minutes}
         AND interval_start >= ${startText(grid.from)} AND interval_start < ${startText(grid.to)}
       ORDER BY interval_start, revision DESC),
    removed AS (
      DELETE FROM spot_prices
       WHERE zone = ${zone} AND delivery_on = ${grid.deliveryOn}
         AND interval_start NOT IN (SELECT interval_start FROM newest)
      RETURNING 1),
    written AS (
      INSERT INTO spot_prices AS served (zone, interval_start, minutes, delivery_on, amount, source, revision)
      SELECT ${zone}, interval_start, minutes, ${grid.deliveryOn}, amount, ${source}, revision FROM newest
      ON CONFLICT (zone, interval_start) DO UPDATE
        SET minutes = excluded.minutes, delivery_on = excluded.delivery_on, amount = excluded.amount,
            source = excluded.source, revision = excluded.revision
        WHERE (served.source, served.revision) IS DISTINCT FROM (excluded.source, excluded.revision)
      RETURNING 1)
    SELECT (SELECT count(*) FROM removed) + (SELECT count(*) FROM written) AS changed`.execute(connection);
  return rows[0]?.changed ?? 0;
}

export interface DayState {
  readonly zone: Zone;
  readonly deliveryOn: DeliveryDay;
  readonly servedSource: string | null;
  readonly state: 'complete' | 'partial' | 'suspect';
  /** Whether anything served is different: the version goes up by one. */
  readonly changed: boolean;
  /** When a source said what it has, in milliseconds since 1970; null where none was asked. */
  readonly seenAt: number | null;
  readonly now: number;
}

/**
 * Writes the day's state and, with a change of what is served, its next version. The last instant at which it was seen
 * incomplete and the first at which it was complete bracket its publication; they stand still after that.
 */
export async function upsertDay(connection: Connection, day: DayState): Promise<void> {
  const { zone, deliveryOn, servedSource, state, changed } = day;
  const now = instantText(day.now);
  const seen = day.seenAt === null ? null : instantText(day.seenAt);
  const incomplete = state === 'complete' ? null : seen;
  const complete = state === 'complete' ? (seen ?? now) : null;
  const { rows } = await sql<{ version: number }>`
    INSERT INTO price_days AS day (zone, delivery_on, served_source, state, version, last_incomplete_at,
                                   first_complete_at, updated_at)
    VALUES (${zone}, ${deliveryOn}, ${servedSource}, ${state}, ${changed ? 1 : 0}, ${incomplete}, ${complete}, ${now})
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
    RETURNING version`.execute(connection);
  if (!changed) return;
  await sql`
    INSERT INTO price_day_changes (zone, delivery_on, version, served_source, changed_at)
    VALUES (${zone}, ${deliveryOn}, ${rows[0]?.version ?? 1}, ${servedSource}, ${now})`.execute(connection);
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
