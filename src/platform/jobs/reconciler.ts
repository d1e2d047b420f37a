import type { Clock } from '../clock.ts';
import type { Connection, Database } from '../database/db.ts';
import type { ScheduleLine } from './jobs.ts';
import {
  insertRunDueNow,
  insertRuns,
  listEnabledSchedules,
  lockSchedules,
  type ScheduleRow,
  tryLockSchedules,
  updateFuturesToNow,
  updateLastDue,
  updateSchedulesDisabled,
  upsertSchedule,
} from './queries.ts';
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
 * Writes the lines of this version into the table. What was due under the old text of a changed line is decided before
 * the new text takes its place; a line that is gone makes no more ticks. A worker calls this when it starts: what it has
 * to do then becomes a run like any other.
 */
export async function registerSchedules(
  parts: ReconcilerParts,
  lines: readonly ScheduleLine[],
): Promise<void> {
  for (const line of lines) assertTimetable(line);
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
      if (line.atStart === true) await insertRunDueNow(connection, line.id, now);
    }
  });
}

function undoFutures(connection: Connection, now: number): Promise<number> {
  return updateFuturesToNow(connection, now, {
    signMilliseconds: now + CLOCK_DIFFERENCE_MILLISECONDS_MAX,
    retryMilliseconds: now + RETRY_MILLISECONDS_MAX,
  });
}

async function decideOldText(connection: Connection, row: ScheduleRow, now: number): Promise<void> {
  await decide(connection, row, now);
  await updateLastDue(connection, row.id, now);
}

/**
 * Turns every tick that fell due since the last round into a row. One worker at a time does it; the unique pair of
 * schedule and instant would refuse a double row anyway. Returns how many rows are new.
 */
export async function reconcile(parts: ReconcilerParts): Promise<number> {
  return parts.database.asService(async (connection) => {
    if (!(await tryLockSchedules(connection))) return 0;
    const now = parts.clock.nowMilliseconds();
    await undoFutures(connection, now);
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
  const added = due.length === 0 ? 0 : await insertRuns(connection, row.id, due, now);
  if (decidedUntil > row.last_due_milliseconds) await updateLastDue(connection, row.id, decidedUntil);
  return added;
}
