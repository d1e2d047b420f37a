import type { Connection } from '../../platform/database/db.ts';
import { type DayGrid, gridOf, type Zone } from '../calendar.ts';
import { findDay, listSourceDays, listSourceValues, type PriceDay, type StartAmounts } from '../queries.ts';
import { type Candidate, chooseSource } from './choose-source.ts';
import type { DaySeen, ServingParts } from './day-seen.ts';
import { countServed, replaceServed, upsertDay } from './day-statements.ts';
import { agreeWholly, differences, reportComparison } from './disagreements.ts';
import { findReference, judge } from './judge.ts';
import { sourceOrder } from './sources.ts';
import { tellDependants } from './tell-dependants.ts';

export interface ServedDay {
  readonly source: string | null;
  readonly state: 'complete' | 'partial' | 'suspect';
  readonly changed: boolean;
}

const EMPTY: StartAmounts = new Map();

/** Judges what every source has for the day, chooses the one to serve and writes what that changes. */
export async function serveDay(
  connection: Connection,
  parts: ServingParts,
  seen: DaySeen,
): Promise<ServedDay> {
  const { zone, deliveryOn } = seen;
  const grid = gridOf(deliveryOn);
  const day = await findDay(connection, zone, deliveryOn);
  const sourceDays = await listSourceDays(connection, zone, deliveryOn, deliveryOn);
  const values = await listSourceValues(connection, zone, grid);
  const isOpen = day?.state !== 'complete' || sourceDays.some(({ state }) => state === 'suspect');
  const reference = isOpen ? await findReference(connection, zone, grid) : null;

  const candidates: Candidate[] = [];
  for (const sourceDay of sourceDays) {
    candidates.push(await judge(connection, parts, { grid, day, sourceDay, values, reference, seen }));
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
  const now = parts.clock.nowMilliseconds();
  await upsertDay(connection, {
    zone,
    deliveryOn,
    servedSource,
    state,
    changed,
    seenAt: seen.seenAt,
    now,
  });
  if (changed) await tellDependants(connection, deliveryOn, now);
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

function stateOf(grid: DayGrid, served: StartAmounts): ServedDay['state'] {
  return served.size === grid.count ? 'complete' : 'partial';
}

/** Nothing may be served anew: what was served before stays. */
function unchosenState(day: PriceDay | undefined, candidates: readonly Candidate[]): ServedDay['state'] {
  if (isServed(day)) return day.state;
  return candidates.some(({ state }) => state === 'suspect') ? 'suspect' : 'partial';
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
