import { DateTime } from 'luxon';
import { isEnabled } from '../../config/price-sources.ts';
import { asksSyntheticOnly, type PriceConfig } from '../../config/prices.ts';
import type { JobResult, JobRun } from '../../platform/jobs/jobs.ts';
import type { DeliveryDay } from '../calendar.ts';
import { deliveryDayOf } from '../jobs.ts';
import { isUnusable, type PriceParts } from '../parts.ts';
import { REALIZED_SOURCES, SOURCES, type SourceName } from '../providers/index.ts';
import {
  compareDisputed,
  compareMeans,
  confirmSuspect,
  crossCheckDay,
  isComparisonDue,
} from '../pull/cross-check.ts';
import { lookForPublication } from '../pull/publication.ts';
import { pullDay } from '../pull/pull.ts';
import { recheck } from '../pull/recheck.ts';
import { endAlarmsBeside } from '../store/alarms.ts';
import { deleteOldPayloads } from '../store/fetch-records.ts';
import { configuredSources } from '../store/sources.ts';
import { listSuspectDays } from './day-queries.ts';
import { fillGaps, judgeAgain } from './gaps.ts';
import { judgeLateness } from './lateness.ts';

/* What the worker process does about prices. */

const PAYLOAD_DAYS = 90;
const PAYLOADS_AT_ONCE = 1_000;

type UpkeepRun<Payload> = Pick<JobRun<Payload>, 'payload' | 'dueAt' | 'signal' | 'closing' | 'log'>;

/** Ends as soon as the process is about to end: whatever a pull has not stored yet, the next one brings. */
function signalOf(run: Pick<JobRun, 'signal' | 'closing'>): AbortSignal {
  return AbortSignal.any([run.signal, run.closing]);
}

/** Whoever is asked by this configuration. */
function sourcesInUse(config: PriceConfig): SourceName[] {
  const realized = configuredSources(config);
  if (asksSyntheticOnly(config)) return realized;
  const realizedNames: readonly SourceName[] = REALIZED_SOURCES;
  const others = SOURCES.filter(
    (source) => !realizedNames.includes(source.name) && isEnabled(config, source),
  );
  return [...realized, ...others.map(({ name }) => name)];
}

/** Ends alarms about answers of sources that are not configured any more: no answer of theirs can ever end them. */
export async function endAlarmsOfUnasked(
  parts: Pick<PriceParts, 'database' | 'config' | 'clock' | 'log'>,
): Promise<number> {
  const sources = sourcesInUse(parts.config);
  return await parts.database.asService((connection) => endAlarmsBeside(connection, parts, sources));
}

export async function pullSpotPrices(deps: PriceParts, run: UpkeepRun<{ day: number }>): Promise<JobResult> {
  const parts = { ...deps, log: run.log };
  const signal = signalOf(run);
  const deliveryOn = deliveryDayOf(run.dueAt, run.payload.day);
  await endAlarmsOfUnasked(parts);
  const pulled = async () => confirmSuspect(parts, await pullDay(parts, { deliveryOn, signal }), signal);
  const report = await pulled().catch((error: unknown) => failedPull(parts, deliveryOn, error));
  signal.throwIfAborted();
  const lateness = await judgeLateness(parts, deliveryOn);
  const wasAsked = report.outcome !== 'already_complete' && report.outcome !== 'busy';
  const publication = wasAsked ? await lookForPublication(parts, deliveryOn, signal) : null;
  const isDue = report.outcome !== 'busy' && (await isComparisonDue(parts, deliveryOn));
  const compared = isDue ? await crossCheckDay(parts, deliveryOn, signal) : null;
  const { outcome, servedSource, attempts, changed } = report;
  return {
    delivery_on: deliveryOn,
    outcome,
    served_source: servedSource,
    changed,
    lateness,
    attempts: attempts.map((attempt) => `${attempt.source} ${attempt.outcome} ${attempt.intervals}`),
    ...(publication === null ? {} : { publication }),
    ...(compared === null ? {} : { compared }),
  };
}

/** A day that nobody can store, whatever the reason, is late as well. */
async function failedPull(parts: PriceParts, deliveryOn: DeliveryDay, error: unknown): Promise<never> {
  await judgeLateness(parts, deliveryOn);
  throw error;
}

export async function recheckSpotPrices(
  deps: PriceParts,
  run: UpkeepRun<{ from: number; to: number }>,
): Promise<JobResult> {
  const { from, to } = run.payload;
  const days = Array.from({ length: to - from + 1 }, (_, index) => deliveryDayOf(run.dueAt, from + index));
  const [parts, signal] = [{ ...deps, log: run.log }, signalOf(run)];
  const report = await recheck(parts, { days, signal });
  /* A corrected value ends the alarm about the one before; one that is held back waits for another origin. */
  const suspect = await deps.database.asService(listSuspectDays);
  const held = new Set(suspect.map(({ delivery_on }) => delivery_on));
  const compared: DeliveryDay[] = [];
  for (const day of days) {
    if (!held.has(day) && !(await isComparisonDue(parts, day))) continue;
    const means = await compareMeans(parts, day, signal);
    if (means === null || isUnusable(means.outcome)) break;
    compared.push(day);
  }
  return { from: days[0], to: days.at(-1), ...report, compared };
}

export async function crossCheckSpotPrices(
  deps: PriceParts,
  run: UpkeepRun<{ day: number }>,
): Promise<JobResult> {
  const deliveryOn = deliveryDayOf(run.dueAt, run.payload.day);
  const signal = signalOf(run);
  const parts = { ...deps, log: run.log };
  const compared = await crossCheckDay(parts, deliveryOn, signal);
  const publication = await lookForPublication(parts, deliveryOn, signal);
  signal.throwIfAborted();
  return { delivery_on: deliveryOn, compared, ...(publication === null ? {} : { publication }) };
}

/** Counts from today, whenever it was due: a gap is a gap now. */
export async function fillPriceGaps(deps: PriceParts, run: UpkeepRun<unknown>): Promise<JobResult> {
  const parts = { ...deps, log: run.log };
  const today = deliveryDayOf(deps.clock.now().toISOString(), 0);
  await endAlarmsOfUnasked(parts);
  const signal = signalOf(run);
  const released = await judgeAgain(parts, signal);
  await compareDisputed(parts, released, signal);
  const report = await fillGaps(parts, { today, signal }).catch((error: unknown) =>
    failedPull(parts, today, error),
  );
  await judgeLateness(parts, today);
  if (report.unreached > 0) {
    throw new Error(
      `No feed could be reached for ${report.unreached} delivery days; ${report.filled.length} were filled`,
    );
  }
  return { today, released, ...report };
}

export async function sweepPricePayloads(deps: PriceParts, run: UpkeepRun<unknown>): Promise<JobResult> {
  const before = DateTime.fromMillis(deps.clock.nowMilliseconds(), { zone: 'utc' }).minus({
    days: PAYLOAD_DAYS,
  });
  let removed = 0;
  for (;;) {
    run.signal.throwIfAborted();
    const judged = await deps.database.asService((connection) =>
      deleteOldPayloads(connection, before.toISO() ?? '', PAYLOADS_AT_ONCE),
    );
    removed += judged.removed;
    if (judged.removed + judged.kept < PAYLOADS_AT_ONCE) return { removed };
  }
}
