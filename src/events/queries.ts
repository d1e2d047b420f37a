import type { Connection } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';

/** Topics of what happens to contracts and orders; later ones come with their resources. */
export type EventTopic =
  | `subscription.${'created' | 'confirmed' | 'activated' | 'ended' | 'terminated'}`
  | `meter_order.${'created' | 'cancelled'}`;

export interface NewEvent {
  topic: EventTopic;
  /** Ids only; the receiver reads the resource. */
  context: Readonly<Record<string, string>>;
  now: string;
}

export async function insertEvents(
  connection: Connection,
  organization: string,
  events: readonly NewEvent[],
): Promise<void> {
  await connection
    .insertInto('events')
    .values(
      events.map(({ topic, context, now }) => ({
        organization_id: organization,
        id: newId('evt'),
        topic,
        timestamp: now,
        context: JSON.stringify(context),
      })),
    )
    .execute();
}
