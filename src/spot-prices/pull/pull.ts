import type { Database } from '../../platform/database/db.ts';
import { type DeliveryDay, type Zone, zoneOf } from '../calendar.ts';
import { isUnusable, type PriceParts, type PullAttempt, type PullReport, type RetryRule } from '../parts.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { findDay } from '../queries.ts';
import type { ServedDay } from '../store/serving.ts';
import { checkUsable, configuredSources } from '../store/sources.ts';
import { askSource, mayAsk, type SourceAnswer } from './ask-source.ts';

export type { PriceParts, PullReport } from '../parts.ts';

export interface PullTask {
  readonly deliveryOn: DeliveryDay;
  /** Only these of the configured ones. */
  readonly sources?: readonly RealizedSource[];
  /** Every source is asked, although the day is complete; what is found unchanged on a later day is no longer suspect. */
  readonly recheck?: boolean;
  /** `job` where absent. */
  readonly retries?: RetryRule;
  readonly signal?: AbortSignal;
}

/**
 * The only way in for realized prices: sources in their order until one has the whole day. A day that is complete makes
 * no request, a day that another pull works on neither.
 */
export async function pullDay(parts: PriceParts, task: PullTask): Promise<PullReport> {
  const { deliveryOn } = task;
  const zone = zoneOf(deliveryOn);
  const complete = await reportIfComplete(parts, zone, task);
  if (complete !== null) return complete;
  return await withDayLocks(parts.database, zone, [deliveryOn], async (held) => {
    if (held.length === 0) return report(deliveryOn, 'busy');
    /* Another pull may have ended between the first look and the lock. */
    return (await reportIfComplete(parts, zone, task)) ?? (await pullLocked(parts, zone, task));
  });
}

/**
 * Takes the locks of those days that no other pull holds, in every process, and runs the work with them. A lock lives as
 * long as its connection: a pull whose process dies holds nobody up.
 */
async function withDayLocks<Result>(
  database: Database,
  zone: Zone,
  days: readonly DeliveryDay[],
  work: (held: readonly DeliveryDay[]) => Promise<Result>,
): Promise<Result> {
  return await database.withClient(async (client) => {
    const names = days.map((day) => `spot prices pulled ${zone} ${day}`);
    const { rows } = await client.query<{ name: string }>(
      `SELECT name
         FROM (SELECT name, pg_try_advisory_lock(hashtextextended(name, 0)) AS held
                 FROM unnest($1::text[]) AS name) AS tried
        WHERE held`,
      [names],
    );
    const held = new Set(rows.map((row) => row.name));
    try {
      return await work(days.filter((_, index) => held.has(names[index] ?? '')));
    } finally {
      await client.query(
        'SELECT pg_advisory_unlock(hashtextextended(name, 0)) FROM unnest($1::text[]) AS name',
        [[...held]],
      );
    }
  });
}

async function reportIfComplete(
  parts: PriceParts,
  zone: Zone,
  { deliveryOn, recheck }: Pick<PullTask, 'deliveryOn' | 'recheck'>,
): Promise<PullReport | null> {
  if (recheck === true) return null;
  const day = await parts.database.asService((connection) => findDay(connection, zone, deliveryOn));
  if (day?.state !== 'complete') return null;
  return { ...report(deliveryOn, 'already_complete'), servedSource: day.served_source };
}

async function pullLocked(parts: PriceParts, zone: Zone, task: PullTask): Promise<PullReport> {
  const { deliveryOn, recheck = false, retries = 'job', signal } = task;
  const startedAt = parts.clock.nowMilliseconds();
  const candidates = configuredSources(parts.config).filter(
    (source) => task.sources?.includes(source) ?? true,
  );
  const attempts: PullAttempt[] = [];
  let changed = false;
  for (const source of candidates) {
    if (!(await mayAsk(parts, source, zone))) continue;
    const question = { source, zone, days: [deliveryOn], retries, startedAt, recheck, signal };
    const answer = await askSource(parts, question);
    attempts.push(attemptOf(source, deliveryOn, answer));
    const stored = answer.status === 'answered' ? answer.days[0] : undefined;
    changed ||= stored?.served.changed === true;
    if (!recheck && stored?.served.state === 'complete') break;
  }
  if (attempts.every(({ outcome }) => isUnusable(outcome))) {
    await parts.database.asService((connection) => checkUsable(connection, parts, zone));
  }
  return await reportOf(parts, zone, deliveryOn, attempts, changed);
}

