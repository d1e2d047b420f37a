import type { Database } from '../../platform/database/db.ts';
import type { Logger } from '../../platform/log/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { endLongSessions } from './queries.ts';

interface SessionParts {
  database: Database;
  metrics: Metrics;
  log: Pick<Logger, 'info'>;
}

/**
 * An analyst can lift his own limits (SET statement_timeout = 0): what outlives them all the same is ended from outside. No
 * job: it leaves no row each time, and does not wait for the queue.
 */
export function endsOfAnalystSessions({ database, metrics, log }: SessionParts): () => Promise<void> {
  const counter = metrics.counter(
    'analyst_sessions_ended_total',
    'Statements and sessions of analysts that outlived their limits and were ended',
    ['what'],
    [{ what: 'statement' }, { what: 'session' }],
  );
  return async () => {
    const { cancelled, ended } = await database.asService(endLongSessions);
    counter.inc({ what: 'statement' }, cancelled);
    counter.inc({ what: 'session' }, ended);
    if (cancelled + ended > 0) log.info({ cancelled, ended }, 'analysts over their limits were ended');
  };
}
