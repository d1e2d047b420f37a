import { sql } from 'kysely';
import type { Connection } from '../database/db.ts';
import type { RemovalLimits } from '../retention.ts';
import type { CatchUp, JobResult, ScheduleLine } from './jobs.ts';

/*
 * Statements on `schedules` and `job_runs`, which belong to no organization. Instants come in as milliseconds of the
 * service's clock, so that one clock decides about everything here.
 */

/** The lock that makes one worker at a time look for due ticks. */
const RECONCILER_LOCK = sql`hashtextextended('voltstream schedules', 0)`;

const instant = (milliseconds: number) => sql`${new Date(milliseconds).toISOString()}::timestamptz`;

export async function lockSchedules(connection: Connection): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${RECONCILER_LOCK})`.execute(connection);
}

export async function tryLockSchedules(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(${RECONCILER_LOCK}) AS locked`.execute(connection);
  return rows[0]?.locked === true;
}

export interface ScheduleRow {
  id: string;
  cron: string;
  time_zone: string;
  catch_up: CatchUp;
  max_age_seconds: number | null;
  last_due_milliseconds: number;
}

export async function listEnabledSchedules(connection: Connection): Promise<ScheduleRow[]> {
  const { rows } = await sql<ScheduleRow>`
    SELECT id, cron, time_zone, catch_up, max_age_seconds,
           (extract(epoch FROM last_due_at) * 1000)::float8 AS last_due_milliseconds
      FROM schedules
     WHERE enabled
     ORDER BY id`.execute(connection);
  return rows;
}

/** A new line begins now: what would have been due before it existed was never missed. */
export async function upsertSchedule(
  connection: Connection,
  line: ScheduleLine,
  nowMilliseconds: number,
): Promise<void> {
  await sql`
    INSERT INTO schedules (id, cron, time_zone, payload, catch_up, max_age_seconds, enabled, last_due_at)
    VALUES (${line.id}, ${line.cron}, ${line.timeZone}, ${JSON.stringify(line.payload ?? {})}::jsonb,
            ${line.catchUp}, ${line.ageSecondsMax ?? null}, true, ${instant(nowMilliseconds)})
    ON CONFLICT (id) DO UPDATE
       SET cron = excluded.cron, time_zone = excluded.time_zone, payload = excluded.payload,
           catch_up = excluded.catch_up, max_age_seconds = excluded.max_age_seconds, enabled = true`.execute(
    connection,
  );
}

export async function updateSchedulesDisabled(
  connection: Connection,
  except: readonly string[],
): Promise<void> {
  await sql`UPDATE schedules SET enabled = false WHERE enabled AND NOT id = ANY(${[...except]})`.execute(
    connection,
  );
}

export async function updateLastDue(
  connection: Connection,
  schedule: string,
  milliseconds: number,
): Promise<void> {
  await sql`
    UPDATE schedules SET last_due_at = greatest(last_due_at, ${instant(milliseconds)})
     WHERE id = ${schedule}`.execute(connection);
}

/**
 * What a clock that ran ahead has left behind: schedules decided up to an instant that has not come, runs that wait for
 * one or seem to have shown a sign of life then. All of it would stand still until that instant. The unique pair of
 * schedule and instant keeps a tick that did run from running again.
 */
export async function updateFuturesToNow(
  connection: Connection,
  nowMilliseconds: number,
  latest: { signMilliseconds: number; retryMilliseconds: number },
): Promise<number> {
  const now = instant(nowMilliseconds);
  const sign = instant(latest.signMilliseconds);
  const schedules = await sql`
    UPDATE schedules SET last_due_at = ${now} WHERE enabled AND last_due_at > ${sign}`.execute(connection);
  const queued = await sql`
    UPDATE job_runs SET next_at = ${now}
     WHERE state = 'queued' AND next_at > ${instant(latest.retryMilliseconds)}`.execute(connection);
  const running = await sql`
    UPDATE job_runs SET heartbeat_at = ${now}
     WHERE state = 'running' AND heartbeat_at > ${sign}`.execute(connection);
  return [schedules, queued, running].reduce(
    (sum, { numAffectedRows }) => sum + Number(numAffectedRows ?? 0n),
    0,
  );
}

