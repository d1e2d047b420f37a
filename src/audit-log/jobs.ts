import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

export const sealAuditLogJob = job({
  name: 'seal-audit-log',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 60,
});
