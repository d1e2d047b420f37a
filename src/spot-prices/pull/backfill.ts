import { addDays, type DeliveryDay } from '../calendar.ts';
import type { PriceParts, PullReport } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { type RealizedSource, sources } from '../providers/index.ts';
import { waitFor } from '../providers/pause.ts';
import { findPause } from '../store/sources.ts';
import {
  type BackfillProgress,
  type BackfillTask,
  completeDays,
  openDays,
  sourcesOf,
  suspectDays,
} from './backfill-plan.ts';
import { chunksOf } from './chunks.ts';
import { compareDisputed, crossCheckDay, MEANS_PACE_MILLISECONDS } from './cross-check.ts';
import { pullChunk } from './pull.ts';

/** A feed that wants to be left alone for longer than this is not waited for: the next one in order takes over. */
const PAUSE_MILLISECONDS_MAX = 15 * 60_000;
/** After so many throttled chunks in a row the feed has had enough of this run. */
const THROTTLED_MAX = 3;

export interface BackfillReport {
  readonly from: DeliveryDay;
  /** The day behind the last one. */
  readonly to: DeliveryDay;
  readonly days: number;
  readonly completeBefore: number;
  /** Delivery days of the span that are not complete afterwards. */
  readonly missing: readonly DeliveryDay[];
  readonly sources: readonly SourceTotals[];
  /** Days whose served prices are others now. */
  readonly changed: number;
  /** No feed gave a usable answer, and days are missing. */
  readonly unreachable: boolean;
  readonly stopped: boolean;
}

export interface SourceTotals {
  readonly source: RealizedSource;
  requests: number;
  failures: number;
  /** Days it had completely. */
  days: number;
  intervals: number;
}

const UNREACHED: readonly FetchOutcome[] = ['transient_failure', 'throttled', 'denied'];

/**
 * Fills a span, feed after feed in the configured order, each only for what is still open. Every day is stored in a
 * transaction of its own, and what is complete is not asked for again: stopped at any moment and repeated it ends as one
 * run would have.
 */
export async function backfill(parts: PriceParts, task: BackfillTask): Promise<BackfillReport> {
  const { all, open, completeBefore } = await openDays(parts, task);
  const run = new BackfillRun(parts, task, open);
  for (const source of sourcesOf(parts, task)) {
    if (run.left.size === 0 || run.stopped) break;
    await run.ask(source);
  }
  if (task.source === undefined) await run.confirmSuspects();
  await compareDisputed(parts, [...run.changed], task.signal);
  const complete = new Set(await completeDays(parts, task));
  const missing = all.filter((day) => !complete.has(day));
  return {
    from: task.from,
    to: task.to,
    days: all.length,
    completeBefore,
    missing,
    sources: run.totals,
    changed: run.changed.size,
    unreachable: missing.some((day) => !run.busy.has(day)) && open.length > 0 && !run.reached && !run.stopped,
    stopped: run.stopped,
  };
}

/** One pass over the feeds. */
class BackfillRun {
  readonly left: Set<DeliveryDay>;
  readonly totals: SourceTotals[] = [];
  readonly changed = new Set<DeliveryDay>();
  reached = false;
  /** Days that another pull held: nobody was asked for them. */
  readonly busy = new Set<DeliveryDay>();
  readonly #parts: PriceParts;
  readonly #task: BackfillTask;
  readonly #open: readonly DeliveryDay[];

  constructor(parts: PriceParts, task: BackfillTask, open: readonly DeliveryDay[]) {
    this.#parts = parts;
    this.#task = task;
    this.left = new Set(open);
    this.#open = open;
  }

  get stopped(): boolean {
    return this.#task.signal?.aborted === true;
  }

  /** Everything that is open and that this feed may have, until it is through or unusable. */
  async ask(source: RealizedSource): Promise<void> {
    const totals: SourceTotals = { source, requests: 0, failures: 0, days: 0, intervals: 0 };
    const chunks = chunksOf(source, [...this.left].sort());
    if (chunks.length > 0) this.totals.push(totals);
    let throttled = 0;
    for (let index = 0; index < chunks.length && !this.stopped; ) {
      if (!(await this.#mayAsk(source, chunks[index] ?? []))) return;
      const startedAt = this.#parts.clock.nowMilliseconds();
      const outcome = await this.#askChunk(totals, chunks[index] ?? []).catch((error: unknown) => {
        /* A request that is cut off stores nothing; the days of it that were stored before stay. */
        if (!this.stopped) throw error;
        return 'busy' as const;
      });
      throttled = outcome === 'throttled' ? throttled + 1 : 0;
      if (outcome === 'denied' || outcome === 'transient_failure' || throttled >= THROTTLED_MAX) return;
      if (outcome !== 'throttled') index += 1;
      if (index < chunks.length) await this.#keepPace(source, startedAt);
    }
  }