export async function insertRuns(
  connection: Connection,
  schedule: string,
  dueMilliseconds: readonly number[],
  nowMilliseconds: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO job_runs (schedule, due_at, state, queued_at, next_at)
    SELECT ${schedule}, to_timestamp(due / 1000), 'queued', ${instant(nowMilliseconds)}, ${instant(nowMilliseconds)}
      FROM unnest(${[...dueMilliseconds]}::float8[]) AS due
    ON CONFLICT (schedule, due_at) DO NOTHING`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}

/** One more run of a schedule, due now, unless one waits or works already. Returns whether there is a new one. */
export async function insertRunDueNow(
  connection: Connection,
  schedule: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const now = instant(nowMilliseconds);
  const { numAffectedRows } = await sql`
    INSERT INTO job_runs (schedule, due_at, state, queued_at, next_at)
    SELECT id, ${now}, 'queued', ${now}, ${now}
      FROM schedules
     WHERE id = ${schedule} AND enabled
       AND NOT EXISTS (
             SELECT FROM job_runs WHERE schedule = ${schedule} AND state IN ('queued', 'running'))
    ON CONFLICT (schedule, due_at) DO NOTHING`.execute(connection);
  return numAffectedRows === 1n;
}

export interface HandedRun {
  id: number;
  /** How often it was handed to the queue, this time included. */
  attempts: number;
}

/**
 * Takes the runs that are due for the queue: new ones, lost ones, and those whose worker no longer shows a sign of life.
 * The row is marked before the message goes out: marked afterwards, a fast worker's `running` would be overwritten.
 */
export async function updateRunsHandedOver(
  connection: Connection,
  times: { nowMilliseconds: number; nextMilliseconds: number; silentSinceMilliseconds: number },
  limit: number,
): Promise<HandedRun[]> {
  const { rows } = await sql<HandedRun>`
    UPDATE job_runs
       SET state = 'queued', attempts = attempts + 1, next_at = ${instant(times.nextMilliseconds)}
     WHERE id IN (
             SELECT id
               FROM job_runs
              WHERE (state = 'queued' AND next_at <= ${instant(times.nowMilliseconds)})
                 OR (state = 'running' AND heartbeat_at < ${instant(times.silentSinceMilliseconds)})
              ORDER BY due_at, id
              LIMIT ${limit}
                FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id, attempts`.execute(connection);
  return rows;
}

/** The message did not go out: the next round takes these again. */
export async function updateRunsNotHandedOver(
  connection: Connection,
  ids: readonly number[],
  nowMilliseconds: number,
): Promise<void> {
  await sql`
    UPDATE job_runs SET next_at = ${instant(nowMilliseconds)}
     WHERE id = ANY(${[...ids]}::bigint[]) AND state = 'queued'`.execute(connection);
}

export interface BegunRun {
  id: number;
  fence: number;
  schedule: string;
  due_at: string;
  payload: Record<string, string>;
}

/**
 * Begins a run, unless another worker shows signs of life on it: a message may come twice. The fence grows, and every
 * later write of a former owner, who was only slow after all, names an older one and finds nothing.
 */
export async function updateRunBegun(
  connection: Connection,
  id: number,
  nowMilliseconds: number,
  silentSinceMilliseconds: number,
): Promise<BegunRun | null> {
  const { rows } = await sql<BegunRun>`
    UPDATE job_runs AS run
       SET state = 'running', fence = run.fence + 1, started_at = ${instant(nowMilliseconds)},
           heartbeat_at = ${instant(nowMilliseconds)}, error = NULL
      FROM schedules AS schedule
     WHERE run.id = ${id}
       AND (run.state = 'queued'
            OR (run.state = 'running' AND run.heartbeat_at < ${instant(silentSinceMilliseconds)}))
       AND schedule.id = run.schedule
    RETURNING run.id, run.fence, run.schedule, run.due_at, schedule.payload`.execute(connection);
  return rows[0] ?? null;
}

type Fenced = Pick<BegunRun, 'id' | 'fence'>;

/** False: another worker has taken the run over. */
export async function updateRunHeartbeat(
  connection: Connection,
  run: Fenced,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs SET heartbeat_at = ${instant(nowMilliseconds)}
     WHERE id = ${run.id} AND fence = ${run.fence} AND state IN ('queued', 'running')`.execute(connection);
  return numAffectedRows === 1n;
}

export async function updateRunDone(
  connection: Connection,
  run: Fenced,
  result: JobResult,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'done', finished_at = ${instant(nowMilliseconds)}, result = ${JSON.stringify(result)}::jsonb
     WHERE id = ${run.id} AND fence = ${run.fence} AND state IN ('queued', 'running')`.execute(connection);
  return numAffectedRows === 1n;
}

export async function updateRunFailed(
  connection: Connection,
  run: Fenced,
  error: string,
  nowMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'failed', finished_at = ${instant(nowMilliseconds)}, error = ${error}
     WHERE id = ${run.id} AND fence = ${run.fence} AND state IN ('queued', 'running')`.execute(connection);
  return numAffectedRows === 1n;
}

/** Back into the queue at a later moment: after an error, or because this process is about to end. */
export async function updateRunReturned(
  connection: Connection,
  run: Fenced,
  error: string | null,
  nextMilliseconds: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE job_runs
       SET state = 'queued', next_at = ${instant(nextMilliseconds)}, error = ${error}
     WHERE id = ${run.id} AND fence = ${run.fence} AND state IN ('queued', 'running')`.execute(connection);
  return numAffectedRows === 1n;
}

/** Some of them at a time. */
export async function deleteFinishedRuns(
  connection: Connection,
  { before, portion }: Pick<RemovalLimits, 'before' | 'portion'>,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM job_runs
     WHERE id IN (
             SELECT id FROM job_runs
              WHERE state IN ('done', 'failed') AND finished_at < ${before}
              ORDER BY finished_at
              LIMIT ${portion})`.execute(connection);
  return Number(numAffectedRows ?? 0n);
}
