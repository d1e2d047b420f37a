import type { Connection } from '../../platform/database/db.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import { addDays, type DayGrid, type DeliveryDay, deliveryDayAt, gridOf, type Zone } from '../calendar.ts';
import { keepDayAheadMeanJob } from '../jobs.ts';
import type { PriceParts } from '../parts.ts';
import { originOf, type RealizedSource } from '../providers/index.ts';
import {
  listDayVersions,
  listServedAmounts,
  listSourceDays,
  listSourceValues,
  type PriceDay,
  type SourceDay,
  type StartAmounts,
} from '../queries.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';
import { type Candidate, chooseSource } from './choose-source.ts';
import { replaceServed, type SourceDayState, updateSourceDays, upsertDays } from './day-statements.ts';
import { agreeWholly, differences, reportComparison } from './disagreements.ts';
import { sourceOrder } from './sources.ts';
import {
  looksUnpublished,
  type PriceScale,
  REFERENCE_DAYS,
  referenceScale,
  scaleOf,
  scaleSuspicion,
} from './suspicion.ts';

export type ServingParts = Pick<PriceParts, 'clock' | 'log' | 'metrics' | 'config'>;

export interface DaySeen {
  readonly zone: Zone;
  readonly deliveryOn: DeliveryDay;
  /** When a source told what it has; null where none did: a file proves nothing about when. */
  readonly seenAt: number | null;
  /** The source that has just given values: it is compared with the others. */
  readonly source?: RealizedSource;
  /** Whether it gave any value that was not there before. */
  readonly hasNewValues?: boolean;
  /** Sources with whose values another origin agrees: they need no longer be suspected. */
  readonly confirmed?: readonly string[];
  /** The next day's look found the values of `source` as they were: zeros that stay are prices. */
  readonly isUnchangedNextDay?: boolean;
  readonly fetchId?: number | null;
}

export interface ServedDay {
  readonly source: string | null;
  readonly state: 'complete' | 'partial' | 'suspect';
  readonly changed: boolean;
}

const EMPTY: StartAmounts = new Map();
const MINUTE_MILLISECONDS = 60_000;

/** `serveDays` for one day. */
export async function serveDay(
  connection: Connection,
  parts: ServingParts,
  seen: DaySeen,
): Promise<ServedDay> {
  const [served] = await serveDays(connection, parts, seen.zone, [seen]);
  if (served === undefined) throw new Error(`${seen.deliveryOn} was not judged`);
  return served;
}

/**
 * Judges what every source has for days of one calendar month, chooses for each the one to serve and writes what that
 * changes. Days ascending: each is measured by those before it, also by those among them. One answer for each, in order.
 */
export async function serveDays(
  connection: Connection,
  parts: ServingParts,
  zone: Zone,
  seenDays: readonly DaySeen[],
): Promise<ServedDay[]> {
  const days = seenDays.map((seen) => ({ seen, grid: gridOf(seen.deliveryOn) }));
  const [first, last] = [days[0]?.grid, days.at(-1)?.grid];
  if (first === undefined || last === undefined) return [];
  const known = await readKnown(connection, zone, first, last);
  const choices: DayChoice[] = [];
  for (const { seen, grid } of days) {
    const choice = await chooseForDay(connection, parts, known, { seen, grid });
    choices.push(choice);
    /* The next days are measured by what will be served of this one. */
    if (choice.source !== null) known.served.set(grid.deliveryOn, [...choice.amounts.values()]);
  }

  await updateSourceDays(
    connection,
    zone,
    choices.flatMap(({ judged }) => judged.flatMap(({ update }) => update ?? [])),
  );
  const chosen = choices.flatMap(({ grid, source }) => (source === null ? [] : { grid, source }));
  const changedDays = await replaceServed(connection, zone, chosen);
  const written = choices.map(({ seen, grid, day, source, judged, amounts }) => ({
    deliveryOn: grid.deliveryOn,
    servedSource: source ?? day?.served_source ?? null,
    state: source === null ? unchosenState(day, judged) : stateOf(grid, amounts),
    changed: changedDays.has(grid.deliveryOn),
    /* Others may be late: what all intervals have a price for is published, or looks so. */
    incompleteAt: judged.some(({ candidate }) => candidate.intervalCount === grid.count) ? null : seen.seenAt,
  }));
  const now = parts.clock.nowMilliseconds();
  await upsertDays(connection, zone, written, now);
  const firstChanged = written.find(({ changed }) => changed);
  if (firstChanged !== undefined) await tellDependants(connection, firstChanged.deliveryOn, now);
  return written.map(({ servedSource, state, changed }) => ({ source: servedSource, state, changed }));
}

