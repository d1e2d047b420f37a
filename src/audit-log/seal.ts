import type { Database } from '../platform/database/db.ts';
import type { JobResult, JobRun } from '../platform/jobs/jobs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type AuditSeal, findNewestSealDay, insertSeal, listSealProblems } from './queries.ts';

interface SealingParts {
  database: Database;
  metrics: Metrics;
}

/**
 * Closes each day of the audit log with a hash over its rows and the hash of the day before. Before a new seal is put on
 * top the newest one is compared with its rows again. The head goes into the log as well: whoever changes rows and
 * seals in the database cannot change what was written there.
 */
export async function sealAuditLog(
  parts: SealingParts,
  run: Pick<JobRun, 'log' | 'signal'>,
): Promise<JobResult> {
  const broken = parts.metrics.gauge('audit_seals_broken', 'Days whose audit rows do not fit their seal');
  const problems = await parts.database.asService(async (connection) => {
    const newest = await findNewestSealDay(connection);
    return newest === null ? [] : listSealProblems(connection, newest, newest);
  });
  broken.set(problems.length);
  for (const { day, problem } of problems)
    run.log.error({ day, problem }, 'audit log was changed after sealing');

  let sealed = 0;
  let head: AuditSeal | undefined;
  /* Day by day, each in a transaction of its own: what is sealed stays so, also when a later day takes too long. */
  for (;;) {
    run.signal.throwIfAborted();
    const next = await parts.database.asService(insertSeal);
    if (next === undefined) break;
    sealed += 1;
    head = next;
  }
  if (head !== undefined) run.log.info({ ...head }, 'audit log sealed');
  return { sealed, broken: problems.length, ...(head === undefined ? {} : { head }) };
}
