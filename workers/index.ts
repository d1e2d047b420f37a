import { sealAuditLogJob } from '../src/audit-log/jobs.ts';
import { sealAuditLog } from '../src/audit-log/service.ts';
import { type JobWorker, worker } from '../src/platform/jobs.ts';
import { removeOldRecordsJob, sweepExpiredRowsJob } from '../src/retention/jobs.ts';
import { removeOldRecords, sweepExpiredRows } from '../src/retention/service.ts';
import type { WorkerDeps } from './deps.ts';

/** Every job of the worker process: its definition and the function that does it. */
export const jobWorkers: readonly JobWorker<WorkerDeps>[] = [
  worker(sweepExpiredRowsJob, sweepExpiredRows), //
  worker(removeOldRecordsJob, removeOldRecords),
  worker(sealAuditLogJob, sealAuditLog),
];
