import type { Database } from '../platform/database/db.ts';
import type { JobResult, JobRun } from '../platform/jobs/jobs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { findNewestSealDay, insertSeals, listSealProblems } from './queries.ts';

interface SealingParts {
  database: Database;
  metrics: Metrics;
}

/**
 * Closes each day of the audit log with a hash over its rows and the hash of the day before. Before a new seal is put on
 * top the newest one is compared with its rows again. The head goes into the log as well: whoever changes rows and
 * seals in the database cannot change what was written there.
 */
export async function sealAuditLog(parts: SealingParts, run: Pick<JobRun, 'log'>): Promise<JobResult> {
  const broken = parts.metrics.gauge('audit_seals_broken', 'Days whose audit rows do not fit their seal');
  const problems = await parts.database.asService(async (connection) => {
    const newest = await findNewestSealDay(connection);
    return newest === null ? [] : listSealProblems(connection, newest, newest);
  });
  broken.set(problems.length);
  for (const { day, problem } of problems)
    run.log.error({ day, problem }, 'audit log was changed after sealing');

  const seals = await parts.database.asService(insertSeals);
  const head = seals.at(-1);
  if (head !== undefined) run.log.info({ ...head }, 'audit log sealed');
  return { sealed: seals.length, broken: problems.length, ...(head === undefined ? {} : { head }) };
}
