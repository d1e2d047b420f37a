import type { Connection } from '../platform/database/db.ts';
import { enqueueEach } from '../platform/jobs/enqueue.ts';
import { fanOutEventJob } from './jobs.ts';
import { insertEvents } from './queries.ts';
import { type NewEvent, type Topic, topicContext } from './topic.ts';

/**
 * Tells what happened. Belongs into the transaction of the change: what did not happen is never told. Whom it is told to
 * is found after the commit.
 */
export async function recordEvents<Topics extends readonly Topic[]>(
  connection: Connection,
  organization: string,
  events: { readonly [Place in keyof Topics]: NewEvent<Topics[Place]> },
): Promise<void> {
  if (events.length === 0) return;
  const ids = await insertEvents(
    connection,
    organization,
    events.map((event) => ({ topic: event.topic.name, context: topicContext(event), now: event.now })),
  );
  await enqueueEach(
    connection,
    fanOutEventJob,
    events.map(({ now, runAt = now }, place) => {
      const event = ids[place] ?? '';
      return { payload: { event }, key: event, runAt };
    }),
  );
}
