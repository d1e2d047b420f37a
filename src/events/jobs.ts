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

const ofEndpoint = {
  payload: z.object({ endpoint: z.string().regex(/^whe_[0-9a-z]{24}$/, 'needs the id of an endpoint') }),
  attempts: 8,
  retrySeconds: 5,
};

/** The lane of endpoints that work. So wide that many may begin to hang together before the others wait. */
export const deliverWebhooksJob = job({
  ...ofEndpoint,
  name: 'deliver-webhooks',
  when: 'when an endpoint has something to hear',
  does: 'sends what is due to an endpoint whose last attempt was a success',
  pool: 'requests',
  concurrency: 128,
  concurrencyPerOrganization: 64,
});

/** The lane of those that fail: they take each other's time and nobody else's. */
export const retryWebhooksJob = job({
  ...ofEndpoint,
  name: 'retry-webhooks',
  when: 'when the wait of a failed delivery is over',
  does: 'sends what is due to an endpoint whose last attempt failed',
  pool: 'requests',
  concurrency: 64,
  concurrencyPerOrganization: 16,
});

export const sweepWebhooksJob = job({
  name: 'sweep-webhooks',
  when: 'every minute',
  does: 'asks again for what is overdue, has the contact told of an endpoint that fails for a day, forgets failures after five days without an attempt, and removes listeners that went away',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 20,
});

export const tellWebhookContactJob = job({
  name: 'tell-webhook-contact',
  when: 'when an endpoint failed for a day or was switched off',
  does: 'writes a mail to the contact of the endpoint',
  payload: z.object({
    ...ofEndpoint.payload.shape,
    notice: z.enum(['failing', 'gone', 'long_failure']),
  }),
  attempts: 8,
  retrySeconds: 60,
});
