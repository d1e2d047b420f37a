import { addDays, type DeliveryDay, daysBetween } from '../calendar.ts';
import type { PriceParts, PullReport } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { sources } from '../providers/index.ts';
import { waitFor } from '../providers/pause.ts';
import { compareDisputed, confirmSuspect } from '../pull/cross-check.ts';
import { pullDay } from '../pull/pull.ts';
import { listCompleteDays } from '../queries.ts';
import { lockDayWrites } from '../store/day-statements.ts';
import { serveDay } from '../store/serving.ts';
import { configuredSources } from '../store/sources.ts';
import { findOldestDay, listDaysAnsweredInVain, listSuspectDays } from './day-queries.ts';

const DAYS_BACK_MAX = 400;
/** Younger days are asked for every night: feeds are late on week-ends, and correct themselves. */
const SETTLED_AFTER_DAYS = 7;
/** A little less than a week, so that a nightly run asks every seventh night. */
const RETRY_AFTER_MILLISECONDS = 7 * 24 * 3_600_000 - 3_600_000;

export interface GapTask {
  readonly today: DeliveryDay;
  readonly signal?: AbortSignal;
}

export interface GapReport {
  /** Days that were not complete. */
  readonly open: number;
  /** Of these: asked for within a week, and no feed had them. */
  readonly given_up: number;
  readonly filled: DeliveryDay[];
  /** Asked for, and still not complete. */
  readonly still_open: DeliveryDay[];
  /** No feed could be reached for these; the run is to be repeated. */
  readonly unreached: number;
}

/**
 * Every delivery day from the oldest one stored to today that is not complete, oldest first, one pull each. A fresh
 * installation asks for today only: history comes by the command. Ends early when every feed has to be left alone.
 */
export async function fillGaps(parts: PriceParts, task: GapTask): Promise<GapReport> {
  const { open, pullDays } = await gaps(parts, task.today);
  const filled: DeliveryDay[] = [];
  const still_open: DeliveryDay[] = [];
  let unreached = 0;
  for (const [index, deliveryOn] of pullDays.entries()) {
    task.signal?.throwIfAborted();
    const pulled = await pullDay(parts, {
      deliveryOn,
      ...(task.signal === undefined ? {} : { signal: task.signal }),
    });
    const report = await confirmSuspect(parts, pulled, task.signal);
    if (report.changed) await compareDisputed(parts, [deliveryOn], task.signal);
    task.signal?.throwIfAborted();
    if (isSettled(report)) filled.push(deliveryOn);
    else if (report.outcome !== 'busy') still_open.push(deliveryOn);
    if (wasUnreached(report)) unreached += 1;
    if (wasUnreached(report) && report.attempts.length === 0) {
      unreached += pullDays.length - index - 1;
      break;
    }
    if (index < pullDays.length - 1) await waitFor(parts, paceAfter(report), task.signal);
  }
  return { open: open.length, given_up: open.length - pullDays.length, filled, still_open, unreached };
}

/**
 * Judges anew, without asking anybody, the days that are kept as suspect: the days before them may have become others
 * since, or the rule. Oldest first, as each is measured by those before it; returns the days that are served now.
 */
export async function judgeAgain(parts: PriceParts, signal?: AbortSignal): Promise<DeliveryDay[]> {
  const { database } = parts;
  const suspect = await database.asService(listSuspectDays);
  const released: DeliveryDay[] = [];
  for (const { zone, delivery_on: deliveryOn } of suspect) {
    signal?.throwIfAborted();
    const { changed } = await database.asService(async (connection) => {
      await lockDayWrites(connection, zone, [deliveryOn]);
      return await serveDay(connection, parts, { zone, deliveryOn, seenAt: null });
    });
    if (changed) released.push(deliveryOn);
  }
  return released;
}

async function gaps(parts: PriceParts, today: DeliveryDay) {
  return await parts.database.asService(async (connection) => {
    const oldest = (await findOldestDay(connection, 'DE-LU')) ?? today;
    const earliest = addDays(today, -DAYS_BACK_MAX);
    /* Days are texts of one form: sorted as texts they are sorted by date. */
    const [, from = today] = [earliest, oldest < today ? oldest : today].sort();
    const complete = new Set(await listCompleteDays(connection, 'DE-LU', from, today));
    const open = daysBetween(from, today).filter((day) => !complete.has(day));
    const settled = open.filter((day) => day < addDays(today, -SETTLED_AFTER_DAYS));
    const since = parts.clock.nowMilliseconds() - RETRY_AFTER_MILLISECONDS;
    const sources = configuredSources(parts.config);
    const inVain = new Set(await listDaysAnsweredInVain(connection, 'DE-LU', settled, sources, since));
    return { open, pullDays: open.filter((day) => !inVain.has(day)) };
  });
}

const UNREACHED: readonly FetchOutcome[] = ['transient_failure', 'throttled', 'denied'];

function isSettled({ outcome }: PullReport): boolean {
  return outcome === 'complete' || outcome === 'already_complete';
}

/** Whether this pull got no usable answer from anybody, be it that every feed has to be left alone for now. */
export function wasUnreached(report: PullReport): boolean {
  if (isSettled(report) || report.outcome === 'busy') return false;
  return report.attempts.every((attempt) => UNREACHED.includes(attempt.outcome));
}

/** The slowest of the feeds that were asked decides; where none was, the next day goes on at once. */
function paceAfter(report: PullReport): number {
  return Math.max(0, ...report.attempts.map((attempt) => sources[attempt.source].pace.milliseconds));
}
