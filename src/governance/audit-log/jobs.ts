import { z } from 'zod';
import { job } from '../../platform/jobs/jobs.ts';

export const sealAuditLogJob = job({
  name: 'seal-audit-log',
  when: '04:10',
  does: 'seals the past day of the audit log, and compares the newest seal and a sample of 30 others with their rows',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 60,
});

export const verifyAuditLogJob = job({
  name: 'verify-audit-log',
  when: '05:10 on Sundays',
  does: 'compares every seal of the audit log with its rows',
  payload: z.object({}),
  attempts: 5,
  retrySeconds: 600,
});