/**
 * Leaves with the change of a served day or not at all. Prices of today and tomorrow belong to no mean yet. A fetched
 * history changes hundreds of days. All changes of one minute share one run, which starts when the minute is over.
 */
async function tellDependants(
  connection: Connection,
  deliveryOn: DeliveryDay,
  nowMilliseconds: number,
): Promise<void> {
  if (deliveryOn >= deliveryDayAt(nowMilliseconds)) return;
  const nextMilliseconds = (Math.floor(nowMilliseconds / MINUTE_MILLISECONDS) + 1) * MINUTE_MILLISECONDS;
  const runAt = new Date(nextMilliseconds).toISOString();
  await enqueue(connection, keepDayAheadMeanJob, {}, { key: `keep-day-ahead-mean ${runAt}`, runAt });
}

interface KnownDays {
  readonly days: ReadonlyMap<DeliveryDay, PriceDay>;
  readonly sourceDays: ReadonlyMap<DeliveryDay, readonly SourceDay[]>;
  readonly values: ReadonlyMap<string, StartAmounts>;
  /** Served amounts by day, from those on that the first day is measured by. */
  readonly served: Map<DeliveryDay, readonly string[]>;
}

async function readKnown(
  connection: Connection,
  zone: Zone,
  first: DayGrid,
  last: DayGrid,
): Promise<KnownDays> {
  const [from, to] = [first.deliveryOn, last.deliveryOn];
  const days = await listDayVersions(connection, zone, from, to);
  const sourceDays = await listSourceDays(connection, zone, from, to);
  const { from: measuredFrom } = gridOf(addDays(from, -REFERENCE_DAYS));
  return {
    days: new Map(days.map((day) => [day.delivery_on, day])),
    sourceDays: Map.groupBy(sourceDays, (day) => day.delivery_on),
    values: await listSourceValues(connection, zone, { ...first, to: last.to }),
    served: await listServedAmounts(connection, zone, measuredFrom, last.to),
  };
}

interface DayChoice {
  readonly seen: DaySeen;
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly judged: readonly Judgement[];
  /** Null where nothing may be served anew. */
  readonly source: string | null;
  /** What that source has. */
  readonly amounts: StartAmounts;
}

async function chooseForDay(
  connection: Connection,
  parts: ServingParts,
  known: KnownDays,
  { seen, grid }: Pick<DayChoice, 'seen' | 'grid'>,
): Promise<DayChoice> {
  const { deliveryOn } = grid;
  const day = known.days.get(deliveryOn);
  const sourceDays = known.sourceDays.get(deliveryOn) ?? [];
  const values = valuesOfDay(known.values, grid);
  const served = known.served.get(deliveryOn) ?? [];
  const isOpen =
    day?.state !== 'complete' ||
    (seen.hasNewValues === true && seen.source === day.served_source) ||
    sourceDays.some(({ state }) => state === 'suspect');
  const reference = isOpen ? referenceScale(known.served, deliveryOn) : null;

  const judged: Judgement[] = [];
  for (const sourceDay of sourceDays) {
    judged.push(await judge(connection, parts, { grid, day, sourceDay, values, served, reference, seen }));
  }
  await compare(connection, parts, { grid, day, values, seen });

  const servedValues = values.get(day?.served_source ?? '') ?? EMPTY;
  const source = chooseSource({
    order: sourceOrder(parts.config),
    candidates: judged.map(({ candidate }) => candidate),
    served: isServed(day)
      ? { source: day.served_source, complete: day.state === 'complete', intervalCount: served.length }
      : null,
    preferred: day?.preferred_source ?? null,
    agreesWithServed: (name) => agreeWholly(grid, values.get(name) ?? EMPTY, servedValues),
  });
  return { seen, grid, day, judged, source, amounts: values.get(source ?? '') ?? EMPTY };
}

