import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

export const mailReceiptJob = job({
  name: 'mail-receipt',
  when: 'when a customer ends a contract in the portal',
  does: 'mails the receipt of the declaration, for two days again where it cannot be sent',
  /* With what was declared: another declaration may be stored before this mail has left. */
  payload: z.object({
    subscription: z.string().regex(/^sub_[0-9a-z]{24}$/, 'needs the id of a contract'),
    language: z.enum(['de', 'en']),
    termination_reason: z.enum(['ORDINARY', 'MOVE_OUT', 'WITHDRAWAL']),
    terminated_at: z.iso.datetime(),
    end_at: z.iso.datetime(),
  }),
  attempts: 48,
  retrySeconds: 60,
  pool: 'requests',
});
