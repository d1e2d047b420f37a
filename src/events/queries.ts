import type { Connection } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';

/** What is stored of an event. */
export interface EventContent {
  topic: string;
  context: Readonly<Record<string, string>>;
  now: string;
}

/** Returns the new ids, each with the instant of its event. */
export async function insertEvents(
  connection: Connection,
  organization: string,
  events: readonly EventContent[],
): Promise<{ id: string; now: string }[]> {
  const rows = events.map((event) => ({ ...event, id: newId('evt') }));
  await connection
    .insertInto('events')
    .values(
      rows.map(({ id, topic, context, now }) => ({
        organization_id: organization,
        id,
        topic,
        timestamp: now,
        context: JSON.stringify(context),
      })),
    )
    .execute();
  return rows;
}

/**
 * For each endpoint that is on, was there when it happened and wants the topic. Endpoints of an organization are few.
 * Returns how many deliveries are new.
 */
export async function insertDeliveries(
  connection: Connection,
  organization: string,
  event: string,
): Promise<number> {
  const { numInsertedOrUpdatedRows } = await connection
    .insertInto('event_deliveries')
    .columns(['organization_id', 'event_id', 'endpoint_id', 'created_at', 'next_at'])
    .expression((from) =>
      from
        .selectFrom('events')
        .innerJoin('webhook_endpoints', 'webhook_endpoints.organization_id', 'events.organization_id')
        .select(['events.organization_id', 'events.id', 'webhook_endpoints.id as endpoint_id'])
        .select(['events.timestamp as created_at', 'events.timestamp as next_at'])
        .where('events.organization_id', '=', organization)
        .where('events.id', '=', event)
        .where('webhook_endpoints.disabled_at', 'is', null)
        .whereRef('webhook_endpoints.created_at', '<=', 'events.timestamp')
        .where((where) =>
          where.or([
            where('webhook_endpoints.topics', 'is', null),
            where(where.ref('events.topic'), '=', where.fn.any('webhook_endpoints.topics')),
          ]),
        ),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0n);
}
