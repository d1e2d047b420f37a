import type { Connection } from '../platform/database/db.ts';
import { insertEvents, type NewEvent } from './queries.ts';

export type { NewEvent };

/** Tells what happened. Belongs into the transaction of the change: what did not happen is never told. */
export async function recordEvents(
  connection: Connection,
  organization: string,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length > 0) await insertEvents(connection, organization, events);
}
