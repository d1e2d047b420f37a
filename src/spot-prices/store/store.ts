import { settingsOf } from '../../config/price-sources.ts';
import type { PriceConfig } from '../../config/prices.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { type DeliveryDay, deliveryDayAt, gridOf, startText, type Zone } from '../calendar.ts';
import { isUnusable, type PriceParts } from '../parts.ts';
import { type DayAnswer, type DaysAnswer, failureOf, type SourceExchange } from '../providers/exchange.ts';
import {
  REALIZED_SOURCES,
  type RealizedSource,
  SOURCES,
  type SourceName,
  sources,
} from '../providers/index.ts';
import { findDay, listSourceDays } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';
import { lockDayWrites } from './day-statements.ts';
import { insertFetch } from './fetch-records.ts';
import { findNewestCapture, insertRevisions, type NewDay, upsertSourceDays } from './revisions.ts';
import { type DaySeen, type ServedDay, serveDays } from './serving.ts';
import { recordFailure, recordSuccess } from './sources.ts';

/** EUR/MWh. A value outside is kept as it is, and somebody should look. */
const PLAUSIBLE = { from: -500, to: 4000 };

type StoringParts = Pick<PriceParts, 'database' | 'clock' | 'log' | 'metrics' | 'config'>;

export interface StoringTask {
  readonly zone: Zone;
  readonly source: RealizedSource;
  /** The days that were asked for; ascending. */
  readonly days: readonly DeliveryDay[];
  readonly answer: DaysAnswer;
  /** The daily look at days that are over. */
  readonly recheck: boolean;
  /** Off for a file: it says nothing about how the feed does. */
  readonly byNetwork: boolean;
}

export interface StoredDay {
  readonly day: DayAnswer;
  readonly served: ServedDay;
}

/**
 * Keeps every exchange, and each day in a transaction of its own; of a file, which may have years of them, each calendar
 * month. Returns nothing where the source failed.
 */
export async function storeAnswer(parts: StoringParts, task: StoringTask): Promise<StoredDay[]> {
  const failure = failureOf(task.answer);
  if (failure !== null) {
    await parts.database.asService((connection) => storeFailure(connection, parts, task, failure));
    return [];
  }
  const stored: StoredDay[] = [];
  let fetchIds: readonly number[] = [];
  const periods = Map.groupBy(task.answer.days ?? [], ({ deliveryOn }) =>
    task.byNetwork ? deliveryOn : deliveryOn.slice(0, 'YYYY-MM'.length),
  );
  for (const [period, days] of periods) {
    const work = parts.database.asService(async (connection) => {
      const written = days.map(({ deliveryOn }) => deliveryOn);
      await lockDayWrites(connection, task.zone, written);
      const ids = fetchIds.length > 0 ? fetchIds : await storeExchanges(connection, parts, task);
      if (fetchIds.length === 0 && task.byNetwork) await storeStanding(connection, parts, task, ids);
      return { ids, stored: await storeDays(connection, parts, task, days, ids) };
    });
    const done = await work.catch((error: unknown) => {
      if (task.byNetwork) throw error;
      /* The next month would be judged by days that are not there. */
      const reason = error instanceof Error ? error.message : String(error);
      const sentence = `Prices of ${period} and later were not stored, those before are: ${reason}`;
      throw new Error(sentence, { cause: error });
    });
    fetchIds = done.ids;
    stored.push(...done.stored);
  }
  return stored;
}

/** Every attempt is kept, also one that failed; returns their numbers in the same order. */
async function storeExchanges(
  connection: Connection,
  parts: StoringParts,
  { zone, source, days, answer }: StoringTask,
): Promise<number[]> {
  const ids: number[] = [];
  for (const exchange of answer.exchanges) {
    ids.push(await storeExchange(connection, parts, { zone, source, days }, exchange));
  }
  return ids;
}

const FAILED_FETCHES = SOURCES.flatMap(({ name: source }) =>
  (['transient_failure', 'throttled', 'denied', 'rejected'] as const).map((outcome) => ({ source, outcome })),
);

export function fetchCounter(metrics: Metrics) {
  const labels = ['source', 'outcome'] as const;
  return metrics.counter('price_fetches_total', 'Attempts to read prices', labels, FAILED_FETCHES);
}

