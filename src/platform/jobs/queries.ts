import { sql } from 'kysely';
import type { Connection, Database } from '../database/db.ts';
import type { RemovalLimits } from '../retention.ts';
import type { JobDefinition, JobResult } from './jobs.ts';

/*
 * Statements on `job_runs`. A look across organizations is a function of the database (sql/repeatable/job-runs.sql). The
 * rest happens in the transaction of the run's organization. Instants of the engine come in as milliseconds of the service's
 * clock, so that one clock decides about everything here.
 */

export const instant = (milliseconds: number) => sql`${new Date(milliseconds).toISOString()}::timestamptz`;

export interface NewRun {
  payload: unknown;
  key?: string | undefined;
  runAt: string;
}

/**
 * Writes runs, and leaves out those whose key is there already. Two transactions with the same keys wait for each other
 * in one direction only: keys come in order. No index is named in ON CONFLICT and nothing is returned, because both would
 * ask for the right to read, which who acts for a customer does not have.
 */
export async function insertRuns(
  connection: Connection,
  { job, schedule }: { job: string; schedule: string | null },
  runs: readonly NewRun[],
): Promise<number> {
  const inOrder = runs.toSorted((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1));
  const { numAffectedRows } = await sql`
    INSERT INTO job_runs (organization_id, job, schedule, payload, key, due_at, next_at)
    SELECT nullif(current_setting('app.organization', true), ''), ${job}, ${schedule}, run.payload::jsonb, run.key,
           run.run_at, run.run_at
      FROM unnest(${inOrder.map(({ payload }) => JSON.stringify(payload))}::text[],
                  ${inOrder.map(({ key }) => key ?? null)}::text[],
                  ${inOrder.map(({ runAt }) => runAt)}::timestamptz[])
           WITH ORDINALITY AS run (payload, key, run_at, position)
     ORDER BY run.position
    ON CONFLICT DO NOTHING`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}

