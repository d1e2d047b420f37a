import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

/** Takes up the month before the one in which it falls due; what it kept already stays as it is. */
export const settleUsageJob = job({
  name: 'settle-usage',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 600,
});
