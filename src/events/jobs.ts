import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

/** Finds who is to hear of an event. */
export const fanOutEventJob = job({
  name: 'fan-out-event',
  payload: z.object({ event: z.string().regex(/^evt_[0-9a-z]{24}$/, 'needs the id of an event') }),
  attempts: 8,
  retrySeconds: 5,
  concurrencyPerOrganization: 2,
});
