import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

/** What lives for hours or days: every hour. */
export const sweepExpiredRowsJob = job({
  name: 'sweep-expired-rows',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** What lives for months: every night. */
export const removeOldRecordsJob = job({
  name: 'remove-old-records',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 300,
});
