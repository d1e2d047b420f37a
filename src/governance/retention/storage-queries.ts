import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';

/** A hypertable as operators see it. */
export interface StoredHypertable {
  hypertable: string;
  chunks: number;
  compressed_chunks: number;
  /** As the server's statistics say. */
  rows_estimated: number;
  bytes: number;
  index_bytes: number;
  /** Of what was compressed; null where nothing can be: the Apache edition. */
  bytes_before_compression: number | null;
  bytes_after_compression: number | null;
  oldest_at: string | null;
  newest_until: string | null;
  next_compression_at: string | null;
  /** As the last removal of old records was told; 0: without limit, null: it never ran. */
  kept_months: number | null;
}

export async function listHypertables(connection: Connection): Promise<StoredHypertable[]> {
  const { rows } = await sql<StoredHypertable>`SELECT * FROM list_hypertables()`.execute(connection);
  return rows;
}
