import type { Clock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import type { JobResult } from '../../src/platform/jobs/jobs.ts';
import { sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import type { TestDatabase } from './database.ts';

/**
 * Runs the job that sums snapshots by quarter hour, once. It begins where its last run ended: snapshots that are inserted
 * past the service for earlier instants have to be there before the first run.
 */
export async function sumAllQuarterHours(
  database: Pick<TestDatabase, 'maintenanceUrl'>,
  clock: Clock,
): Promise<JobResult> {
  const maintenance = openDatabase({
    url: database.maintenanceUrl,
    applicationName: 'test-sums',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    return await sumQuarterHoursNow({ maintenance, clock }, { signal: new AbortController().signal });
  } finally {
    await maintenance.close();
  }
}
