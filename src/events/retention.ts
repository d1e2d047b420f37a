import { sql } from 'kysely';
import type { ExpiringRows } from '../platform/retention.ts';
import { fanOutEventJob } from './jobs.ts';

/** Ids only; a year and a month, so that the same month of the year before can be looked at. Deliveries go before it. */
export const eventsKept: ExpiringRows = {
  table: 'events',
  key: ['id'],
  at: 'timestamp',
  keptFor: { months: 13 },
  also: sql<boolean>`NOT EXISTS (
    SELECT FROM event_deliveries
     WHERE (event_deliveries.organization_id, event_deliveries.event_id) = (events.organization_id, events.id))`,
};

/** So long a delivery can be looked up and sent again, from its end on. */
export const DELIVERIES_KEPT = { days: 30 } as const;

/** Suspended or deleted. Asked of the session, and so once: beside each row it would be asked behind a look at all that wait. */
const IS_OFF = sql<boolean>`NOT EXISTS (
  SELECT FROM organizations WHERE id = current_setting('app.organization') AND standing IN ('in_order', 'past_due'))`;

const deliveries = {
  table: 'event_deliveries',
  key: ['event_id', 'endpoint_id'],
  at: 'kept_from',
  keptFor: DELIVERIES_KEPT,
} as const;

/**
 * Their attempts go with them. A delivery that is still to be sent stays until it was sent, given up or cancelled, which comes
 * within days; but in an organization that is suspended or deleted nothing is sent: there it is over as well.
 */
export const deliveriesKept: readonly ExpiringRows[] = [
  { ...deliveries, also: sql<boolean>`state <> 'pending'` },
  { ...deliveries, also: sql<boolean>`state = 'pending' AND ${IS_OFF}` },
];

/** In such an organization no run finds the endpoints of an event either: it goes as the deliveries do that it would have made. */
export const untoldEventsKept: ExpiringRows = {
  table: 'job_runs',
  key: ['id'],
  at: 'due_at',
  keptFor: DELIVERIES_KEPT,
  also: sql<boolean>`state = 'queued' AND lane = ${fanOutEventJob.name} || ' ' || current_setting('app.organization')
    AND ${IS_OFF}`,
};

/** Deleted endpoints, when nothing in the log refers to them any more. */
export const deletedEndpointsKept: ExpiringRows = {
  table: 'webhook_endpoints',
  key: ['id'],
  at: 'created_at',
  keptFor: DELIVERIES_KEPT,
  also: sql<boolean>`deleted_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM event_deliveries
     WHERE (event_deliveries.organization_id, event_deliveries.endpoint_id) =
           (webhook_endpoints.organization_id, webhook_endpoints.id))`,
};
