import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../platform/db.ts';
import { isConnectionDoubtful, SQLSTATE, sqlState } from '../platform/pg-errors.ts';
import type { MergedRows } from './merge.ts';
import { copySnapshots } from './queries.ts';
import { RowCountMismatch } from './redo.ts';

/** Thrown when the connection broke while COMMIT was under way: all of the group is stored, or nothing. */
export class CommitUnknown extends Error {}

/** One transaction: all rows, checked, committed. Only when this returns may anybody be answered. */
export function writeGroup(database: Database, { buffer, rows }: MergedRows): Promise<void> {
  return database.withClient(async (client) => {
    try {
      const stored = await copySnapshots(client, buffer);
      if (stored !== rows) throw new RowCountMismatch(rows, stored);
    } catch (error) {
      if (!isConnectionDoubtful(error)) await client.query('ROLLBACK');
      throw error;
    }
    let command: string;
    try {
      ({ command } = await client.query('COMMIT'));
    } catch (error) {
      if (isConnectionDoubtful(error)) throw new CommitUnknown('No answer to COMMIT', { cause: error });
      throw error;
    }
    /* The server answers the COMMIT of a failed transaction with ROLLBACK and no error. */
    if (command !== 'COMMIT') throw new RowCountMismatch(rows, 0);
  });
}

const RETRIES_MAX = 3;
const PAUSE_MILLISECONDS = { min: 10, max: 100 } as const;

/** Repeats a transaction that lost against another one; `codes` are those after which a repetition can succeed. */
export async function withRetries<Result>(
  codes: readonly string[],
  onRetry: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === RETRIES_MAX || !codes.includes(sqlState(error) ?? '')) throw error;
      onRetry();
      await wait(randomInt(PAUSE_MILLISECONDS.min, PAUSE_MILLISECONDS.max + 1));
    }
  }
}

/** Two transactions stood in each other's way. */
export const LOST_RACE = [SQLSTATE.serializationFailure, SQLSTATE.deadlockDetected] as const;
/** Beside stored rows a unique violation is a race as well: somebody stored the row after we looked. */
export const LOST_RACE_FOR_ROW = [...LOST_RACE, SQLSTATE.uniqueViolation] as const;
