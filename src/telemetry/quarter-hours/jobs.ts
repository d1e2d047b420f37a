import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

/** One at a time: a second one would wait for the first, portion by portion. */
export const sumQuarterHoursJob = job({
  name: 'sum-quarter-hours',
  when: 'every 5 minutes',
  does: 'sums snapshots by quarter hour for analysts: new ones, and those of late rows again; and by day what is over',
  payload: z.object({}),
  /* Each begins where the one before was ended: three faults of the database within minutes are nothing for a person. */
  attempts: 10,
  retrySeconds: 60,
  concurrency: 1,
});
