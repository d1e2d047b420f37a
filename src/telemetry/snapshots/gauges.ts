import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { findWeeksAhead } from './queries.ts';

/** Below, the job has not worked for weeks: somebody has to look before rows lie where no partition can be made any more. */
const WEEKS_AHEAD_MIN = 3;

/** What operators watch. To be repeated every minute or so. */
export function snapshotPartitionGauges(parts: {
  database: Database;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}): () => Promise<void> {
  const { database, clock, metrics, log } = parts;
  const gauge = metrics.gauge(
    'snapshot_weeks_ahead',
    'Whole weeks ahead whose partitions for measured values are made, on Citus; -1 where none is needed',
  );
  let isAlarmed = false;
  return async () => {
    const now = new Date(clock.nowMilliseconds()).toISOString();
    const weeks = await database.asService((connection) => findWeeksAhead(connection, now));
    gauge.set(weeks ?? -1);
    const isShort = weeks !== null && weeks < WEEKS_AHEAD_MIN;
    if (isShort === isAlarmed) return;
    isAlarmed = isShort;
    if (isShort) log.error({ weeks }, 'partitions for measured values run out: prepare-snapshot-partitions');
    else log.info({ weeks }, 'partitions for measured values are made ahead again');
  };
}
