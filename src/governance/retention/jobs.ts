import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** What lives for hours or days: every hour. */
export const sweepExpiredRowsJob = job({
  name: 'sweep-expired-rows',
  when: 'every hour',
  does: 'removes what lives for hours or days: codes, tokens, links, sessions, keys of idempotency, requests of the request log after 30 days, old leads, deliveries after 30 days, events after 13 months',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

/** What lives for months: every night. */
export const removeOldRecordsJob = job({
  name: 'remove-old-records',
  when: '04:20',
  does: 'removes audit rows after 24 months, documents and vouchers of payments after eight years from the end of the year, values of meters after three, raw snapshots after `SNAPSHOT_RETENTION_MONTHS`, but never of a month whose `settle-usage` is not done, and their sums after `QUARTER_HOUR_RETENTION_MONTHS`, those by day by whole years',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 300,
});
