import type pg from 'pg';
import { type Clock, elapsedSeconds } from '../../platform/clock.ts';
import { CommitUnknown, type Database, isCommitted } from '../../platform/database/db.ts';
import { isConnectionDoubtful } from '../../platform/database/pg-errors.ts';
import { lateQuarterHours, onTimeSince } from './late.ts';
import { type MergedRows, rowsOfStream } from './merge.ts';
import { copyManySnapshots, copySnapshots, copySnapshotsBehind, insertLateQuarterHours } from './queries.ts';

/** The database took another number of rows than it was sent: nothing of it may be kept. */
export class RowCountMismatch extends Error {
  constructor(sent: number, stored: number) {
    super(`${sent} rows were sent and ${stored} stored`);
  }
}

/** Thrown when nothing of the group is stored, and its batches have to be written where all rows are seen. */
export class NotInThisPlace extends Error {}

/** Handlers have 20 seconds: what failed after more than this is not tried once more. */
export const REPEAT_WITHIN_SECONDS = 5;

/** From here on the rows cost more than the commit, and a second connection does more good than a fuller group. */
export const LARGE_GROUP_ROWS = 5_000;

/** A connection and the groups that were written on it, one behind the other. */
interface CommitLane {
  readonly client: pg.PoolClient;
  readonly groups: Promise<void>[];
  /** The one that was written last; never rejects. */
  last: Promise<void>;
}

/**
 * One transaction: all rows, checked, committed. Only when this resolves may anybody be answered. `onCommitting` is called
 * when COMMIT has been sent; a group that is written inside it follows on the same connection at once.
 */
export type WriteGroup = (group: MergedRows, onCommitting: () => void) => Promise<void>;

/** Handles a group with rows before this instant, which may be summed already, in its transaction. */
export type OnLate = (client: pg.PoolClient, group: MergedRows, since: number) => Promise<void>;

/**
 * The rows of a group have to be counted before its COMMIT. So the server waits for this process twice in each group, each
 * time for as long as the event loop is busy. That the next group stands behind the COMMIT already takes one of the two
 * away: 2,950 batches of 100 rows a second in place of 2,730.
 */
export function createGroupWrites(database: Database, clock: Clock, onLate: OnLate = askForSums): WriteGroup {
  let committing: CommitLane | null = null;

  function put(
    lane: CommitLane,
    copied: Promise<number>,
    group: MergedRows,
    onCommitting: () => void,
  ): Promise<void> {
    const committed = commitCopied(lane.client, clock, onLate, copied, group, () => {
      committing = lane;
      onCommitting();
      committing = null;
    });
    lane.groups.push(committed);
    lane.last = committed.catch(() => {});
    return committed;
  }

  return (group, onCommitting) => {
    const { buffer, table } = group;
    const isLarge = group.rows >= LARGE_GROUP_ROWS;
    const copy = isLarge ? copyManySnapshots : copySnapshots;
    const lane = committing;
    const started = performance.now();
    if (lane !== null) {
      committing = null;
      const copied = isLarge
        ? lane.last.then(() => copy(lane.client, buffer, table))
        : copySnapshotsBehind(lane.client, buffer, table);
      /* The connection was lost with the COMMIT before it, and nothing of this group was committed. */
      return put(lane, copied, group, onCommitting).catch((error: Error) => {
        const isOver = elapsedSeconds(started) > REPEAT_WITHIN_SECONDS;
        if (isOver || error instanceof CommitUnknown || !isConnectionDoubtful(error)) throw error;
        return alone();
      });
    }
    return alone();

    function alone(): Promise<void> {
      return new Promise((resolve, reject) => {
        database
          .withClient((client) => {
            const first: CommitLane = { client, groups: [], last: Promise.resolve() };
            resolve(put(first, copy(client, buffer, table), group, onCommitting));
            return allEnded(first);
          })
          .catch(reject);
      });
    }
  };
}

/**
 * Groups may join while this waits. A failure that leaves the connection in doubt is thrown, so that it is not used again.
 */
async function allEnded({ groups }: CommitLane): Promise<void> {
  let doubt: Error | undefined;
  /* Taken out one by one: under a load without a break the line has no end. */
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    await group.catch((error: Error) => {
      if (isConnectionDoubtful(error)) doubt = error;
    });
  }
  if (doubt !== undefined) throw doubt;
}

async function commitCopied(
  client: pg.PoolClient,
  clock: Clock,
  onLate: OnLate,
  copied: Promise<number>,
  group: MergedRows,
  onCommitting: () => void,
): Promise<void> {
  const { rows } = group;
  try {
    const stored = await copied;
    if (stored !== rows) throw new RowCountMismatch(rows, stored);
    /*
     * Asked when nothing but COMMIT is left to do: however long the rows waited for a connection, whoever sums the
     * quarter hour of those that are on time now begins with it later than their commit.
     */
    const since = onTimeSince(clock);
    if (group.start < since) await onLate(client, group, since);
  } catch (error) {
    if (!isConnectionDoubtful(error)) await client.query('ROLLBACK');
    throw error;
  }
  const committed = isCommitted(client);
  onCommitting();
  if (!(await committed)) throw new RowCountMismatch(rows, 0);
}

async function askForSums(client: pg.PoolClient, group: MergedRows, since: number): Promise<void> {
  await insertLateQuarterHours(client, lateQuarterHours([rowsOfStream(group)], since));
}
