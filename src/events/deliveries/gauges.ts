import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import { instant } from '../../platform/jobs/queries.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { deliveryCounter } from './serve.ts';

const LANES = ['healthy', 'failing'] as const;

interface LaneCounts {
  lane: (typeof LANES)[number];
  endpoints: number;
  waiting: number;
  oldest_due_seconds: number;
  long_failing: number;
}

/**
 * What waits in the two lanes. All of them fall again by themselves: an endpoint that works again, was switched off, or was
 * not tried for five days because nothing waits for it, is no longer counted as failing.
 */
export function deliveryGauges(parts: {
  database: Database;
  clock: Clock;
  metrics: Metrics;
}): () => Promise<void> {
  const { metrics } = parts;
  deliveryCounter(metrics);
  const waiting = metrics.gauge(
    'webhook_deliveries_due',
    'Deliveries that are due, at most 1,000 of each endpoint',
    ['lane'],
  );
  const endpoints = metrics.gauge('webhook_endpoints_due', 'Endpoints for which a delivery is due', ['lane']);
  const oldest = metrics.gauge(
    'webhook_oldest_due_seconds',
    'How long the oldest due delivery has been due',
    ['lane'],
  );
  const failing = metrics.gauge(
    'webhook_endpoints_failing',
    'Endpoints that have failed for a day or longer without a success',
  );
  return async () => {
    const { rows } = await parts.database.asService((connection) =>
      sql<LaneCounts>`
        SELECT lane, endpoints, waiting, oldest_due_seconds, long_failing
          FROM count_webhook_deliveries(${instant(parts.clock.nowMilliseconds())})`.execute(connection),
    );
    for (const lane of LANES) {
      const found = rows.find((row) => row.lane === lane);
      waiting.set({ lane }, found?.waiting ?? 0);
      endpoints.set({ lane }, found?.endpoints ?? 0);
      oldest.set({ lane }, found?.oldest_due_seconds ?? 0);
    }
    failing.set(rows.reduce((sum, row) => sum + row.long_failing, 0));
  };
}