export function implausibleCounter(metrics: Metrics) {
  const help = 'Prices outside -500 to 4000 EUR/MWh, stored as sent';
  const series = REALIZED_SOURCES.map((source) => ({ source }));
  return metrics.counter('price_implausible_values_total', help, ['source'], series);
}

/** An answer may take 30 s (`ANSWER_MILLISECONDS`), and the alarm is about those above 15. */
const FETCH_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30];

export function fetchSeconds(metrics: Metrics) {
  const help = 'From the request to the last byte of the answer';
  return metrics.histogram('price_fetch_seconds', help, ['source'], FETCH_BUCKETS);
}

/** Writes one exchange of any feed into the records. */
export async function storeExchange(
  connection: Connection,
  parts: Pick<PriceParts, 'config' | 'metrics'>,
  about: { zone: Zone; source: SourceName; days: readonly DeliveryDay[] },
  exchange: SourceExchange,
): Promise<number> {
  const { zone, source } = about;
  const { days = about.days } = exchange;
  const [first = '', last = first] = [days[0], days.at(-1)];
  const { outcome } = exchange;
  fetchCounter(parts.metrics).inc({ source, outcome });
  fetchSeconds(parts.metrics).observe({ source }, (exchange.capturedAt - exchange.requestedAt) / 1000);
  return await insertFetch(connection, {
    ...exchange,
    ...{ zone, source, deliveryFrom: first, deliveryTo: last },
    licence: licenceOf(parts.config, source, exchange.licence),
  });
}

/** The licence text kept with a fetch: what the body says, else what the source publishes about its data. */
function licenceOf(config: PriceConfig, name: SourceName, inBody: string | null): string | null {
  const source = sources[name];
  const ofBody = source.licence.ignoresBody === true ? null : inBody;
  return ofBody ?? settingsOf(config, source).licence;
}

async function storeFailure(
  connection: Connection,
  parts: StoringParts,
  task: StoringTask,
  failure: SourceExchange,
): Promise<void> {
  const ids = await storeExchanges(connection, parts, task);
  if (task.byNetwork) await recordFailed(connection, parts, task, failure, ids.at(-1) ?? null);
}

async function recordFailed(
  connection: Connection,
  parts: StoringParts,
  { zone, source, days }: StoringTask,
  failure: SourceExchange,
  fetchId: number | null,
): Promise<void> {
  const { outcome, retryAfterSeconds } = failure;
  const detail = failure.detail ?? outcome;
  await recordFailure(connection, parts, { zone, source, outcome, detail, fetchId, retryAfterSeconds });
  parts.log.warn(
    { source, outcome, detail, first: days[0], last: days.at(-1) },
    'a source of prices is not usable',
  );
  if (outcome !== 'rejected') return;
  for (const deliveryOn of days.slice(0, 1)) {
    await raiseAlarm(connection, parts, {
      ...{ kind: 'rejected', zone, source, deliveryOn, fetchId },
      detail: `${deliveryOn}: the answer of ${source} is not accepted: ${detail}`,
    });
  }
}

/** Whether the source was usable: it was, unless every asked day was refused. */
async function storeStanding(
  connection: Connection,
  parts: StoringParts,
  task: StoringTask,
  ids: readonly number[],
): Promise<void> {
  const days = task.answer.days ?? [];
  const refused = days.find((day) => !isUnusable(day.outcome)) === undefined ? days[0] : undefined;
  if (refused === undefined) {
    await recordSuccess(connection, parts, task.source, task.days);
    return;
  }
  const detail = refused.refused.join(' ');
  const fetchId = ids[refused.exchange] ?? null;
  await recordFailure(connection, parts, { ...task, outcome: 'rejected', detail, fetchId });
}