  /** Days that are held back: another origin may have them as well. */
  async confirmSuspects(): Promise<void> {
    for (const deliveryOn of await suspectDays(this.#parts, this.#open)) {
      if (this.stopped) return;
      const { means, changed } = await crossCheckDay(this.#parts, deliveryOn, this.#task.signal);
      if (changed) this.changed.add(deliveryOn);
      if (means === null || UNREACHED.includes(means.outcome)) return;
      await this.#wait(MEANS_PACE_MILLISECONDS);
    }
  }

  async #askChunk(totals: SourceTotals, days: readonly DeliveryDay[]): Promise<FetchOutcome | 'busy'> {
    const { source } = totals;
    const { recheck, signal } = this.#task;
    const reports = await pullChunk(this.#parts, {
      source,
      days,
      ...(recheck === undefined ? {} : { recheck }),
      ...(signal === undefined ? {} : { signal }),
    });
    const outcome = this.#note(totals, reports);
    this.#tell(source, days, outcome, intervalsOf(reports));
    return outcome;
  }

  #note(totals: SourceTotals, reports: readonly PullReport[]): FetchOutcome | 'busy' {
    const attempts = reports.flatMap((report) => report.attempts.slice(-1));
    totals.requests += 1;
    totals.intervals += intervalsOf(reports);
    for (const report of reports) {
      if (report.changed) this.changed.add(report.deliveryOn);
      if (report.outcome === 'busy') this.busy.add(report.deliveryOn);
      const isSettled =
        report.attempts.at(-1)?.outcome === 'published' || report.outcome === 'already_complete';
      if (!isSettled) continue;
      this.left.delete(report.deliveryOn);
      totals.days += 1;
    }
    const outcome = worstOf(attempts.map((attempt) => attempt.outcome));
    if (outcome !== 'busy' && UNREACHED.includes(outcome)) totals.failures += 1;
    if (attempts.some((attempt) => !UNREACHED.includes(attempt.outcome))) this.reached = true;
    return outcome;
  }

  /** Waits for a short pause of the feed; false: it must be left alone for longer. */
  async #mayAsk(source: RealizedSource, days: readonly DeliveryDay[]): Promise<boolean> {
    const { database, clock } = this.#parts;
    const now = clock.nowMilliseconds();
    const pause = await database.asService((connection) => findPause(connection, this.#parts, source));
    if (pause === null) return true;
    const note = `${pause.reason}, until ${new Date(Math.round(pause.until / 1000) * 1000).toISOString()}`;
    this.#tell(source, days, 'paused', 0, note);
    if (pause.until - now > PAUSE_MILLISECONDS_MAX) return false;
    await this.#wait(pause.until - now + 1);
    return !this.stopped;
  }

  async #keepPace(source: RealizedSource, startedAt: number): Promise<void> {
    const { milliseconds } = sources[source].pace;
    /* A clock that was set back in between must not make the wait longer. */
    await this.#wait(Math.min(milliseconds, startedAt + milliseconds - this.#parts.clock.nowMilliseconds()));
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.stopped) return;
    await waitFor(this.#parts, milliseconds, this.#task.signal);
  }

  #tell(
    source: RealizedSource,
    days: readonly DeliveryDay[],
    outcome: BackfillProgress['outcome'],
    intervals: number,
    note?: string,
  ): void {
    const last = days.at(-1);
    this.#task.onProgress?.({
      source,
      from: days[0] ?? this.#task.from,
      to: last === undefined ? this.#task.to : addDays(last, 1),
      outcome,
      intervals,
      daysDone: this.#open.length - this.left.size,
      daysRequested: this.#open.length,
      ...(note === undefined ? {} : { note }),
    });
  }
}

function intervalsOf(reports: readonly PullReport[]): number {
  return reports.reduce((sum, report) => sum + (report.attempts.at(-1)?.intervals ?? 0), 0);
}

/** The days of one request mostly share their end; where they differ, a failure says more than a success. */
function worstOf(outcomes: readonly FetchOutcome[]): FetchOutcome | 'busy' {
  const order: readonly FetchOutcome[] = [...UNREACHED, 'rejected', 'not_published', 'partial', 'published'];
  return order.find((outcome) => outcomes.includes(outcome)) ?? 'busy';
}
