import type { Connection } from '../platform/database/db.ts';
import { enqueueEach } from '../platform/jobs/enqueue.ts';
import { fanOutEventJob } from './jobs.ts';
import { insertEvents, type NewEvent } from './queries.ts';

export type { NewEvent };

/**
 * Tells what happened. Belongs into the transaction of the change: what did not happen is never told. Whom it is told to
 * is found after the commit.
 */
export async function recordEvents(
  connection: Connection,
  organization: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const ids = await insertEvents(connection, organization, events);
  await enqueueEach(
    connection,
    fanOutEventJob,
    ids.map(({ id, now }) => ({ payload: { event: id }, key: id, runAt: now })),
  );
}
