import { sql } from 'kysely';
import type { ExpiringRows } from '../platform/retention.ts';

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

const deliveries = {
  table: 'event_deliveries',
  key: ['event_id', 'endpoint_id'],
  at: 'kept_from',
  keptFor: DELIVERIES_KEPT,
} as const;

/**
 * Their attempts go with them. A delivery that is still to be sent stays until it was sent, given up or cancelled, which comes
 * within days; but in an organization that is suspended or deleted nothing is sent: there it is over as well.
 * The standing is asked of the session, and so once: beside each delivery it would be asked behind a look at all that wait.
 */
export const deliveriesKept: readonly ExpiringRows[] = [
  { ...deliveries, also: sql<boolean>`state <> 'pending'` },
  {
    ...deliveries,
    also: sql<boolean>`state = 'pending' AND NOT EXISTS (
      SELECT FROM organizations WHERE id = current_setting('app.organization') AND standing IN ('in_order', 'past_due'))`,
  },
];

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
