import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** Contracts begin and end at midnight: every minute, so that they do so within one. */
export const advanceSubscriptionsJob = job({
  name: 'advance-subscriptions',
  when: 'every minute',
  does: 'begins and ends contracts',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 20,
});
