import { sql } from 'kysely';
import type { Connection } from '../database/db.ts';
import type { CatchUp, ScheduleLine } from './jobs.ts';
import { instant } from './queries.ts';

/* Statements on `schedules`, which belong to no organization. */

/** The lock that makes one worker at a time look for due ticks. */
const RECONCILER_LOCK = sql`hashtextextended('voltstream schedules', 0)`;

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
  job: string;
  payload: Readonly<Record<string, string>>;
  cron: string;
  time_zone: string;
  catch_up: CatchUp;
  max_age_seconds: number | null;
  last_due_milliseconds: number;
}

export async function listEnabledSchedules(connection: Connection): Promise<ScheduleRow[]> {
  const { rows } = await sql<ScheduleRow>`
    SELECT id, job, payload, cron, time_zone, catch_up, max_age_seconds,
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
    INSERT INTO schedules (id, job, cron, time_zone, payload, catch_up, max_age_seconds, enabled, last_due_at)
    VALUES (${line.id}, ${line.job.name}, ${line.cron}, ${line.timeZone}, ${JSON.stringify(line.payload ?? {})}::jsonb,
            ${line.catchUp}, ${line.ageSecondsMax ?? null}, true, ${instant(nowMilliseconds)})
    ON CONFLICT (id) DO UPDATE
       SET job = excluded.job, cron = excluded.cron, time_zone = excluded.time_zone, payload = excluded.payload,
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

/** Schedules that a clock that ran ahead has decided up to an instant that has not come: they would stand still until then. */
export async function updateSchedulesToNow(
  connection: Connection,
  nowMilliseconds: number,
  latestMilliseconds: number,
): Promise<void> {
  await sql`
    UPDATE schedules SET last_due_at = ${instant(nowMilliseconds)}
     WHERE enabled AND last_due_at > ${instant(latestMilliseconds)}`.execute(connection);
}