export interface ChunkTask {
  readonly source: RealizedSource;
  /** Ascending. */
  readonly days: readonly DeliveryDay[];
  /** The daily look at days that are over: what it finds unchanged is no longer suspect. */
  readonly recheck?: boolean;
  /** `backfill` where absent. */
  readonly retries?: RetryRule;
  /** When the run began that this is a part of, in milliseconds since 1970: its retries end together. */
  readonly startedAt?: number;
  readonly signal?: AbortSignal;
}

/**
 * These days of one source with as few requests as it takes, stored day by day, one transaction each. A day that another
 * pull holds is left out as busy.
 */
export async function pullChunk(parts: PriceParts, task: ChunkTask): Promise<readonly PullReport[]> {
  const reports: PullReport[] = [];
  for (const [zone, days] of Map.groupBy(task.days, zoneOf)) {
    const { daysMax } = sources[task.source].pace;
    for (let from = 0; from < days.length; from += daysMax) {
      reports.push(...(await pullRequest(parts, zone, { ...task, days: days.slice(from, from + daysMax) })));
    }
  }
  return reports;
}

async function pullRequest(parts: PriceParts, zone: Zone, task: ChunkTask): Promise<PullReport[]> {
  const { source, days, recheck = false, retries = 'backfill', signal } = task;
  return await withDayLocks(parts.database, zone, days, async (held) => {
    const isAllowed = held.length > 0 && (await mayAsk(parts, source, zone));
    const startedAt = task.startedAt ?? parts.clock.nowMilliseconds();
    const question = { source, zone, days: held, retries, startedAt, recheck, signal };
    const answer = isAllowed ? await askSource(parts, question) : null;
    if (answer?.status === 'failed') {
      await parts.database.asService((connection) => checkUsable(connection, parts, zone));
    }
    const reports: PullReport[] = [];
    for (const day of days) {
      if (!held.includes(day)) reports.push(report(day, 'busy'));
      else {
        const attempts = answer === null ? [] : [attemptOf(source, day, answer)];
        reports.push(await reportOf(parts, zone, day, attempts, changedBy(answer, day)));
      }
    }
    return reports;
  });
}

function changedBy(answer: SourceAnswer | null, day: DeliveryDay): boolean {
  return answer?.status === 'answered' && storedDay(answer, day)?.served.changed === true;
}

function storedDay(answer: Extract<SourceAnswer, { status: 'answered' }>, day: DeliveryDay) {
  return answer.days.find((stored) => stored.day.deliveryOn === day);
}

function attemptOf(source: RealizedSource, day: DeliveryDay, answer: SourceAnswer): PullAttempt {
  if (answer.status === 'failed') return { source, outcome: answer.outcome, intervals: 0 };
  const stored = storedDay(answer, day)?.day;
  return { source, outcome: stored?.outcome ?? 'not_published', intervals: stored?.points.length ?? 0 };
}

function report(deliveryOn: DeliveryDay, outcome: PullReport['outcome']): PullReport {
  return { deliveryOn, outcome, servedSource: null, attempts: [], changed: false };
}

/** What is there for the day after the attempts. */
export async function reportOf(
  parts: PriceParts,
  zone: Zone,
  deliveryOn: DeliveryDay,
  attempts: readonly PullAttempt[],
  changed: boolean,
): Promise<PullReport> {
  const day = await parts.database.asService((connection) => findDay(connection, zone, deliveryOn));
  const served = day === undefined ? null : { source: day.served_source, state: day.state };
  return reportFrom(deliveryOn, served, attempts, changed);
}

/** The same of a day whose state is at hand. */
export function reportFrom(
  deliveryOn: DeliveryDay,
  served: Pick<ServedDay, 'source' | 'state'> | null,
  attempts: readonly PullAttempt[],
  changed: boolean,
): PullReport {
  const servedSource = served?.source ?? null;
  return { deliveryOn, outcome: outcomeOf(), servedSource, attempts, changed };

  function outcomeOf(): PullReport['outcome'] {
    if (served?.state === 'complete' || served?.state === 'suspect') return served.state;
    if (servedSource !== null) return 'partial';
    return attempts.some(({ outcome }) => !isUnusable(outcome)) ? 'not_published' : 'failed';
  }
}
