import { DateTime } from 'luxon';
import { type Clock, elapsedSeconds } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { ON_TIME_SECONDS, OVERLAP_SECONDS } from '../../platform/database/time-limits.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import { type AssetValues, HOUR, QUARTER_HOUR, type Span, type Sum, sumsOf } from './held.ts';
import { createPace, type Pace, withoutRest } from './pace.ts';
import { createPortion, isTooMuch, type Portion, PortionTooLarge } from './portion.ts';
import {
  findNextDays,
  findProgress,
  findStoredSince,
  findUsualDistances,
  type LateEntry,
  nextAssets,
  takeLateEntries,
  updateDaysProgress,
  updateOldestEntry,
  updateProgress,
  writeDays,
  writeSums,
} from './queries.ts';
import { readValues } from './values.ts';

const QUARTER_HOUR_SECONDS = 900;
/** After days without a worker so many quarter hours are summed together. */
const SPAN_QUARTER_HOURS = 96;
/** And so many days: about what lies together in a chunk. */
const SPAN_DAYS = 7;
/**
 * Read at once, 24 MB. So many of one asset count in a quarter hour, more than one a millisecond. A gateway that sends more
 * takes the job from nobody.
 */
const SNAPSHOTS_MAX = 1_000_000;
/** For more, PostgreSQL thinks their values too large for its memory and writes them to disk: twice the cost of a snapshot. */
const ASSETS_MAX = 2_000;
/** How far a gateway's clock may run ahead. */
const AHEAD_SECONDS = 60;
/**
 * One run works so long on late rows, and so long on what it is behind: the first sums of a large store take hours, and
 * meanwhile neither the present nor late rows are left lying. What is left the next run does.
 */
const LATE_SECONDS_MAX = 90;
const BEHIND_SECONDS_MAX = 200;
const DAYS_SECONDS_MAX = 100;

interface SumDeps {
  /** Opened with the role for maintenance. */
  maintenance: Database;
  clock: Clock;
  /** SNAPSHOTS_MAX, where nothing else is given. */
  snapshotsMax?: number;
}

