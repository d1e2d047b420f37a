import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { preparePartitions } from './queries.ts';

const WEEKS_AHEAD = 8;
const WEEK_MILLISECONDS = 7 * 86_400_000;

/** Makes this week's partitions and those of the next ones, each week in a transaction of its own: it takes the tables for a moment. */
export async function prepareSnapshotPartitions(
  { maintenance, clock }: { maintenance: Database; clock: Clock },
  { signal }: Pick<JobRun, 'signal'>,
): Promise<JobResult> {
  const now = clock.nowMilliseconds();
  let partitions = 0;
  for (let week = 0; week <= WEEKS_AHEAD; week += 1) {
    signal.throwIfAborted();
    const milliseconds = now + week * WEEK_MILLISECONDS;
    const since = new Date(milliseconds).toISOString();
    partitions += await maintenance.asService((connection) => preparePartitions(connection, since));
  }
  return { partitions };
}
