import type { Connection, Database } from '../platform/database/db.ts';
import { enqueueEach } from '../platform/jobs/enqueue.ts';
import { type JobResult, type JobRun, organizationOf } from '../platform/jobs/jobs.ts';
import { fanOutEventJob } from './jobs.ts';
import { insertDeliveries, insertEvents, type NewEvent } from './queries.ts';

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

/** One delivery for each endpoint that wants to hear of an event. Done again it writes nothing more. */
export async function fanOutEvent(
  { database }: { database: Database },
  run: Pick<JobRun<{ event: string }>, 'payload' | 'organization'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const deliveries = await database.inOrganization({ organization }, (connection) =>
    insertDeliveries(connection, organization, run.payload.event),
  );
  return { deliveries };
}
