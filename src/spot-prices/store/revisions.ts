import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { type DayGrid, type DeliveryDay, startText, type Zone } from '../calendar.ts';
import type { RealizedSource } from '../providers/index.ts';
import type { PricePoint } from '../series.ts';
import { instantText } from './fetch-records.ts';

/** Days of one calendar month: the width of intervals changes with a month only. */
export interface NewValues {
  readonly source: RealizedSource;
  readonly zone: Zone;
  /** Ascending. */
  readonly days: readonly NewDay[];
}

export interface NewDay {
  readonly grid: DayGrid;
  readonly points: readonly PricePoint[];
  readonly fetchId: number;
  readonly capturedAt: number;
}

/**
 * Writes what is new: the first value of an interval is revision 1, another one than the newest is the next revision, an
 * equal one writes nothing. What an answer leaves out stays as it is. Returns the numbers of the revisions by day.
 */
export async function insertRevisions(
  connection: Connection,
  { source, zone, days }: NewValues,
): Promise<ReadonlyMap<DeliveryDay, number[]>> {
  const [first, last] = [days[0]?.grid, days.at(-1)?.grid];
  if (first === undefined || last === undefined) return new Map();
  const given = days.flatMap(({ points, ...day }) => points.map((point) => ({ ...day, ...point })));
  const { rows } = await sql<{ delivery_on: DeliveryDay; revision: number }>`
    WITH newest AS (
      SELECT DISTINCT ON (interval_start) interval_start, revision, amount
        FROM price_revisions
       WHERE zone = ${zone} AND source = ${source} AND minutes = ${first.minutes}
         AND interval_start >= ${startText(first.from)} AND interval_start < ${startText(last.to)}
       ORDER BY interval_start, revision DESC),
    given AS (
      SELECT *
        FROM unnest(${given.map(({ grid }) => grid.deliveryOn)}::date[],
                    ${given.map(({ start }) => startText(start))}::timestamptz[],
                    ${given.map(({ eurMwh }) => eurMwh)}::numeric[],
                    ${given.map(({ fetchId }) => fetchId)}::bigint[],
                    ${given.map(({ capturedAt }) => instantText(capturedAt))}::timestamptz[])
          AS given (delivery_on, start, amount, fetch_id, captured_at)),
    written AS (
      INSERT INTO price_revisions (source, zone, interval_start, minutes, revision, amount, fetch_id, captured_at)
      SELECT ${source}, ${zone}, given.start, ${first.minutes}, coalesce(newest.revision, 0) + 1, given.amount,
             given.fetch_id, given.captured_at
        FROM given
        LEFT JOIN newest ON newest.interval_start = given.start
       WHERE newest.amount IS DISTINCT FROM given.amount
      RETURNING interval_start, revision)
    SELECT given.delivery_on, written.revision
      FROM written JOIN given ON given.start = written.interval_start`.execute(connection);
  const revisions = Map.groupBy(rows, (row) => row.delivery_on);
  return new Map([...revisions].map(([day, written]) => [day, written.map(({ revision }) => revision)]));
}

/** When the source gave the newest of the day's values, in milliseconds since 1970; null without any. */
export async function findNewestCapture(
  connection: Connection,
  { source, zone, grid }: Pick<NewValues, 'source' | 'zone'> & Pick<NewDay, 'grid'>,
): Promise<number | null> {
  const { rows } = await sql<{ newest: number | null }>`
    SELECT (extract(epoch FROM max(captured_at)) * 1000)::bigint AS newest
      FROM price_revisions
     WHERE zone = ${zone} AND source = ${source} AND minutes = ${grid.minutes}
       AND interval_start >= ${startText(grid.from)} AND interval_start < ${startText(grid.to)}`.execute(
    connection,
  );
  return rows[0]?.newest ?? null;
}

/**
 * That the source gave values for the days; their state is judged afterwards. A release covers the values there were: it
 * ends with a new one.
 */
export async function upsertSourceDays(
  connection: Connection,
  { source, zone, days }: NewValues,
  revisedDays: readonly DeliveryDay[],
): Promise<void> {
  if (days.length === 0) return;
  await sql`
    INSERT INTO price_source_days AS day (zone, delivery_on, source, interval_count, state, first_captured_at,
                                          last_captured_at)
    SELECT ${zone}, given.delivery_on, ${source}, 0, 'partial', given.captured_at, given.captured_at
      FROM unnest(${days.map(({ grid }) => grid.deliveryOn)}::date[],
                  ${days.map(({ capturedAt }) => instantText(capturedAt))}::timestamptz[])
        AS given (delivery_on, captured_at)
    ON CONFLICT (zone, delivery_on, source) DO UPDATE
      SET last_captured_at = excluded.last_captured_at,
          released_at = CASE WHEN day.delivery_on = ANY (${[...revisedDays]}::date[]) THEN NULL
                             ELSE day.released_at END`.execute(connection);
}
