import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

export const fanOutEventJob = job({
  name: 'fan-out-event',
  when: 'with each event',
  does: 'finds the endpoints that are to hear of it, and writes a delivery for each',
  payload: z.object({ event: z.string().regex(/^evt_[0-9a-z]{24}$/, 'needs the id of an event') }),
  attempts: 8,
  retrySeconds: 5,
  concurrencyPerOrganization: 2,
});