/** Only feeds that have any value on the day. */
function valuesOfDay(
  values: ReadonlyMap<string, StartAmounts>,
  { from, to }: DayGrid,
): ReadonlyMap<string, StartAmounts> {
  const ofDay = [...values].map(([source, amounts]): [string, StartAmounts] => [
    source,
    new Map([...amounts].filter(([start]) => start >= from && start < to)),
  ]);
  return new Map(ofDay.filter(([, amounts]) => amounts.size > 0));
}

function isServed(day: PriceDay | undefined): day is PriceDay & { served_source: string } {
  return day !== undefined && day.served_source !== null;
}

function stateOf(grid: DayGrid, served: StartAmounts): ServedDay['state'] {
  return served.size === grid.count ? 'complete' : 'partial';
}

/** Nothing may be served anew: what was served before stays. */
function unchosenState(day: PriceDay | undefined, judged: readonly Judgement[]): ServedDay['state'] {
  if (isServed(day)) return day.state;
  return judged.some(({ candidate }) => candidate.state === 'suspect') ? 'suspect' : 'partial';
}

interface ComparedDay {
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly values: ReadonlyMap<string, StartAmounts>;
  readonly seen: DaySeen;
}

/**
 * Alarms about feeds that contradict one another. A choice of the operator settles the values there were; a new value
 * opens the question again.
 */
async function compare(
  connection: Connection,
  parts: ServingParts,
  { grid, day, values, seen }: ComparedDay,
): Promise<void> {
  const { zone, source, fetchId = null } = seen;
  const own = values.get(source ?? '');
  if (source === undefined || own === undefined) return;
  const isSettled = (day?.preferred_source ?? null) !== null && seen.hasNewValues !== true;
  for (const [name, other] of values) {
    if (name === source || isSettled) continue;
    const ownFirst = source < name;
    const [a, b] = ownFirst ? [own, other] : [other, own];
    await reportComparison(connection, parts, {
      zone,
      grid,
      names: ownFirst ? [source, name] : [name, source],
      differences: differences(a, b),
      compared: [...a.keys()].filter((start) => b.has(start)).length,
      fetchId,
    });
  }
}

interface JudgedDay {
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly sourceDay: SourceDay;
  readonly values: ReadonlyMap<string, StartAmounts>;
  /** What is served of it so far. */
  readonly served: readonly string[];
  readonly reference: PriceScale | null;
  readonly seen: DaySeen;
}

interface Judgement {
  readonly candidate: Candidate;
  /** What is to be written of it; null where it stands so already. */
  readonly update: SourceDayState | null;
}

