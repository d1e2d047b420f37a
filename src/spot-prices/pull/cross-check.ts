import { Decimal } from 'decimal.js';
import { DateTime } from 'luxon';
import { asksSyntheticOnly } from '../../config/prices.ts';
import type { Connection } from '../../platform/database/db.ts';
import {
  addDays,
  type DayGrid,
  type DeliveryDay,
  gridOf,
  MARKET_TIME_ZONE,
  type Zone,
  zoneOf,
} from '../calendar.ts';
import { isUnusable, type PriceParts, type PullAttempt, type PullReport } from '../parts.ts';
import {
  dayAnswer,
  type FetchOutcome,
  type ReadExchange,
  type SourceExchange,
} from '../providers/exchange.ts';
import { meansSource, originOf } from '../providers/index.ts';
import { pause, waitFor } from '../providers/pause.ts';
import { hasZone } from '../providers/price-source.ts';
import { listServedPricesByDay, listSourceDays, listSourceValues, type StartAmounts } from '../queries.ts';
import { listDisputedDays, raiseAlarm, resolveAlarms } from '../store/alarms.ts';
import { isComparedSinceChange, lockDayWrites } from '../store/day-statements.ts';
import { differences, reportComparison } from '../store/disagreements.ts';
import { serveDay } from '../store/serving.ts';
import {
  configuredSources,
  findPause,
  recordFailedJob,
  recordFailure,
  recordSuccess,
} from '../store/sources.ts';
import { storeExchange } from '../store/store.ts';
import { pullChunk, reportOf } from './pull.ts';
import { waitBeforeRetry } from './retries.ts';

const HOUR = 3_600_000;
/** Berlin's clock on the day before delivery: hourly means are published by then, and the line that compares runs. */
const COMPARED_FROM = { hour: 16, minute: 20 };

export interface CrossCheckReport {
  readonly deliveryOn: DeliveryDay;
  /** Sources of origins that had not given the whole day yet. */
  readonly attempts: readonly PullAttempt[];
  /** Outcome of asking for hourly means; null where that was not possible or nothing was there to compare. */
  readonly means: {
    readonly outcome: FetchOutcome;
    readonly compared: number;
    readonly differing: number;
  } | null;
  readonly changed: boolean;
}

/**
 * Whether a complete day still waits to be held against hourly means: nobody gave them yet, or what is served has changed
 * since. Asked of the day and not of one pull, so that a failed comparison is made up for by the next line.
 */
export async function isComparisonDue(parts: PriceParts, deliveryOn: DeliveryDay): Promise<boolean> {
  const zone = zoneOf(deliveryOn);
  if (!hasZone(meansSource, zone) || asksSyntheticOnly(parts.config)) return false;
  const dayBefore = DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE });
  if (parts.clock.nowMilliseconds() < dayBefore.set(COMPARED_FROM).toMillis()) return false;
  return await parts.database.asService(
    async (connection) => (await isComparedSinceChange(connection, zone, deliveryOn)) === false,
  );
}

/**
 * Asks those whose origin has not given the day yet, and holds hourly means against what is there. Only
 * another origin confirms a value.
 */
