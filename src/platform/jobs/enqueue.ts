import type { z } from 'zod';
import { noteEnqueued } from '../database/after-commit.ts';
import type { Connection } from '../database/db.ts';
import { checkedPayload, type JobDefinition } from './jobs.ts';
import { insertRuns } from './queries.ts';

export interface RunRequest {
  /**
   * Makes the run once: asked for again with the same key, by anyone in the organization, nothing is written, whether the
   * first one waits, works, is done or was given up. Remembered for as long as finished runs are kept.
   */
  key?: string;
  /** From this instant on it may be started; now, or later. */
  runAt: string;
}

/**
 * Asks for a run of a job, in the caller's transaction: it leaves with the commit or not at all. It belongs to the
 * organization of the transaction. Returns whether it is new.
 */
export async function enqueue<Payload extends z.ZodType>(
  connection: Connection,
  definition: JobDefinition<Payload>,
  payload: z.input<Payload>,
  request: RunRequest,
): Promise<boolean> {
  return (await enqueueEach(connection, definition, [{ ...request, payload }])) === 1;
}

/** The same for many, in one statement. Returns how many are new. */
export async function enqueueEach<Payload extends z.ZodType>(
  connection: Connection,
  definition: JobDefinition<Payload>,
  runs: readonly (RunRequest & { payload: z.input<Payload> })[],
): Promise<number> {
  if (runs.length === 0) return 0;
  for (const { payload } of runs) checkedPayload(definition, payload);
  const added = await insertRuns(connection, { job: definition.name, schedule: null }, runs);
  if (added > 0) for (const { runAt } of runs) noteEnqueued(connection, runAt);
  return added;
}
