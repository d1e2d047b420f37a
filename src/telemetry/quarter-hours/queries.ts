import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { RemovalLimits } from '../../platform/retention.ts';

/*
 * By the role for maintenance: these functions run as the owner of the tables (sql/repeatable/quarter-hours.sql) and look at
 * the assets of all organizations.
 */

/** How far the sums have come. */
export interface Progress {
  /** Null: the job never ran. */
  summed_until: string | null;
  summed_at: string | null;
  /** Entries that wait to be summed again, counted up to a number. */
  late_entries: number;
  oldest_late_at: string | null;
}

export async function findProgress(connection: Connection, entriesCountedMax: number): Promise<Progress> {
  const { rows } =
    await sql<Progress>`SELECT * FROM find_quarter_hour_progress(${entriesCountedMax})`.execute(connection);
  const [progress] = rows;
  if (progress === undefined) throw new Error('The progress of the sums by quarter hour has no row');
  return progress;
}

/** The first instant from one on at which snapshots may be stored; null: there are none. */
export async function findStoredSince(connection: Connection, since: string): Promise<string | null> {
  const { rows } = await sql<{
    stored: string | null;
  }>`SELECT next_stored_snapshots(${since}) AS stored`.execute(connection);
  return rows[0]?.stored ?? null;
}

export interface Span {
  readonly begun: string;
  readonly ended: string;
}

/** Sums a span for the assets after a key; null where there was none left. */
export async function updateSums(
  connection: Connection,
  { begun, ended }: Span,
  { after, assetsMax }: { after: number; assetsMax: number },
): Promise<{ last_asset: number | null; sums_written: number }> {
  const { rows } = await sql<{ last_asset: number | null; sums_written: number }>`
    SELECT * FROM write_quarter_hours(${begun}, ${ended}, ${after}, ${assetsMax})`.execute(connection);
  return rows[0] ?? { last_asset: null, sums_written: 0 };
}

/** Sums again what the oldest entries of the queue name. */
export async function updateLateSums(
  connection: Connection,
  entriesMax: number,
): Promise<{ entries_taken: number; sums_written: number }> {
  const { rows } = await sql<{ entries_taken: number; sums_written: number }>`
    SELECT * FROM write_late_quarter_hours(${entriesMax})`.execute(connection);
  return rows[0] ?? { entries_taken: 0, sums_written: 0 };
}

/** Makes single quarter hours of the oldest entry. */
export async function updateOldestEntry(connection: Connection): Promise<void> {
  await sql`SELECT split_late_quarter_hours()`.execute(connection);
}

/** Quarter hours before the first instant are final; all know what was sent before the second. */
export async function updateProgress(connection: Connection, until: string, knownAt: string): Promise<void> {
  await sql`SELECT advance_quarter_hours(${until}, ${knownAt})`.execute(connection);
}

/** The oldest first. */
export async function deleteSumChunks(
  connection: Connection,
  { before, portion }: RemovalLimits,
): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    SELECT drop_old_quarter_hour_chunks(${before}, ${portion}) AS dropped`.execute(connection);
  return rows[0]?.dropped ?? 0;
}
