import { DateTime } from 'luxon';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { findProgress } from './queries.ts';
import { finalUntil } from './sum.ts';

/** Beyond this somebody has to look: several runs in a row have not done what fell due. */
export const BEHIND_SECONDS_MAX = 3_600;
export const LATE_SECONDS_MAX = 3_600;
/** More entries than this are shown as so many. */
const ENTRIES_COUNTED_MAX = 100_000;

/** What operators watch, read from the database: any worker may have summed. To be repeated every minute or so. */
export function quarterHourGauges(parts: {
  database: Database;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}): () => Promise<void> {
  const { database, clock, metrics, log } = parts;
  const behind = metrics.gauge(
    'quarter_hours_behind_seconds',
    'How much time is final and not summed by quarter hour yet; 0 where nothing is',
  );
  const waiting = metrics.gauge(
    'late_quarter_hours_waiting',
    `Entries of late snapshots that wait to be summed again, counted up to ${ENTRIES_COUNTED_MAX}`,
  );
  const oldest = metrics.gauge('late_quarter_hours_oldest_seconds', 'For how long the oldest of them waits');
  let isAlarmed = false;
  return async () => {
    const now = clock.nowMilliseconds();
    const progress = await database.asService((connection) => findProgress(connection, ENTRIES_COUNTED_MAX));
    const found = delays(progress, now);
    /* Before the first run nothing says how much there is to do. */
    behind.set(found.behind ?? 0);
    waiting.set(progress.late_entries);
    oldest.set(found.late);
    const isBehind = (found.behind ?? 0) > BEHIND_SECONDS_MAX || found.late > LATE_SECONDS_MAX;
    if (isBehind === isAlarmed) return;
    isAlarmed = isBehind;
    const facts = {
      behindSeconds: found.behind,
      lateEntries: progress.late_entries,
      lateSeconds: found.late,
    };
    if (isBehind) log.error(facts, 'sums by quarter hour are behind: analysts see old figures');
    else log.info(facts, 'sums by quarter hour are up to date again');
  };
}

/** Seconds that final quarter hours, and late rows, wait to be summed. */
export function delays(
  progress: { summed_until: string | null; oldest_late_at: string | null },
  nowMilliseconds: number,
): { behind: number | null; late: number } {
  const since = (instant: string, until: number) =>
    Math.max(0, until - DateTime.fromISO(instant).toSeconds());
  const { summed_until, oldest_late_at } = progress;
  return {
    behind: summed_until === null ? null : since(summed_until, finalUntil(nowMilliseconds)),
    late: oldest_late_at === null ? 0 : since(oldest_late_at, nowMilliseconds / 1_000),
  };
}
