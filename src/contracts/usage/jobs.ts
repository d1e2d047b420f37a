import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** Takes up the month before the one in which it falls due; what it kept already stays as it is. */
export const settleUsageJob = job({
  name: 'settle-usage',
  when: '16:10 from the 10th to the 17th of a month',
  does: "keeps the past month's usage as final, on the 8th working day",
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 600,
});
