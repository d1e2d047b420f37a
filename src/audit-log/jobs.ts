import { z } from 'zod';
import { job } from '../platform/jobs/jobs.ts';

export const sealAuditLogJob = job({
  name: 'seal-audit-log',
  when: '04:10',
  does: 'seals the past day of the audit log, and looks whether older seals still fit',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 60,
});