async function storeDays(
  connection: Connection,
  parts: StoringParts,
  task: StoringTask,
  days: readonly DayAnswer[],
  fetchIds: readonly number[],
): Promise<StoredDay[]> {
  const { zone, source, recheck } = task;
  await reportRefusals(connection, parts, task, days, fetchIds);
  const given: NewDay[] = [];
  for (const { deliveryOn, points, exchange } of days) {
    const fetchId = fetchIds[exchange];
    if (points.length === 0 || fetchId === undefined) continue;
    if (await cameMeanwhile(deliveryOn)) continue;
    given.push({ grid: gridOf(deliveryOn), points, fetchId, capturedAt: capturedAt(exchange) });
  }
  const values = { source, zone, days: given };
  const revisions = await insertRevisions(connection, values);
  await upsertSourceDays(connection, values, [...revisions.keys()]);
  const seenDays: DaySeen[] = [];
  for (const day of days) seenDays.push(await seen(day));
  const served = await serveDays(connection, parts, zone, seenDays);
  return days.flatMap((day, index) =>
    served.slice(index, index + 1).map((servedDay) => ({ day, served: servedDay })),
  );

  /* A day that is served whole is asked for again by a recheck alone: a file has completed this one since the question. */
  async function cameMeanwhile(deliveryOn: DeliveryDay): Promise<boolean> {
    if (recheck || !task.byNetwork) return false;
    const day = await findDay(connection, zone, deliveryOn);
    if (day?.state !== 'complete' || day.served_source !== source) return false;
    const known = await listSourceDays(connection, zone, deliveryOn, deliveryOn);
    return known.some((given) => given.source === source && given.state === 'complete');
  }

  function capturedAt(exchange: number): number {
    return task.answer.exchanges[exchange]?.capturedAt ?? parts.clock.nowMilliseconds();
  }

  async function seen(day: DayAnswer): Promise<DaySeen> {
    const { deliveryOn, outcome } = day;
    const cameAt = capturedAt(day.exchange);
    const seenAt = task.byNetwork && outcome !== 'rejected' ? cameAt : null;
    const fetchId = fetchIds[day.exchange];
    if (day.points.length === 0 || fetchId === undefined) return { zone, deliveryOn, seenAt };
    const written = revisions.get(deliveryOn) ?? [];
    if (written.length > 0) warnOfImplausible(parts, source, day);
    if (written.some((revision) => revision > 1)) {
      parts.log.info({ source, delivery_on: deliveryOn, count: written.length }, 'prices were revised');
    }
    const hasNewValues = written.length > 0;
    const newestAt =
      recheck && outcome === 'published'
        ? await findNewestCapture(connection, { source, zone, grid: gridOf(deliveryOn) })
        : null;
    const isUnchangedNextDay = newestAt !== null && deliveryDayAt(newestAt) < deliveryDayAt(cameAt);
    return { zone, deliveryOn, source, fetchId, seenAt, hasNewValues, isUnchangedNextDay };
  }
}

/** Reports what was refused for a day: an alarm where nothing was left, a line in the log where something was. */
async function reportRefusals(
  connection: Connection,
  parts: StoringParts,
  { zone, source, byNetwork }: StoringTask,
  days: readonly DayAnswer[],
  fetchIds: readonly number[],
): Promise<void> {
  const about = { kind: 'rejected', zone, source } as const;
  const accepted: DeliveryDay[] = [];
  for (const { deliveryOn, outcome, refused, exchange } of days) {
    if (outcome === 'rejected' && byNetwork) {
      const detail = `${deliveryOn}: the answer of ${source} is not accepted: ${refused.join(' ')}`;
      await raiseAlarm(connection, parts, {
        ...about,
        deliveryOn,
        detail,
        fetchId: fetchIds[exchange] ?? null,
      });
      continue;
    }
    if (refused.length > 0) {
      parts.log.warn(
        { source, delivery_on: deliveryOn, refused },
        'parts of an answer about prices were refused',
      );
    }
    if (byNetwork && (outcome === 'published' || refused.length === 0)) accepted.push(deliveryOn);
  }
  if (accepted.length > 0) await resolveAlarms(connection, parts, { ...about, deliveryOn: accepted });
}

function warnOfImplausible(parts: StoringParts, source: RealizedSource, day: DayAnswer): void {
  const found = day.points.filter(
    ({ eurMwh }) => Number(eurMwh) < PLAUSIBLE.from || Number(eurMwh) > PLAUSIBLE.to,
  );
  const [first] = found;
  if (first === undefined) return;
  implausibleCounter(parts.metrics).inc({ source }, found.length);
  parts.log.warn(
    {
      source,
      delivery_on: day.deliveryOn,
      start: startText(first.start),
      eur_mwh: first.eurMwh,
      count: found.length,
    },
    'prices outside the plausible range were stored',
  );
}
