import type { Connection } from '../../platform/db.ts';
import { type DayGrid, type DeliveryDay, gridOf, type Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import {
  findDay,
  listSourceDays,
  listSourceValues,
  type PriceDay,
  type SourceDay,
  type StartAmounts,
} from '../queries.ts';
import { ORIGINS, type RealizedSource } from '../series.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';
import { type Candidate, chooseSource } from './choose-source.ts';
import { countServed, replaceServed, updateSourceDay, upsertDay } from './day-statements.ts';
import { agreeWholly, differences, reportComparison } from './disagreements.ts';
import { sourceOrder } from './sources.ts';
import { looksUnpublished } from './zero-guard.ts';

export type ServingParts = Pick<PriceParts, 'clock' | 'log' | 'metrics' | 'config'>;

export interface DaySeen {
  readonly zone: Zone;
  readonly deliveryOn: DeliveryDay;
  /** When a source told what it has; null where nothing new was told. */
  readonly seenAt: number | null;
  /** The source that has just given values: it is compared with the others. */
  readonly source?: RealizedSource;
  /** Whether it gave any value that was not there before. */
  readonly hasNewValues?: boolean;
  /** Sources that need no longer be suspected: another origin agrees, or the next day's look found them unchanged. */
  readonly confirmed?: readonly string[];
  readonly fetchId?: number | null;
}

export interface Served {
  readonly source: string | null;
  readonly state: 'complete' | 'partial' | 'suspect';
  readonly changed: boolean;
}

const EMPTY: StartAmounts = new Map();

/** Judges what every source has for the day, chooses the one to serve and writes what that changes. */
export async function serveDay(connection: Connection, parts: ServingParts, seen: DaySeen): Promise<Served> {
  const { zone, deliveryOn } = seen;
  const grid = gridOf(deliveryOn);
  const day = await findDay(connection, zone, deliveryOn);
  const sourceDays = await listSourceDays(connection, zone, deliveryOn, deliveryOn);
  const values = await listSourceValues(connection, zone, grid);

  const candidates: Candidate[] = [];
  for (const sourceDay of sourceDays) {
    candidates.push(await judge(connection, parts, { grid, day, sourceDay, values, seen }));
  }
  await compare(connection, parts, { grid, day, values, seen });

  const servedValues = values.get(day?.served_source ?? '') ?? EMPTY;
  const chosen = chooseSource({
    order: sourceOrder(parts.config),
    candidates,
    served: await servedNow(connection, zone, day),
    preferred: day?.preferred_source ?? null,
    agreesWithServed: (source) => agreeWholly(grid, values.get(source) ?? EMPTY, servedValues),
  });
  const changed = chosen !== null && (await replaceServed(connection, zone, grid, chosen)) > 0;
  const servedSource = chosen ?? day?.served_source ?? null;
  const state = chosen === null ? unchosenState(day, candidates) : stateOf(grid, values.get(chosen) ?? EMPTY);
  await upsertDay(connection, {
    zone,
    deliveryOn,
    servedSource,
    state,
    changed,
    seenAt: seen.seenAt,
    now: parts.clock.nowMilliseconds(),
  });
  return { source: servedSource, state, changed };
}

async function servedNow(connection: Connection, zone: Zone, day: PriceDay | undefined) {
  if (!isServed(day)) return null;
  const intervalCount = await countServed(connection, zone, day.delivery_on);
  return { source: day.served_source, complete: day.state === 'complete', intervalCount };
}

function isServed(day: PriceDay | undefined): day is PriceDay & { served_source: string } {
  return day !== undefined && day.served_source !== null;
}

function stateOf(grid: DayGrid, served: StartAmounts): Served['state'] {
  return served.size === grid.count ? 'complete' : 'partial';
}

/** Nothing may be served anew: what was served before stays. */
function unchosenState(day: PriceDay | undefined, candidates: readonly Candidate[]): Served['state'] {
  if (isServed(day)) return day.state;
  return candidates.some(({ state }) => state === 'suspect') ? 'suspect' : 'partial';
}

interface Judged {
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly sourceDay: SourceDay;
  readonly values: ReadonlyMap<string, StartAmounts>;
  readonly seen: DaySeen;
}

/** Complete, partial, or suspect: a day that is not served yet and looks like an unpublished future. */
async function judge(connection: Connection, parts: ServingParts, judged: Judged): Promise<Candidate> {
  const { grid, day, sourceDay, values, seen } = judged;
  const { zone, deliveryOn } = seen;
  const { source } = sourceDay;
  const own = values.get(source) ?? EMPTY;
  const isOpen = day?.state !== 'complete' || sourceDay.state === 'suspect';
  const looksSo = isOpen && looksUnpublished(grid, own);
  const confirmed =
    looksSo && (seen.confirmed?.includes(source) === true || otherOriginAgrees(grid, source, values));
  const isSuspect = looksSo && !confirmed && sourceDay.released_at === null;
  const state = isSuspect ? 'suspect' : own.size === grid.count ? 'complete' : 'partial';

  const releasedAt = confirmed ? parts.clock.nowMilliseconds() : null;
  const isNewlyReleased = releasedAt !== null && sourceDay.released_at === null;
  if (state !== sourceDay.state || own.size !== sourceDay.interval_count || isNewlyReleased) {
    await updateSourceDay(connection, {
      zone,
      deliveryOn,
      source,
      intervalCount: own.size,
      state,
      releasedAt,
    });
  }
  if (isSuspect) {
    const detail = `${deliveryOn}: ${source} gives zeros like an unpublished future; stored, not served`;
    await raiseAlarm(connection, parts, {
      ...{ kind: 'suspect', zone, source, deliveryOn, detail },
      fetchId: seen.source === source ? (seen.fetchId ?? null) : null,
    });
  } else if (sourceDay.state === 'suspect' || isNewlyReleased) {
    await resolveAlarms(connection, parts, { kind: 'suspect', zone, source, deliveryOn });
  }
  return { source, state, intervalCount: own.size };
}

function originOf(source: string): string {
  return (ORIGINS as Readonly<Record<string, string>>)[source] ?? source;
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

/**
 * Alarms about feeds that contradict one another. A choice of the operator settles the values there were; a new value
 * opens the question again.
 */
async function compare(
  connection: Connection,
  parts: ServingParts,
  { grid, day, values, seen }: Omit<Judged, 'sourceDay'>,
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