/** Complete, partial, or suspect: what does not look like prices is not served, a revision of a served day neither. */
async function judge(connection: Connection, parts: ServingParts, judged: JudgedDay): Promise<Judgement> {
  const { grid, sourceDay, values, seen } = judged;
  const { zone, deliveryOn } = seen;
  const { source } = sourceDay;
  const own = values.get(source) ?? EMPTY;
  const suspicion = suspicionOf(judged, own);
  const isConfirmed = suspicion !== null && isConfirmedNow(judged, suspicion);
  const isSuspect = suspicion !== null && !isConfirmed && sourceDay.released_at === null;
  const state = isSuspect ? 'suspect' : own.size === grid.count ? 'complete' : 'partial';

  const releasedAt = isConfirmed ? parts.clock.nowMilliseconds() : null;
  const isNewlyReleased = releasedAt !== null && sourceDay.released_at === null;
  const intervalCount = own.size;
  const isChanged =
    state !== sourceDay.state || intervalCount !== sourceDay.interval_count || isNewlyReleased;
  if (isSuspect && !isDeclined(judged, suspicion)) {
    await raiseAlarm(connection, parts, {
      ...{ kind: 'suspect', zone, source, deliveryOn },
      detail: `${deliveryOn}: ${source} ${suspicion.sentence}; stored, not served${
        suspicion.kind === 'revision' ? ': what was served before stays' : ''
      }`,
      fetchId: seen.source === source ? (seen.fetchId ?? null) : null,
    });
  } else if (!isSuspect && (sourceDay.state === 'suspect' || isNewlyReleased)) {
    await resolveAlarms(connection, parts, { kind: 'suspect', zone, source, deliveryOn });
  }
  return {
    candidate: { source, state, intervalCount },
    update: isChanged ? { deliveryOn, source, state, intervalCount, releasedAt } : null,
  };
}

/** The operator keeps what is served of this source, or has chosen another that has the whole day, until it sends another value. */
function isDeclined({ grid, day, sourceDay, values, seen }: JudgedDay, { kind }: DaySuspicion): boolean {
  const preferred = day?.preferred_source ?? null;
  if (preferred === null || (seen.hasNewValues === true && seen.source === sourceDay.source)) return false;
  if (preferred === sourceDay.source) return kind === 'revision';
  return values.get(preferred)?.size === grid.count;
}

interface DaySuspicion {
  readonly kind: 'zeros' | 'scale' | 'revision';
  readonly sentence: string;
}

/**
 * Says why a day is suspect, else null. A day that is served complete already is not called in question, but for a revision
 * that is off by a factor where the served values are not, or are not nearly as much. Zeros have a rule of their own and need
 * no other. The noon of a sunny day alone looks like a wrong unit: how high prices are is said of whole days.
 */
function suspicionOf(judged: JudgedDay, own: StartAmounts): DaySuspicion | null {
  const { grid, day, sourceDay, served, reference } = judged;
  if (day?.state === 'complete' && day.served_source === sourceDay.source) {
    const sentence = scaleSuspicion(own.values(), reference);
    if (sentence === null) return null;
    const isOffAsWell = scaleSuspicion(served, reference) !== null;
    if (isOffAsWell && scaleSuspicion(own.values(), scaleOf(served)) === null) return null;
    return { kind: 'revision', sentence };
  }
  if (day?.state === 'complete' && sourceDay.state !== 'suspect') return null;
  if (looksUnpublished(grid, own)) {
    return { kind: 'zeros', sentence: 'gives zeros like an unpublished future' };
  }
  if (own.size < grid.count) return null;
  const sentence = scaleSuspicion(own.values(), reference);
  return sentence === null ? null : { kind: 'scale', sentence };
}

/** Another origin agrees; or zeros are still there when the day is over. A broken writer is broken on the next day too. */
function isConfirmedNow({ grid, sourceDay, values, seen }: JudgedDay, { kind }: DaySuspicion): boolean {
  const { source } = sourceDay;
  if (seen.confirmed?.includes(source) === true || otherOriginAgrees(grid, source, values)) return true;
  return kind === 'zeros' && seen.isUnchangedNextDay === true && seen.source === source;
}

/** Only another origin confirms: two feeds of one make the same mistake. */
function otherOriginAgrees(
  grid: DayGrid,
  source: string,
  values: ReadonlyMap<string, StartAmounts>,
): boolean {
  const own = values.get(source) ?? EMPTY;
  return [...values].some(
    ([name, other]) => originOf(name) !== originOf(source) && agreeWholly(grid, own, other),
  );
}
