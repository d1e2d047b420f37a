import { sealAuditLogJob } from '../src/audit-log/jobs.ts';
import type { ScheduleLine } from '../src/platform/jobs.ts';
import { removeOldRecordsJob, sweepExpiredRowsJob } from '../src/retention/jobs.ts';

const timeZone = 'Europe/Berlin';

/*
 * Everything that repeats. No daily time lies from 02:00 to 03:00: that hour is missing on one day of the year and comes
 * twice on another.
 */
export const scheduleLines: readonly ScheduleLine[] = [
  { id: 'sweep-expired-rows', job: sweepExpiredRowsJob, cron: '0 7 * * * *', timeZone, catchUp: 'last' },
  { id: 'remove-old-records', job: removeOldRecordsJob, cron: '0 20 4 * * *', timeZone, catchUp: 'last' },
  /* The day in UTC is over at 01:00 in winter and 02:00 in summer. */
  { id: 'seal-audit-log', job: sealAuditLogJob, cron: '0 10 4 * * *', timeZone, catchUp: 'last' },
];
