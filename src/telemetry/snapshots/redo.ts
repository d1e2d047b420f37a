import type { Clock } from '../../platform/clock.ts';
import { type Connection, clientOf, type Database } from '../../platform/database/db.ts';
import { engineOf } from '../../platform/database/engine.ts';
import type { Tenant } from '../../platform/principal.ts';
import type { Batch } from './batch.ts';
import { lateQuarterHours, onTimeSince } from './late.ts';
import { copyStreamOf } from './merge.ts';
import {
  boundTime,
  copyIntoStaging,
  copyMissing,
  insertFromStaging,
  insertLateQuarterHours,
  listStoredRuns,
} from './queries.ts';
import { compareRun, type RowComparison, type RowContradiction } from './stored-rows.ts';
import { weeksOf } from './weeks.ts';

export type WrittenBatch =
  | { readonly stored: number }
  | { readonly contradictions: readonly RowContradiction[] };

/** Thrown to roll the transaction back. */
class ContradictedBatch extends Error {
  readonly rows: readonly RowContradiction[];

  constructor(rows: readonly RowContradiction[]) {
    super('Other values are stored for the same assets and timestamps');
    this.rows = rows;
  }
}

/**
 * Writes one batch that meets stored rows: equal ones stay as they are, missing ones are added, different ones refuse
 * the whole batch. What is stored at the instants of the batch is read first, so that only missing rows go through the
 * staging table: the last day sent again with 60 new rows costs little more than a batch that is stored already.
 */
export async function writeBesideStored(
  { database, clock }: { database: Database; clock: Clock },
  tenant: Tenant,
  batch: Batch,
): Promise<WrittenBatch> {
  try {
    return await database.inOrganization(tenant, async (connection) => {
      await boundTime(connection);
      const { missing, missingRows } = await compareWithStored(connection, batch);
      if (missingRows === 0) return { stored: 0 };
      const stored = await storeMissing(connection, batch, { missing, missingRows });
      const since = onTimeSince(clock);
      if (batch.start < since) {
        await insertLateQuarterHours(clientOf(connection), lateQuarterHours(missing, since));
      }
      return { stored };
    });
  } catch (error) {
    if (error instanceof ContradictedBatch) return { contradictions: error.rows };
    throw error;
  }
}

/** Gives how many of the missing rows it stored. Another writer stored the others meanwhile, with the same values. */
async function storeMissing(
  connection: Connection,
  batch: Batch,
  { missing, missingRows }: Pick<RowComparison, 'missing' | 'missingRows'>,
): Promise<number> {
  const bytes = copyStreamOf(missing);
  const isStaged = (await engineOf(clientOf(connection))) === 'timescaledb';
  const { table } = batch.encoded;
  const sent = await (isStaged ? copyIntoStaging : copyMissing)(connection, bytes, table);
  if (sent !== missingRows) throw new RowCountMismatch(missingRows, sent);
  if (!isStaged) return sent;
  const stored = await insertFromStaging(connection, table);
  if (stored < missingRows) await requireStored(connection, batch);
  return stored;
}

/** Somebody stored some of the missing rows after we looked: they have to be the same. */
async function requireStored(connection: Connection, batch: Batch): Promise<void> {
  const { missingRows } = await compareWithStored(connection, batch);
  if (missingRows > 0) throw new RowCountMismatch(batch.encoded.rows, batch.encoded.rows - missingRows);
}

async function compareWithStored(connection: Connection, batch: Batch): Promise<RowComparison> {
  const found: RowComparison = { contradictions: [], missing: [], missingRows: 0 };
  for (const week of weeksOf(batch)) {
    const stored = await listStoredRuns(connection, week);
    for (const [index, run] of week.runs.entries()) {
      const ofRun = stored[index];
      if (ofRun === undefined) throw new RowCountMismatch(week.runs.length, stored.length);
      compareRun(batch.encoded, run, ofRun, found);
    }
  }
  if (found.contradictions.length > 0) throw new ContradictedBatch(found.contradictions);
  return found;
}

/** The database took another number of rows than it was sent: nothing of it may be kept. */
export class RowCountMismatch extends Error {
  constructor(sent: number, stored: number) {
    super(`${sent} rows were sent and ${stored} stored`);
  }
}
