import type { Database } from '../../platform/database/db.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import type { Metrics } from '../../platform/metrics.ts';
import {
  type AuditSeal,
  compareSeal,
  insertSeal,
  listSampledSealDays,
  listSealProblems,
  listSeals,
  type SealProblem,
} from './queries.ts';
import { signHead } from './signed-heads.ts';

type Parts = { database: Database };
type Run = Pick<JobRun, 'log' | 'signal'>;

/** Days that are compared each night beside the newest one; a week's run compares all. */
const SAMPLE_DAYS = 30;

/**
 * Closes each day of the audit log with a hash over its rows and the hash of the day before. Before a new seal is put on
 * top the newest one and a sample of the others are compared with their rows again. The head goes into the log as well:
 * whoever changes rows and seals in the database cannot change what was written there. With a key it is signed.
 */
export async function sealAuditLog(
  parts: Parts & { config: { AUDIT_SIGNING_KEY?: string | undefined } },
  run: Run,
): Promise<JobResult> {
  const days = await parts.database.asService((connection) => listSampledSealDays(connection, SAMPLE_DAYS));
  const { compared, problems } = await compareSeals(parts, days, run.signal);
  logProblems(run, problems);

  let sealed = 0;
  let newest: AuditSeal | undefined;
  /* Day by day, each in a transaction of its own: what is sealed stays so, also when a later day takes too long. */
  for (;;) {
    run.signal.throwIfAborted();
    const next = await parts.database.asService(insertSeal);
    if (next === undefined) break;
    sealed += 1;
    newest = next;
  }
  const key = parts.config.AUDIT_SIGNING_KEY;
  const head = newest === undefined || key === undefined ? newest : signHead(key, newest);
  if (head !== undefined) run.log.info({ ...head }, 'audit log sealed');
  return { sealed, compared, broken: problems.length, ...(head === undefined ? {} : { head }) };
}

/** Compares the seal of every day whose rows are kept. */
export async function verifyAuditLog(parts: Parts, run: Run): Promise<JobResult> {
  const { compared, problems } = await verifySeals(parts, run.signal);
  logProblems(run, problems);
  return { compared, broken: problems.length };
}

export async function verifySeals({ database }: Parts, signal?: AbortSignal) {
  const seals = await database.asService(listSeals);
  const days = seals.map(({ day }) => day);
  return { seals, ...(await compareSeals({ database }, days, signal)) };
}

/** A transaction for each day: a day may have a million rows. */
async function compareSeals({ database }: Parts, days: readonly string[], signal?: AbortSignal) {
  let compared = 0;
  for (const day of days) {
    signal?.throwIfAborted();
    if (await database.asService((connection) => compareSeal(connection, day))) compared += 1;
  }
  return { compared, problems: await database.asService(listSealProblems) };
}

function logProblems(run: Run, problems: readonly SealProblem[]): void {
  for (const { day, problem } of problems)
    run.log.error({ day, problem }, 'audit log was changed after sealing');
}

/** A mismatch stays in the database, and its alarm lasts, until a later comparison finds it mended. */
export function auditGauges(parts: { database: Database; metrics: Metrics }): () => Promise<void> {
  const broken = parts.metrics.gauge('audit_seals_broken', 'Seals of the audit log that do not fit its rows');
  return async () => {
    broken.set((await parts.database.asService(listSealProblems)).length);
  };
}
