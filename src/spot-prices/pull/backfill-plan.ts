import { addDays, type DeliveryDay, daysBetween } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import type { RealizedSource } from '../providers/index.ts';
import { listCompleteDays, listSourceDays } from '../queries.ts';
import { configuredSources } from '../store/sources.ts';
import { chunksOf, mayHave } from './chunks.ts';

export interface BackfillTask {
  readonly from: DeliveryDay;
  /** The day behind the last one. */
  readonly to: DeliveryDay;
  /** Only this feed, also for days that are complete from another one; its values are stored beside. */
  readonly source?: RealizedSource;
  /** Asks for complete days as well. */
  readonly recheck?: boolean;
  readonly signal?: AbortSignal;
  onProgress?(progress: BackfillProgress): void;
}

/** After each request, and when a pause begins. */
export interface BackfillProgress {
  readonly source: RealizedSource;
  readonly from: DeliveryDay;
  /** The day behind the last one. */
  readonly to: DeliveryDay;
  /** How the days of this request ended; `paused`: none was asked for yet. */
  readonly outcome: FetchOutcome | 'busy' | 'paused';
  readonly intervals: number;
  /** Days settled so far, and all that were to be asked for. */
  readonly daysDone: number;
  readonly daysRequested: number;
  readonly note?: string;
}

/** What would be asked for: which feed first, in how many requests. */
export interface BackfillPlan {
  readonly days: number;
  readonly open: readonly DeliveryDay[];
  readonly chunks: readonly { source: RealizedSource; days: readonly DeliveryDay[] }[];
}

/** The requests of a backfill if every feed had everything: the first configured one that may have the day. */
export async function planBackfill(parts: PriceParts, task: BackfillTask): Promise<BackfillPlan> {
  const { all, open } = await openDays(parts, task);
  const left = new Set(open);
  const chunks: BackfillPlan['chunks'][number][] = [];
  for (const source of sourcesOf(parts, task)) {
    const days = [...left].filter((day) => mayHave(source, day));
    for (const chunk of chunksOf(source, days)) chunks.push({ source, days: chunk });
    for (const day of days) left.delete(day);
  }
  return { days: all.length, open, chunks };
}

export function sourcesOf(parts: PriceParts, task: BackfillTask): readonly RealizedSource[] {
  return task.source === undefined ? configuredSources(parts.config) : [task.source];
}

/** All days of the span, and those that are to be asked for. */
export async function openDays(parts: PriceParts, task: BackfillTask) {
  const all = daysBetween(task.from, addDays(task.to, -1));
  const complete = await completeDays(parts, task);
  const settled = new Set(task.source === undefined ? complete : await daysOf(parts, task, task.source));
  const open = task.recheck === true ? all : all.filter((day) => !settled.has(day));
  return { all, open, completeBefore: complete.length };
}

/** Complete days of both zones: each day belongs to one of them. */
export async function completeDays(parts: PriceParts, { from, to }: BackfillTask): Promise<DeliveryDay[]> {
  const last = addDays(to, -1);
  return await parts.database.asService(async (connection) => [
    ...(await listCompleteDays(connection, 'DE-AT-LU', from, last)),
    ...(await listCompleteDays(connection, 'DE-LU', from, last)),
  ]);
}

/** Those of the days of which any source is held back. */
export async function suspectDays(
  parts: PriceParts,
  days: readonly DeliveryDay[],
): Promise<readonly DeliveryDay[]> {
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return [];
  const known = await parts.database.asService((connection) => listSourceDays(connection, 'DE-LU', from, to));
  const held = new Set(known.filter(({ state }) => state === 'suspect').map((day) => day.delivery_on));
  return days.filter((day) => held.has(day));
}

/** Days of which the feed gave every interval, whichever source is served. */
async function daysOf(
  parts: PriceParts,
  { from, to }: BackfillTask,
  source: RealizedSource,
): Promise<DeliveryDay[]> {
  const last = addDays(to, -1);
  const days = await parts.database.asService(async (connection) => [
    ...(await listSourceDays(connection, 'DE-AT-LU', from, last)),
    ...(await listSourceDays(connection, 'DE-LU', from, last)),
  ]);
  return days
    .filter((day) => day.source === source && day.state === 'complete')
    .map((day) => day.delivery_on);
}