interface Sums {
  readonly maintenance: Database;
  readonly snapshotsMax: number;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  readonly assets: Portion;
  readonly total: { sums: number; late_entries: number; days: number };
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
 * still open, so that analysts see what was sent until now. Then it sums days that are over by their quarter hours. Killed at
 * any moment it goes on where it was: sums that are written are written again.
 */
export function sumQuarterHours(deps: SumDeps, { signal }: Pick<JobRun, 'signal'>): Promise<JobResult> {
  return sumAtPace(deps, signal, createPace(signal));
}

/** The same as fast as it goes, for who waits for it. */
export function sumQuarterHoursNow(deps: SumDeps, { signal }: Pick<JobRun, 'signal'>): Promise<JobResult> {
  return sumAtPace(deps, signal, withoutRest);
}

async function sumAtPace(
  { maintenance, clock, snapshotsMax = SNAPSHOTS_MAX }: SumDeps,
  signal: AbortSignal,
  pace: Pace,
): Promise<JobResult> {
  const nowMilliseconds = clock.nowMilliseconds();
  const sums: Sums = {
    ...{ maintenance, snapshotsMax, signal, pace },
    assets: createPortion({ start: 500, max: ASSETS_MAX, pace }),
    total: { sums: 0, late_entries: 0, days: 0 },
  };
  const openUntil = quarterHourOf(nowMilliseconds / 1_000 + AHEAD_SECONDS) + QUARTER_HOUR_SECONDS;
  await sumLate(sums, openUntil);
  const reached = await sumFinal(sums, finalUntil(nowMilliseconds));
  const isCurrent = reached >= finalUntil(nowMilliseconds);
  if (isCurrent) {
    pace.behind(0);
    await sumSpan(sums, reached, openUntil);
    await maintenance.asService((connection) =>
      updateProgress(connection, instantOf(reached), new Date(nowMilliseconds).toISOString()),
    );
  }
  await sumDays(sums);
  return { ...sums.total, final_until: instantOf(reached), is_current: isCurrent };
}

async function sumLate(
  { maintenance, snapshotsMax, signal, pace, total }: Sums,
  openUntil: number,
): Promise<void> {
  const begun = performance.now();
  const entries = createPortion({ start: 500, max: 20_000, pace });
  while (elapsedSeconds(begun) < LATE_SECONDS_MAX) {
    signal.throwIfAborted();
    const portion = await entries
      .run((size) =>
        maintenance.asService((connection) => writeLateSums(connection, size, snapshotsMax, openUntil)),
      )
      .catch(async (error: unknown) => {
        if (!isTooMuch(error)) throw error;
        await maintenance.asService((connection) => updateOldestEntry(connection));
        return null;
      });
    if (portion === null) continue;
    if (portion.entries === 0) return;
    total.late_entries += portion.entries;
    total.sums += portion.sums;
  }
}

/**
 * Sums again what the next entries of the queue name, and the hour behind it, into which its last values may hold. But no
 * quarter hour that has not begun: nobody knows yet what holds in it.
 */
async function writeLateSums(
  connection: Connection,
  entriesMax: number,
  snapshotsMax: number,
  openUntil: number,
) {
  const entries = await takeLateEntries(connection, entriesMax);
  const ofOneSpan = Map.groupBy(entries, ({ start, quarter_hours }) => `${start} ${quarter_hours}`);
  let sums = 0;
  for (const alike of ofOneSpan.values()) {
    const [{ start, quarter_hours }] = alike as [LateEntry];
    const begun = secondsOf(start) * 1e6;
    const ended = begun + quarter_hours * QUARTER_HOUR;
    const reach = Math.max(ended, Math.min(ended + HOUR, openUntil * 1e6));
    sums += await sumAssets(connection, {
      keys: alike.map(({ asset_id }) => asset_id),
      span: { begun, ownUntil: ended + QUARTER_HOUR, ended: reach },
      /* Few values may be known before a quarter hour that was sent late with all that follow it. */
      usualBefore: begun + 24 * HOUR,
      isSmallest: quarter_hours === 1,
      snapshotsMax,
    });
  }
  return { entries: entries.length, sums };
}

/** Reads the values of assets in a span and writes their sums, behind the lock that nextAssets or takeLateEntries took. */
async function sumAssets(
  connection: Connection,
  {
    keys,
    span,
    usualBefore = span.ended,
    isSmallest,
    snapshotsMax,
  }: {
    keys: readonly number[];
    span: Span & { readonly ownUntil?: number };
    /** How far values of an asset usually lie apart is taken from those before this instant. */
    usualBefore?: number;
    /** No part of the span could be summed by itself. */
    isSmallest: boolean;
    snapshotsMax: number;
  },
): Promise<number> {
  const { assets, snapshots } = await readValues(connection, keys, span, snapshotsMax);
  const isAll = snapshots < snapshotsMax;
  if (!isAll && !(isSmallest && keys.length === 1))
    throw new PortionTooLarge('Too many to be summed at once');
  const summed = isAll ? span : { begun: span.begun, ended: span.begun + QUARTER_HOUR };
  const sums: Sum[] = [];
  const seldom: AssetValues[] = [];
  for (const values of assets) {
    const found = sumsOf(values, summed, null);
    if (found === null) seldom.push(values);
    else for (const sum of found) sums.push(sum);
  }
  if (seldom.length > 0) {
    const keysOfSeldom = seldom.map(({ asset }) => asset);
    const distances = await findUsualDistances(connection, keysOfSeldom, instantOf(usualBefore / 1e6));
    for (const values of seldom) {
      const distance = (distances.get(values.asset) ?? 0) * 1e6;
      for (const sum of sumsOf(values, summed, distance) ?? []) sums.push(sum);
    }
  }
  await writeSums(connection, sums);
  await writeDays(connection, keys, {
    begun: instantOf(span.begun / 1e6),
    ended: instantOf(span.ended / 1e6),
  });
  return sums.length;
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

/**
 * Goes on from the last day that is summed, of all assets, as far as the time of a run allows. The writer of quarter hours
 * of a day that is over has summed that day, so the days before may get their turn at any time.
 */
async function sumDays({ maintenance, signal, pace, total }: Sums): Promise<void> {
  const begun = performance.now();
  const assets = createPortion({ start: 500, max: 20_000, pace });
  while (elapsedSeconds(begun) < DAYS_SECONDS_MAX) {
    const days = await maintenance.asService((connection) => findNextDays(connection, SPAN_DAYS));
    if (days === null) return;
    if (days.first_day < days.end_day) {
      for (let after: number | undefined = 0; after !== undefined; ) {
        signal.throwIfAborted();
        const from: number = after;
        after = await assets.run((assetsMax) =>
          maintenance.asService(async (connection) => {
            const keys = await nextAssets(connection, { after: from, assetsMax });
            if (keys.length > 0) total.days += await writeDays(connection, keys, days);
            return keys.at(-1);
          }),
        );
      }
    }
    await maintenance.asService((connection) => updateDaysProgress(connection, days.end_day));
  }
}

/** All assets, some at a time; in halves of the span where one asset has more snapshots than a statement can read. */
async function sumSpan(sums: Sums, begun: number, ended: number): Promise<void> {
  const { maintenance, snapshotsMax, signal, assets, total } = sums;
  const quarterHours = (ended - begun) / QUARTER_HOUR_SECONDS;
  const span = { begun: begun * 1e6, ended: ended * 1e6 };
  try {
    for (let after: number | undefined = 0; after !== undefined; ) {
      signal.throwIfAborted();
      const from: number = after;
      after = await assets.run((assetsMax) =>
        maintenance.asService(async (connection) => {
          const keys = await nextAssets(connection, { after: from, assetsMax });
          if (keys.length === 0) return undefined;
          total.sums += await sumAssets(connection, {
            keys,
            span,
            isSmallest: quarterHours === 1,
            snapshotsMax,
          });
          return keys.at(-1);
        }),
      );
    }
  } catch (error) {
    if (!isTooMuch(error) || quarterHours === 1) throw error;
    const middle = begun + Math.floor(quarterHours / 2) * QUARTER_HOUR_SECONDS;
    await sumSpan(sums, begun, middle);
    await sumSpan(sums, middle, ended);
  }
}