export async function crossCheckDay(
  parts: PriceParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<CrossCheckReport> {
  const zone = zoneOf(deliveryOn);
  const startedAt = parts.clock.nowMilliseconds();
  const attempts: PullAttempt[] = [];
  let changed = false;
  const seen = new Set(await completeOrigins(parts, zone, deliveryOn));
  for (const source of configuredSources(parts.config)) {
    if (seen.has(originOf(source))) continue;
    const task = { source, days: [deliveryOn], retries: 'job' as const, startedAt };
    const [report] = await pullChunk(parts, { ...task, ...(signal === undefined ? {} : { signal }) });
    if (report === undefined) continue;
    attempts.push(...report.attempts);
    changed ||= report.changed;
    if (report.attempts.at(-1)?.outcome === 'published') seen.add(originOf(source));
  }
  const means = await askMeans(parts, zone, deliveryOn, signal);
  const { from, to } = gridOf(deliveryOn);
  if (to - from !== 24 * HOUR && seen.size < 2 && (means?.report.compared ?? 0) === 0) {
    parts.log.warn(
      { delivery_on: deliveryOn },
      'no second origin to compare a day with on which the clocks change',
    );
  }
  return { deliveryOn, attempts, means: means?.report ?? null, changed: changed || means?.changed === true };
}

/** Hourly means alone: for a day whose feeds have just been asked. */
export async function compareMeans(
  parts: PriceParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<CrossCheckReport['means']> {
  return (await askMeans(parts, zoneOf(deliveryOn), deliveryOn, signal))?.report ?? null;
}

/** Between the days that hourly means are asked for: their source bears about 60 requests a minute. */
export const MEANS_PACE_MILLISECONDS = 1_000;

/**
 * Compares those of some changed days again about which hourly means had something to say: a corrected value ends the alarm
 * about the one before. Stops where their source gives no usable answer.
 */
export async function compareDisputed(
  parts: PriceParts,
  changed: readonly DeliveryDay[],
  signal?: AbortSignal,
): Promise<void> {
  const disputed = await parts.database.asService((connection) =>
    listDisputedDays(connection, meansSource.name, changed),
  );
  for (const [index, deliveryOn] of disputed.entries()) {
    if (index > 0) await waitFor(parts, MEANS_PACE_MILLISECONDS, signal);
    if (signal?.aborted === true) return;
    if (!(await isComparisonDue(parts, deliveryOn))) continue;
    const means = await compareMeans(parts, deliveryOn, signal);
    if (means === null || isUnusable(means.outcome)) return;
  }
}

async function completeOrigins(parts: PriceParts, zone: Zone, deliveryOn: DeliveryDay): Promise<string[]> {
  const days = await parts.database.asService((connection) =>
    listSourceDays(connection, zone, deliveryOn, deliveryOn),
  );
  const { count } = gridOf(deliveryOn);
  return days.filter((day) => day.interval_count === count).map((day) => originOf(day.source));
}

interface ComparedMeans {
  readonly report: NonNullable<CrossCheckReport['means']>;
  readonly changed: boolean;
}

async function askMeans(
  parts: PriceParts,
  zone: Zone,
  deliveryOn: DeliveryDay,
  signal: AbortSignal | undefined,
): Promise<ComparedMeans | null> {
  const { database } = parts;
  if (asksSyntheticOnly(parts.config)) return null;
  const isPaused = await database.asService((connection) => findPause(connection, parts, meansSource.name));
  if (!hasZone(meansSource, zone) || isPaused !== null) return null;
  const startedAt = parts.clock.nowMilliseconds();
  for (let failures = 1; ; failures += 1) {
    const read = await meansSource.ask(parts, deliveryOn, signal);
    const compared = await storeMeans(parts, zone, deliveryOn, read);
    if (compared.report.outcome !== 'transient_failure') return compared;
    const wait = waitBeforeRetry('job', failures, parts.clock.nowMilliseconds() - startedAt);
    if (wait === null) {
      await database.asService((connection) => recordFailedJob(connection, parts, meansSource.name));
      return compared;
    }
    await pause(parts, wait, signal);
  }
}

/** Keeps the attempt and compares; the means themselves are stored nowhere. */
async function storeMeans(
  parts: PriceParts,
  zone: Zone,
  deliveryOn: DeliveryDay,
  { exchange, days }: ReadExchange,
): Promise<ComparedMeans> {
  return await parts.database.asService(async (connection) => {
    await lockDayWrites(connection, zone, [deliveryOn]);
    const about = { zone, source: meansSource.name, days: [deliveryOn] };
    const fetchId = await storeExchange(connection, parts, about, exchange);
    const { outcome } = exchange;
    const reading = days?.[0];
    if (reading === undefined || dayAnswer(reading, 0).outcome === 'rejected') {
      await storeRefusal(connection, parts, { zone, deliveryOn, exchange, fetchId });
      return { report: { outcome, compared: 0, differing: 0 }, changed: false };
    }
    await recordSuccess(connection, parts, meansSource.name, [deliveryOn]);
    await resolveAlarms(connection, parts, { kind: 'rejected', zone, source: meansSource.name, deliveryOn });

    const grid = gridOf(deliveryOn);
    const hours: StartAmounts = new Map(reading.points.map(({ start, eurMwh }) => [start, eurMwh]));
    const values = await listSourceValues(connection, zone, grid);
    const compareHours = (amounts: StartAmounts) => {
      const means = hourlyMeans(grid, amounts);
      const compared = [...means.keys()].filter((start) => hours.has(start)).length;
      return { found: differences(means, hours), compared, isWhole: compared === means.size };
    };
    const confirmed = [...values].flatMap(([source, amounts]) => {
      const { found, compared } = compareHours(amounts);
      return compared === (grid.to - grid.from) / HOUR && found.length === 0 ? [source] : [];
    });
    const served = await serveDay(connection, parts, { zone, deliveryOn, seenAt: null, confirmed });
    const servedAmounts = await listServedPricesByDay(connection, zone, grid.from, grid.to);
    let report: ComparedMeans['report'] = { outcome, compared: 0, differing: 0 };
    for (const [source, amounts] of values) {
      const isServed = source === served.source;
      /* What its source sent later may be held back. */
      const { found, compared, isWhole } = compareHours(isServed ? servedAmounts : amounts);
      if (isServed || served.source === null) report = { outcome, compared, differing: found.length };
      /* An hour that the answer leaves out may be the one that differed: an alarm stands until it is compared. */
      if (isServed && found.length === 0 && !isWhole) continue;
      await reportComparison(connection, parts, {
        ...{ zone, grid, compared, fetchId, names: [source, meansSource.name] },
        /* Prices that are not served are wrong for nobody: an alarm from the time when they were served is over. */
        differences: isServed ? found : [],
      });
    }
    return { report, changed: served.changed };
  });
}

interface ComparisonRefusal {
  readonly zone: Zone;
  readonly deliveryOn: DeliveryDay;
  readonly exchange: SourceExchange;
  readonly fetchId: number;
}

async function storeRefusal(
  connection: Connection,
  parts: PriceParts,
  { zone, deliveryOn, exchange, fetchId }: ComparisonRefusal,
): Promise<void> {
  const source = meansSource.name;
  const { outcome, retryAfterSeconds } = exchange;
  const detail = exchange.detail ?? outcome;
  await recordFailure(connection, parts, { zone, source, outcome, detail, fetchId, retryAfterSeconds });
  parts.log.warn({ source, outcome, detail }, 'hourly means could not be compared');
  if (outcome !== 'rejected') return;
  await raiseAlarm(connection, parts, {
    ...{ kind: 'rejected', zone, source, deliveryOn, fetchId },
    detail: `${deliveryOn}: the answer of ${source} is not accepted: ${detail}`,
  });
}

/** The arithmetic mean of each hour of which every interval is there, by the hour's start. */
export function hourlyMeans(grid: DayGrid, values: StartAmounts): Map<number, string> {
  const means = new Map<number, string>();
  const step = grid.minutes * 60_000;
  for (let hour = grid.from; hour < grid.to; hour += HOUR) {
    const parts: string[] = [];
    for (let start = hour; start < hour + HOUR; start += step) {
      const value = values.get(start);
      if (value !== undefined) parts.push(value);
    }
    if (parts.length * step !== HOUR) continue;
    means.set(
      hour,
      Decimal.sum(...parts)
        .dividedBy(parts.length)
        .toFixed(),
    );
  }
  return means;
}

/**
 * Asks for a second origin at once where a day is held back: nobody should wait for its prices until the afternoon, nor
 * for ever where the day is long over.
 */
export async function confirmSuspect(
  parts: PriceParts,
  report: PullReport,
  signal?: AbortSignal,
): Promise<PullReport> {
  const { deliveryOn, outcome, attempts, changed } = report;
  /* A part of it may have been served before the whole day looked wrong. */
  const isHeld = outcome === 'partial' && attempts.some((attempt) => attempt.outcome === 'published');
  if (outcome !== 'suspect' && !isHeld) return report;
  const checked = await crossCheckDay(parts, deliveryOn, signal);
  const all = [...attempts, ...checked.attempts];
  return await reportOf(parts, zoneOf(deliveryOn), deliveryOn, all, changed || checked.changed);
}
