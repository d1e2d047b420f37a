import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

export const eraseLateSnapshotsJob = job({
  name: 'erase-late-snapshots',
  when: 'two minutes after the erasure of a person',
  does: 'erases the snapshots of the person that were on their way into the database when the others were erased, or that a command left that died',
  payload: z.object({ customer: z.string().regex(/^cus_[0-9a-z]{24}$/, 'needs the id of a customer') }),
  attempts: 10,
  retrySeconds: 60,
});
