import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** One at a time: a folder has one writer. */
export const writeDataSetsJob = job({
  name: 'write-data-sets',
  when: '04:40',
  does: 'writes the months of the Parquet data sets again whose rows changed, where `DATA_SETS_FOLDER` is set',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 300,
  concurrency: 1,
});
