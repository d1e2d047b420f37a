import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

type Delivery = Selectable<Tables['event_deliveries']>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

export type ListedDelivery = Omit<Delivery, 'organization_id' | 'attempts' | 'kept_from'> & { topic: string };

export interface DeliveryFilter {
  readonly endpoint?: string;
  readonly state?: Delivery['state'];
  readonly event?: string;
  /** The row behind which it begins. */
  readonly after?: DeliveryPlace | null;
  readonly limit: number;
}

export type DeliveryPlace = Pick<ListedDelivery, 'created_at' | 'event_id' | 'endpoint_id'>;

/**
 * The log, newest first. The index gives the newest of each endpoint and state; the newest of all of these are shown.
 * So the cost grows with endpoints and limit, not with what is stored.
 */
export async function listDeliveries(
  connection: Connection,
  organization: string,
  { endpoint, state, event, after = null, limit }: DeliveryFilter,
): Promise<ListedDelivery[]> {
  /* The first line is what the index knows. */
  const behind =
    after === null
      ? sql`true`
      : sql`delivery.created_at <= ${after.created_at}::timestamptz
            AND (delivery.created_at, delivery.event_id, delivery.endpoint_id)
                < (${after.created_at}::timestamptz, ${after.event_id}, ${after.endpoint_id})`;
  const shown = sql`found.event_id, found.endpoint_id, found.state, found.created_at, found.attempts_in_all, found.next_at,
                    found.last_attempt_at, found.delivered_at, found.last_status, found.last_error`;
  const newest = sql`
    SELECT found.* FROM webhook_endpoints AS endpoint
     CROSS JOIN unnest(${state === undefined ? [...DELIVERY_STATES] : [state]}::text[]) AS choice (state)
     CROSS JOIN LATERAL (
       SELECT * FROM event_deliveries AS delivery
        WHERE delivery.organization_id = endpoint.organization_id AND delivery.endpoint_id = endpoint.id
          AND delivery.state = choice.state AND ${behind}
        ORDER BY delivery.created_at DESC, delivery.event_id DESC LIMIT ${limit}) AS found
     WHERE endpoint.organization_id = ${organization} AND (${endpoint ?? null}::text IS NULL OR endpoint.id = ${endpoint ?? null})`;
  const ofEvent = sql`
    SELECT * FROM event_deliveries AS delivery
     WHERE ${behind} AND organization_id = ${organization} AND event_id = ${event ?? null}
       AND (${endpoint ?? null}::text IS NULL OR endpoint_id = ${endpoint ?? null})
       AND (${state ?? null}::text IS NULL OR state = ${state ?? null})`;
  const { rows } = await sql<ListedDelivery>`
    SELECT ${shown}, event.topic
      FROM (${event === undefined ? newest : ofEvent}) AS found
      JOIN events AS event ON (event.organization_id, event.id) = (found.organization_id, found.event_id)
     ORDER BY found.created_at DESC, found.event_id DESC, found.endpoint_id DESC LIMIT ${limit}`.execute(
    connection,
  );
  return rows;
}

export type ListedAttempt = Omit<
  Selectable<Tables['delivery_attempts']>,
  'organization_id' | 'event_id' | 'endpoint_id'
>;

/** Every request of a delivery, the first one first: thirteen, and as many for each time that it was sent again. */
export async function listAttempts(
  connection: Connection,
  organization: string,
  event: string,
  endpoint: string,
): Promise<ListedAttempt[]> {
  return await connection
    .selectFrom('delivery_attempts')
    .select(['number', 'at', 'status', 'error', 'answer', 'milliseconds'])
    .where('organization_id', '=', organization)
    .where('event_id', '=', event)
    .where('endpoint_id', '=', endpoint)
    .orderBy('number')
    .execute();
}
