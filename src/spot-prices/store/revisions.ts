import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DayGrid, startText, type Zone } from '../calendar.ts';
import type { RealizedSource } from '../providers/index.ts';
import type { PricePoint } from '../series.ts';
import { instantText } from './fetch-records.ts';

export interface NewValues {
  readonly source: RealizedSource;
  readonly zone: Zone;
  readonly grid: DayGrid;
  readonly points: readonly PricePoint[];
  readonly fetchId: number;
  readonly capturedAt: number;
}

export interface WrittenRevision {
  readonly interval_start: string;
  readonly revision: number;
}

/**
 * Writes what is new: the first value of an interval is revision 1, another one than the newest is the next revision, an
 * equal one writes nothing. What an answer leaves out stays as it is.
 */
export async function insertRevisions(connection: Connection, values: NewValues): Promise<WrittenRevision[]> {
  const { source, zone, grid, points, fetchId, capturedAt } = values;
  const starts = points.map((point) => startText(point.start));
  const amounts = points.map((point) => point.eurMwh);
  const { rows } = await sql<WrittenRevision>`
    WITH newest AS (
      SELECT DISTINCT ON (interval_start) interval_start, revision, amount
        FROM price_revisions
       WHERE zone = ${zone} AND source = ${source} AND minutes = ${grid.minutes}
         AND interval_start >= ${startText(grid.from)} AND interval_start < ${startText(grid.to)}
       ORDER BY interval_start, revision DESC)
    INSERT INTO price_revisions (source, zone, interval_start, minutes, revision, amount, fetch_id, captured_at)
    SELECT ${source}, ${zone}, given.start, ${grid.minutes}, coalesce(newest.revision, 0) + 1, given.amount,
           ${fetchId}, ${instantText(capturedAt)}
      FROM unnest(${starts}::timestamptz[], ${amounts}::numeric[]) AS given (start, amount)
      LEFT JOIN newest ON newest.interval_start = given.start
     WHERE newest.amount IS DISTINCT FROM given.amount
    RETURNING interval_start, revision`.execute(connection);
  return rows;
}

/** That the source gave values for the day; its state is judged afterwards. */
export async function upsertSourceDay(
  connection: Connection,
  { source, zone, grid, capturedAt }: NewValues,
): Promise<void> {
  await sql`
    INSERT INTO price_source_days (zone, delivery_on, source, interval_count, state, first_captured_at, last_captured_at)
    VALUES (${zone}, ${grid.deliveryOn}, ${source}, 0, 'partial', ${instantText(capturedAt)}, ${instantText(capturedAt)})
    ON CONFLICT (zone, delivery_on, source) DO UPDATE SET last_captured_at = excluded.last_captured_at`.execute(
    connection,
  );
}
