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
