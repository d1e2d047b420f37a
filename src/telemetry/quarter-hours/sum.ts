import { DateTime } from 'luxon';
import { type Clock, elapsedSeconds } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../platform/database/pg-errors.ts';
import { ON_TIME_SECONDS, OVERLAP_SECONDS } from '../../platform/database/time-limits.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { createPace, type Pace, withoutRest } from './pace.ts';
import { createPortion, type Portion } from './portion.ts';
import {
  findProgress,
  findStoredSince,
  type Span,
  updateLateSums,
  updateOldestEntry,
  updateProgress,
  updateSums,
} from './queries.ts';

const QUARTER_HOUR_SECONDS = 900;
/** After days without a worker so many quarter hours are summed together. */
const SPAN_QUARTER_HOURS = 96;
/** How far a gateway's clock may run ahead. */
const AHEAD_SECONDS = 60;
/**
 * One run works so long on late rows, and so long on what it is behind: the first sums of a large store take hours, and
 * meanwhile neither the present nor late rows are left lying. What is left the next run does.
 */
const LATE_SECONDS_MAX = 90;
const BEHIND_SECONDS_MAX = 200;

interface SumDeps {
  /** Opened with the role for maintenance. */
  maintenance: Database;
  clock: Clock;
}

interface Sums {
  readonly maintenance: Database;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  readonly assets: Portion;
  readonly total: { sums: number; late_entries: number };
}

const instantOf = (seconds: number) => new Date(seconds * 1_000).toISOString();
const secondsOf = (instant: string) => DateTime.fromISO(instant).toSeconds();
const quarterHourOf = (seconds: number) => Math.floor(seconds / QUARTER_HOUR_SECONDS) * QUARTER_HOUR_SECONDS;

/**
 * Before this instant, in seconds since 1970, quarter hours are final: rows on time were committed before it. A writer asks
 * right before its COMMIT whether its rows are still on time, and no transaction is open for longer than the rest.
 */
export function finalUntil(nowMilliseconds: number): number {
  return quarterHourOf(nowMilliseconds / 1_000 - ON_TIME_SECONDS - OVERLAP_SECONDS);
}

/**
 * Sums snapshots by quarter hour: those of late rows again, those that became final since the last run, and those that are
 * still open, so that analysts see what was sent until now. Killed at any moment it goes on where it was: sums that are
 * written are written again.
 */
export function sumQuarterHours(deps: SumDeps, { signal }: Pick<JobRun, 'signal'>): Promise<JobResult> {
  return sumAtPace(deps, signal, createPace(signal));
}

/** The same as fast as it goes, for who waits for it. */
export function sumQuarterHoursNow(deps: SumDeps, { signal }: Pick<JobRun, 'signal'>): Promise<JobResult> {
  return sumAtPace(deps, signal, withoutRest);
}

async function sumAtPace(
  { maintenance, clock }: SumDeps,
  signal: AbortSignal,
  pace: Pace,
): Promise<JobResult> {
  const nowMilliseconds = clock.nowMilliseconds();
  const sums: Sums = {
    ...{ maintenance, signal, pace },
    assets: createPortion({ start: 500, max: 20_000, pace }),
    total: { sums: 0, late_entries: 0 },
  };
  await sumLate(sums);
  const reached = await sumFinal(sums, finalUntil(nowMilliseconds));
  const isCurrent = reached >= finalUntil(nowMilliseconds);
  if (isCurrent) {
    pace.behind(0);
    const open = {
      begun: reached,
      ended: quarterHourOf(nowMilliseconds / 1_000 + AHEAD_SECONDS) + QUARTER_HOUR_SECONDS,
    };
    await sumSpan(sums, open.begun, open.ended);
    await maintenance.asService((connection) =>
      updateProgress(connection, instantOf(reached), new Date(nowMilliseconds).toISOString()),
    );
  }
  return { ...sums.total, final_until: instantOf(reached), is_current: isCurrent };
}

async function sumLate({ maintenance, signal, pace, total }: Sums): Promise<void> {
  const begun = performance.now();
  const entries = createPortion({ start: 500, max: 20_000, pace });
  while (elapsedSeconds(begun) < LATE_SECONDS_MAX) {
    signal.throwIfAborted();
    const portion = await entries
      .run((size) => maintenance.asService((connection) => updateLateSums(connection, size)))
      .catch(async (error: unknown) => {
        if (sqlState(error) !== SQLSTATE.queryCanceled) throw error;
        await maintenance.asService((connection) => updateOldestEntry(connection));
        return null;
      });
    if (portion === null) continue;
    if (portion.entries_taken === 0) return;
    total.late_entries += portion.entries_taken;
    total.sums += portion.sums_written;
  }
}

/** Goes on from the last final quarter hour as far as the time of a run allows, and gives where it came to. */
async function sumFinal(sums: Sums, until: number): Promise<number> {
  const { maintenance, pace } = sums;
  const begun = performance.now();
  const { summed_until } = await maintenance.asService((connection) => findProgress(connection, 1));
  let reached = summed_until === null ? Number.NEGATIVE_INFINITY : secondsOf(summed_until);
  while (reached < until && elapsedSeconds(begun) < BEHIND_SECONDS_MAX) {
    pace.behind(until - reached);
    const stored = await maintenance.asService((connection) =>
      findStoredSince(connection, Number.isFinite(reached) ? instantOf(reached) : '-infinity'),
    );
    const from = Math.min(until, stored === null ? until : quarterHourOf(secondsOf(stored)));
    const to = Math.min(until, from + SPAN_QUARTER_HOURS * QUARTER_HOUR_SECONDS);
    if (from < to) await sumSpan(sums, from, to);
    reached = to;
    await maintenance.asService((connection) => updateProgress(connection, instantOf(to), instantOf(to)));
  }
  return reached;
}

/** All assets, some at a time; in halves of the span where one asset has more snapshots than a statement can read. */
async function sumSpan(sums: Sums, begun: number, ended: number): Promise<void> {
  const { maintenance, signal, assets, total } = sums;
  const span: Span = { begun: instantOf(begun), ended: instantOf(ended) };
  try {
    for (let after = 0; ; ) {
      signal.throwIfAborted();
      const written = await assets.run((assetsMax) =>
        maintenance.asService((connection) => updateSums(connection, span, { after, assetsMax })),
      );
      total.sums += written.sums_written;
      if (written.last_asset === null) return;
      after = written.last_asset;
    }
  } catch (error) {
    const quarterHours = (ended - begun) / QUARTER_HOUR_SECONDS;
    if (sqlState(error) !== SQLSTATE.queryCanceled || quarterHours === 1) throw error;
    const middle = begun + Math.floor(quarterHours / 2) * QUARTER_HOUR_SECONDS;
    await sumSpan(sums, begun, middle);
    await sumSpan(sums, middle, ended);
  }
}
