import type { Queue } from 'bullmq';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/db.ts';
import { SILENCE_MILLISECONDS_MAX } from './processor.ts';
import { updateRunsHandedOver, updateRunsNotHandedOver } from './queries.ts';

/** A run that waits longer than this in the queue was lost there. */
const LOST_AFTER_MILLISECONDS = 120_000;
/** In one round; as many as this going out means that there are more. */
export const RUNS_HANDED_OVER_MAX = 500;

export interface DispatcherParts {
  database: Database;
  clock: Clock;
  queue: Pick<Queue, 'addBulk'>;
}

/**
 * Hands due runs to the queue. Each handing over has its own message id: a message with the id of one that the queue
 * still keeps would be ignored. Returns how many went out.
 */
export async function dispatch(parts: DispatcherParts): Promise<number> {
  const now = parts.clock.nowMilliseconds();
  const runs = await parts.database.asService((connection) =>
    updateRunsHandedOver(
      connection,
      {
        nowMilliseconds: now,
        nextMilliseconds: now + LOST_AFTER_MILLISECONDS,
        silentSinceMilliseconds: now - SILENCE_MILLISECONDS_MAX,
      },
      RUNS_HANDED_OVER_MAX,
    ),
  );
  if (runs.length === 0) return 0;
  try {
    await parts.queue.addBulk(
      runs.map((run) => ({
        name: 'run',
        data: { run: run.id },
        opts: { jobId: `run-${run.id}-${run.attempts}` },
      })),
    );
  } catch (error) {
    const ids = runs.map((run) => run.id);
    await parts.database.asService((connection) => updateRunsNotHandedOver(connection, ids, now));
    throw error;
  }
  return runs.length;
}
