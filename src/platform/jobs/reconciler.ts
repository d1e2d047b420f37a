import type { Clock } from '../clock.ts';
import type { Connection, Database } from '../database/db.ts';
import { checkedPayload, type ScheduleLine } from './jobs.ts';
import { SILENCE_MILLISECONDS_MAX } from './processor.ts';
import { insertRuns, isScheduleUnderWay, updateRunsToNow, updateSilentRuns } from './queries.ts';
import {
  listEnabledSchedules,
  lockSchedules,
  type ScheduleRow,
  tryLockSchedules,
  updateLastDue,
  updateSchedulesDisabled,
  updateSchedulesToNow,
  upsertSchedule,
} from './schedule-queries.ts';
import { assertTimetable, dueTicks } from './ticks.ts';

/** Workers' clocks differ by less: what lies further ahead was written by a clock that was wrong. */
const CLOCK_DIFFERENCE_MILLISECONDS_MAX = 60_000;
/** No retry waits longer. */
const RETRY_MILLISECONDS_MAX = 2 * 3_600_000;

export interface ReconcilerParts {
  database: Database;
  clock: Clock;
}

/**
 * Writes the lines of this version into the table. Ticks that were due under the old text of a changed line are decided
 * before the new text takes its place. A line that is gone makes no more ticks. A worker calls this when it starts: what it
 * has to do then becomes a run like any other.
 */
export async function registerSchedules(
  parts: ReconcilerParts,
  lines: readonly ScheduleLine[],
): Promise<void> {
  for (const line of lines) {
    assertTimetable(line);
    checkedPayload(line.job, line.payload ?? {});
  }
  await parts.database.asService(async (connection) => {
    await lockSchedules(connection);
    const now = parts.clock.nowMilliseconds();
    await undoFutures(connection, now);
    const known = new Map((await listEnabledSchedules(connection)).map((row) => [row.id, row]));
    for (const line of lines) {
      const row = known.get(line.id);
      const changed = row !== undefined && (row.cron !== line.cron || row.time_zone !== line.timeZone);
      if (changed) await decideOldText(connection, row, now);
      await upsertSchedule(connection, line, now);
    }
    await updateSchedulesDisabled(
      connection,
      lines.map((line) => line.id),
    );
    for (const line of lines) {
      if (line.atStart !== true || (await isScheduleUnderWay(connection, line.id))) continue;
      await insertTicks(connection, { id: line.id, job: line.job.name, payload: line.payload ?? {} }, [now]);
    }
  });
}

async function undoFutures(connection: Connection, now: number): Promise<void> {
  const signMilliseconds = now + CLOCK_DIFFERENCE_MILLISECONDS_MAX;
  await updateSchedulesToNow(connection, now, signMilliseconds);
  await updateRunsToNow(connection, now, {
    signMilliseconds,
    retryMilliseconds: now + RETRY_MILLISECONDS_MAX,
  });
}

async function decideOldText(connection: Connection, row: ScheduleRow, now: number): Promise<void> {
  await decide(connection, row, now);
  await updateLastDue(connection, row.id, now);
}

/**
 * The round: turns every tick that fell due since the last one into a row, and gives back the runs whose worker has gone
 * silent. One worker at a time does it; a tick's key would refuse a double row anyway. Returns how many rows are new.
 */
export async function reconcile(parts: ReconcilerParts): Promise<number> {
  return parts.database.asService(async (connection) => {
    if (!(await tryLockSchedules(connection))) return 0;
    const now = parts.clock.nowMilliseconds();
    await undoFutures(connection, now);
    await updateSilentRuns(connection, now, now - SILENCE_MILLISECONDS_MAX);
    let added = 0;
    for (const row of await listEnabledSchedules(connection)) added += await decide(connection, row, now);
    return added;
  });
}

async function decide(connection: Connection, row: ScheduleRow, now: number): Promise<number> {
  const timetable = {
    cron: row.cron,
    timeZone: row.time_zone,
    catchUp: row.catch_up,
    ageSecondsMax: row.max_age_seconds,
  };
  const { due, decidedUntil } = dueTicks(timetable, row.last_due_milliseconds, now);
  const added = due.length === 0 ? 0 : await insertTicks(connection, row, due);
  if (decidedUntil > row.last_due_milliseconds) await updateLastDue(connection, row.id, decidedUntil);
  return added;
}

function insertTicks(
  connection: Connection,
  { id, job, payload }: Pick<ScheduleRow, 'id' | 'job' | 'payload'>,
  due: readonly number[],
): Promise<number> {
  const instants = due.map((milliseconds) => new Date(milliseconds).toISOString());
  return insertRuns(
    connection,
    { job, schedule: id },
    instants.map((runAt) => ({ payload, key: `${id} ${runAt}`, runAt })),
  );
}
