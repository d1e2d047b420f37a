import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/db.ts';
import { isDatabaseUnavailable, SQLSTATE, sqlState } from '../../../platform/database/pg-errors.ts';
import { createGroupWrites, NotInThisPlace, type WriteGroup } from '../group.ts';

/**
 * COPY into the table, on a worker: Citus writes the shards that lie there in the worker's own transaction, with one COMMIT
 * and the errors of an ordinary server. A row whose shard has moved it sends on by itself, in two phases. Whatever else a
 * worker does not take is left to the coordinator, which knows the cluster as it is now.
 */
export function groupWritesOnNode(
  database: Database,
  clock: Clock,
  onRefused: (error: unknown) => void,
): WriteGroup {
  const write = createGroupWrites(database, clock, refuseLate);
  return async (group, onCommitting) => {
    try {
      await write(group, onCommitting);
    } catch (error) {
      if (!isRefusedByNode(error)) throw error;
      onRefused(error);
      throw new NotInThisPlace('The node did not take the group', { cause: error });
    }
  };
}

/** What asks for sums anew is a table of the coordinator: rows and question could not be committed together here. */
async function refuseLate(): Promise<void> {
  throw new NotInThisPlace('Rows became late while they waited');
}

/**
 * The server answered and stored nothing, for a reason that is not in the rows: it is a standby now, or does not know the table.
 * A server that is away, full or busy would be no better through the coordinator, and equal rows are compared there anyway.
 */
export function isRefusedByNode(error: unknown): boolean {
  const code = sqlState(error);
  return code !== undefined && code !== SQLSTATE.uniqueViolation && !isDatabaseUnavailable(error);
}
