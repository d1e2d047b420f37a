import type { Connection, Database } from '../platform/db.ts';
import type { Tenant } from '../platform/principal.ts';
import type { Batch } from './batch.ts';
import {
  copyIntoStaging,
  type DifferentRow,
  insertFromStaging,
  listDifferentRows,
  listStoredRuns,
} from './queries.ts';
import { isStoredAlready } from './stored-rows.ts';

/** A row whose asset and timestamp are taken by other values; the batch was not written. */
export type Contradiction = DifferentRow;

export type Written = { readonly stored: number } | { readonly contradictions: readonly Contradiction[] };

/** Thrown to roll the transaction back. */
class Contradicted extends Error {
  readonly rows: readonly Contradiction[];

  constructor(rows: readonly Contradiction[]) {
    super('Other values are stored for the same assets and timestamps');
    this.rows = rows;
  }
}

/**
 * Writes one batch that meets stored rows: equal ones stay as they are, missing ones are added, different ones refuse
 * the whole batch. The usual case is a client that sends a batch again, and one read answers it; it is a third of the
 * work of the staging table.
 */
export async function writeBesideStored(database: Database, tenant: Tenant, batch: Batch): Promise<Written> {
  try {
    return await database.inOrganization(tenant, async (connection) => {
      if (isStoredAlready(batch, await listStoredRuns(connection, batch))) return { stored: 0 };
      return { stored: await writeThroughStaging(connection, batch) };
    });
  } catch (error) {
    if (error instanceof Contradicted) return { contradictions: error.rows };
    throw error;
  }
}

async function writeThroughStaging(connection: Connection, batch: Batch): Promise<number> {
  const { buffer, rows } = batch.encoded;
  const staged = await copyIntoStaging(connection, buffer);
  if (staged !== rows) throw new RowCountMismatch(rows, staged);
  const inserted = await insertFromStaging(connection);
  const different = await listDifferentRows(connection, batch);
  const contradictions = different.filter((row) => row.found);
  if (contradictions.length > 0) throw new Contradicted(contradictions);
  if (different.length > 0) throw new RowCountMismatch(rows, rows - different.length);
  return inserted;
}

/** The database took another number of rows than it was sent: nothing of it may be kept. */
export class RowCountMismatch extends Error {
  constructor(sent: number, stored: number) {
    super(`${sent} rows were sent and ${stored} stored`);
  }
}
