import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** On Citus; TimescaleDB makes its chunks when a row needs one. */
export const prepareSnapshotPartitionsJob = job({
  name: 'prepare-snapshot-partitions',
  when: '03:50',
  does: 'on Citus makes the partitions in which measured values of the next eight weeks are stored',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 300,
  concurrency: 1,
});
