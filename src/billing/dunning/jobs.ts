import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

export const runDunningJob = job({
  name: 'run-dunning',
  when: '07:15, or `cli invoices dunning run`',
  does: 'makes bills paid whose debits can no longer come back, reminds customers of overdue ones, and gives up those that no reminder helped',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 600,
});