/** Whether a run of a schedule waits or works. */
export async function isScheduleUnderWay(connection: Connection, schedule: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM job_runs WHERE state = 'queued' AND schedule = ${schedule}
     UNION ALL
    SELECT FROM job_runs WHERE state = 'running' AND schedule = ${schedule} LIMIT 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Repairs what a process with a clock that was ahead has written: runs that wait for an instant in the future, or whose
 * last sign of life lies there. Both would stand still until that instant.
 */
export async function updateRunsToNow(
  connection: Connection,
  nowMilliseconds: number,
  latest: { signMilliseconds: number; retryMilliseconds: number },
): Promise<void> {
  await sql`
    SELECT bring_job_runs_to_now(${instant(nowMilliseconds)}, ${instant(latest.signMilliseconds)},
                                 ${instant(latest.retryMilliseconds)})`.execute(connection);
}

/** Back to the waiting: runs whose worker has shown no sign of life since an instant. */
export async function updateSilentRuns(
  connection: Connection,
  nowMilliseconds: number,
  silentSinceMilliseconds: number,
): Promise<void> {
  await sql`SELECT requeue_silent_job_runs(${instant(nowMilliseconds)}, ${instant(silentSinceMilliseconds)})`.execute(
    connection,
  );
}

export interface BegunRun {
  id: number;
  /** Grows with each start: what a former owner writes, who was only slow after all, names an older one and finds nothing. */
  fence: number;
  attempts: number;
  job: string;
  organization_id: string | null;
  schedule: string | null;
  due_at: string;
  payload: unknown;
}

/**
 * Starts the runs whose turn it is. Runs that nobody knows are taken when they wait since before an instant; null: never.
 * Jobs of `elsewhere` are known and left to others.
 */
export async function claimRuns(
  connection: Connection,
  jobs: readonly JobDefinition[],
  times: { nowMilliseconds: number; unknownBeforeMilliseconds: number | null },
  { elsewhere = [], runsMax = 1 }: { elsewhere?: readonly string[]; runsMax?: number } = {},
): Promise<BegunRun[]> {
  const { unknownBeforeMilliseconds: unknownBefore } = times;
  const { rows } = await sql<BegunRun>`
    SELECT id, fence, attempts, job, organization_id, schedule, due_at, payload
      FROM claim_job_run(${instant(times.nowMilliseconds)}, ${unknownBefore === null ? null : instant(unknownBefore)},
                         ${jobs.map(({ name }) => name)}::text[], ${jobs.map(({ concurrency }) => concurrency)}::integer[],
                         ${jobs.map((job) => job.concurrencyPerOrganization)}::integer[], ${[...elsewhere]}::text[],
                         ${runsMax}::integer)`.execute(connection);
  return rows;
}

/** The row of a run may be changed in its organization, or outside of all. */
export function inOrganizationOf<Result>(
  database: Database,
  { organization_id }: Pick<BegunRun, 'organization_id'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return organization_id === null
    ? database.asService(work)
    : database.inOrganization({ organization: organization_id }, work);
}

type FencedRun = Pick<BegunRun, 'id' | 'fence'>;
const mine = (run: FencedRun) =>
  sql`id = ${run.id} AND fence = ${run.fence} AND state IN ('queued', 'running')`;

/** False, here and below: another worker has taken the run over. */
export async function updateRunHeartbeat(
  connection: Connection,
  run: FencedRun,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs SET heartbeat_at = ${instant(nowMilliseconds)} WHERE ${mine(run)}`.execute(connection);
  return numAffectedRows === 1n;
}

export async function updateRunDone(
  connection: Connection,
  run: FencedRun,
  result: JobResult,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'done', finished_at = ${instant(nowMilliseconds)}, result = ${JSON.stringify(result)}::jsonb
     WHERE ${mine(run)}`.execute(connection);
  return numAffectedRows === 1n;
}

export async function updateRunFailed(
  connection: Connection,
  run: FencedRun,
  error: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'failed', finished_at = ${instant(nowMilliseconds)}, error = ${error}
     WHERE ${mine(run)}`.execute(connection);
  return numAffectedRows === 1n;
}

/**
 * Back to the waiting, from an instant on: after an error, or without one because this process is about to end. Such a
 * start does not count as an attempt, and is taken off once: the process gives the run back, and then the run itself may end.
 */
export async function updateRunReturned(
  connection: Connection,
  run: FencedRun,
  error: string | null,
  nextMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'queued', next_at = ${instant(nextMilliseconds)}, error = ${error}::text,
           attempts = attempts - CASE WHEN ${error}::text IS NULL AND state = 'running' THEN 1 ELSE 0 END
     WHERE ${mine(run)}`.execute(connection);
  return numAffectedRows === 1n;
}

export interface FailedRun {
  id: number;
  job: string;
  organization_id: string | null;
  key: string | null;
  attempts: number;
  finished_at: string;
  error: string | null;
}

/** Runs that were given up, newest first; or the one of that number. */
export async function listFailedRuns(
  connection: Connection,
  rowsMax: number,
  id: number | null = null,
): Promise<FailedRun[]> {
  const { rows } = await sql<FailedRun>`
    SELECT id, job, organization_id, key, attempts, finished_at, error
      FROM list_failed_job_runs(${rowsMax}, ${id})`.execute(connection);
  return rows;
}

/** A run that was given up begins anew. False: it is not given up any more. */
export async function updateFailedRunQueued(
  connection: Connection,
  id: number,
  now: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs SET state = 'queued', next_at = ${now}, attempts = 0, finished_at = NULL, error = NULL
     WHERE id = ${id} AND state = 'failed'`.execute(connection);
  return numAffectedRows === 1n;
}

export interface RunCounts {
  job: string;
  waiting: number;
  failed: number;
}

export async function countRuns(connection: Connection, nowMilliseconds: number): Promise<RunCounts[]> {
  const { rows } = await sql<RunCounts>`
    SELECT job, waiting, failed FROM count_job_runs(${instant(nowMilliseconds)})`.execute(connection);
  return rows;
}

/** Some of the runs that ended before an instant, of all organizations; says how many. */
export async function deleteFinishedRuns(
  connection: Connection,
  { before, portion }: Pick<RemovalLimits, 'before' | 'portion'>,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_finished_job_runs(${before}, ${portion}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}
