import { sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import type { EventRow } from './document.ts';

/** What is stored of an event. */
export interface EventContent {
  topic: string;
  context: Readonly<Record<string, string>>;
  now: string;
}

export function newEventId(): string {
  return newId('evt');
}

/**
 * Returns the new ids, in order. Who is to hear of one is decided here, so that what becomes of an endpoint before the fan-out
 * plays no part.
 */
export async function insertEvents(
  connection: Connection,
  organization: string,
  events: readonly EventContent[],
): Promise<string[]> {
  const rows = events.map((event) => ({ ...event, id: newEventId() }));
  const endpoints = await connection
    .selectFrom('webhook_endpoints')
    .select(['id', 'topics'])
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute();
  const heardBy = (topic: string) =>
    endpoints.filter(({ topics }) => topics?.includes(topic) ?? true).map(({ id }) => id);
  await connection
    .insertInto('events')
    .values(
      rows.map(({ id, topic, context, now }) => ({
        organization_id: organization,
        id,
        topic,
        timestamp: now,
        context: JSON.stringify(context),
        heard_by: heardBy(topic),
      })),
    )
    .execute();
  return rows.map(({ id }) => id);
}

export function findEvent(
  connection: Connection,
  organization: string,
  id: string,
): Promise<EventRow | undefined> {
  return connection
    .selectFrom('events')
    .select(['id', 'topic', 'timestamp', 'context'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Order of the events of one instant; their ids are random. Undefined where the event has been removed. */
export async function findPosition(
  connection: Connection,
  organization: string,
  id: string,
): Promise<number | undefined> {
  const row = await connection
    .selectFrom('events')
    .select('position')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.position;
}

/** The place of an event in the order of commits; undefined where there is no such event, or none any more. */
export async function findSequence(
  connection: Connection,
  organization: string,
  id: string,
): Promise<number | undefined> {
  const row = await connection
    .selectFrom('events')
    .select('sequence')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.sequence ?? undefined;
}

/** The worker numbers events as they come, so that mostly none is left. */
const NUMBERED_AT_ONCE = 1_000;

/** Gives all events that are committed by now their places. What is committed later gets higher ones. */
export async function updateSequences(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ numbered: number }>`
      SELECT number_events(${NUMBERED_AT_ONCE}) AS numbered`.execute(connection);
    if ((rows[0]?.numbered ?? 0) < NUMBERED_AT_ONCE) return;
  }
}

/** In the order of commits, one row more than the limit; a page is looked up for each topic, as below. */
export async function listEventsInSequence(
  connection: Connection,
  organization: string,
  topics: readonly string[],
  { limit, behind }: { limit: number; behind: number },
): Promise<(EventRow & { created_at: string })[]> {
  const { rows } = await sql<EventRow & { created_at: string }>`
    SELECT event.id, event.topic, event.timestamp, event.context, event.timestamp AS created_at
      FROM unnest(${topics}::text[]) AS choice (topic)
     CROSS JOIN LATERAL (
             SELECT id, topic, timestamp, context, sequence
               FROM events
              WHERE organization_id = ${organization}
                AND (topic, sequence) > (choice.topic, ${behind}::bigint)
                AND (topic, sequence) <= (choice.topic, ${SEQUENCE_MAX}::bigint)
              ORDER BY topic, sequence
              LIMIT ${limit + 1}
           ) AS event
     ORDER BY event.sequence
     LIMIT ${limit + 1}`.execute(connection);
  return rows;
}

const SEQUENCE_MAX = String(2n ** 63n - 1n);

export interface EventRange {
  limit: number;
  /** The events before this place in the list. */
  before: { at: string; position: string };
  /** And from this instant on. */
  from: string;
}

/**
 * Newest first, one row more than the limit. A page is looked up for each topic: going by time alone, rare ones would be
 * searched among all events there are. The conditions name the topic as part of the range, so that no plan but a walk
 * through the index of topics is in order. Events that have no sequence yet were committed a moment ago, and are as if they
 * came a moment later: whoever goes on behind an event of a list finds all that the list did not have.
 */
export async function listEventsOfTopics(
  connection: Connection,
  organization: string,
  topics: readonly string[],
  { limit, before, from }: EventRange,
): Promise<(EventRow & { created_at: string })[]> {
  const { rows } = await sql<EventRow & { created_at: string }>`
    SELECT event.id, event.topic, event.timestamp, event.context, event.timestamp AS created_at
      FROM unnest(${topics}::text[]) AS choice (topic)
     CROSS JOIN LATERAL (
             SELECT id, topic, timestamp, context, position
               FROM events
              WHERE organization_id = ${organization}
                AND (topic, timestamp, position)
                    < (choice.topic, ${before.at}::timestamptz, ${before.position}::bigint)
                AND (topic, timestamp) >= (choice.topic, ${from}::timestamptz)
                AND sequence IS NOT NULL
              ORDER BY topic DESC, timestamp DESC, position DESC
              LIMIT ${limit + 1}
           ) AS event
     ORDER BY event.timestamp DESC, event.position DESC
     LIMIT ${limit + 1}`.execute(connection);
  return rows;
}
