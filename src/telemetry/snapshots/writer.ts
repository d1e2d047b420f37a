import type { Logger } from 'pino';
import type { ServiceConfig } from '../../config/config.ts';
import { type Clock, elapsedSeconds } from '../../platform/clock.ts';
import { CommitUnknown, type Database } from '../../platform/database/db.ts';
import { isLostRace, REPEATS_MAX, withRepeats } from '../../platform/database/lost-races.ts';
import { isRowTaken } from '../../platform/database/pg-errors.ts';
import { Failure, unavailable } from '../../platform/errors.ts';
import type { Account } from '../../platform/fair-line.ts';
import type { FairQueue } from '../../platform/fair-queue.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Traces } from '../../platform/traces.ts';
import type { Batch } from './batch.ts';
import { type Comparer, createComparer } from './comparison.ts';
import {
  createGroupWrites,
  LARGE_GROUP_ROWS,
  NotInThisPlace,
  REPEAT_WITHIN_SECONDS,
  RowCountMismatch,
  type WriteGroup,
} from './group.ts';
import { type MergedRows, mergeBatches } from './merge.ts';
import { refusedLine } from './queries.ts';
import { createRecentlyStored } from './recently-stored.ts';
import {
  hasLeft,
  rowsOf,
  spanOf,
  spansOf,
  type WaitingBatch,
  WaitingBatches,
  type WrittenBatch,
} from './waiting.ts';
import { createCounters } from './writer-metrics.ts';

export interface SnapshotWriter extends Comparer {
  /** Resolves when the batch is on the database's disk, or contradicts what is stored. */
  write(sender: Account, batch: Batch, signal: AbortSignal): Promise<WrittenBatch>;
  /** How many batches wait for a group. */
  waiting(): number;
  /** Resolves when every batch is answered. */
  drain(): Promise<void>;
}

export interface WriterDeps {
  config: Pick<ServiceConfig, 'INGEST_GROUP_ROWS_MAX' | 'INGEST_GROUPS_MAX' | 'INGEST_SMALL_GROUPS_MAX'>;
  /** Where all stored rows are seen: a batch that meets some is written there. */
  database: Database;
  queue: FairQueue;
  /** Where groups are written; into the same database where absent. */
  place?: WriterPlace;
  clock: Clock;
  metrics: Metrics;
  /** A group is a span that is linked with those of the requests whose batches it holds. */
  traces?: Traces | null;
  log: Logger;
}

/** One server of several that hold the rows together. */
export interface WriterPlace {
  readonly writeGroup: WriteGroup;
  /** Takes the batches of a group that this place does not take. */
  readonly elsewhere: Pick<SnapshotWriter, 'write' | 'compare'>;
}

const OUTCOME_UNKNOWN =
  'The outcome of the commit is unknown: the batch is stored completely or not at all; send the same body again';

/** After so many refused rows of one group all of it is compared with what is stored. */
const REFUSED_ROWS_MAX = 2;

/** A small group that takes longer than this is held up by something, and the next one does not wait for it. */
const PATIENCE_MILLISECONDS = 50;

/**
 * Group commit. A commit costs about the same for 100 rows as for 10,000, so batches that wait at the same moment go
 * into one transaction. A batch that finds nothing under way does not wait for company. While as many small groups as are
 * allowed (one, on two cores) are being copied the next one grows, and follows behind its COMMIT; a large one need not wait for it, nor it for a large one.
 * Measured with 32 gateways and 100 rows: 16 batches come together, and four small groups side by side took a third more
 * processor time.
 */
export function createSnapshotWriter(deps: WriterDeps): SnapshotWriter {
  const { config, database, queue, place, clock, metrics, traces = null, log } = deps;
  const {
    INGEST_GROUP_ROWS_MAX: rowsMax,
    INGEST_GROUPS_MAX: groupsMax,
    INGEST_SMALL_GROUPS_MAX: smallGroupsMax,
  } = config;
  const waiting = new WaitingBatches(queue);
  const writeGroup = place?.writeGroup ?? createGroupWrites(database, clock);
  const counters = createCounters(metrics);
  let groupsUnderWay = 0;
  let smallGroupsUnderWay = 0;
  let isStartPlanned = false;
  let unanswered = 0;
  const countRetry = () => counters.retries.inc();
  let drained = Promise.withResolvers<void>();
  drained.resolve();
  const recentlyStored = createRecentlyStored();
  /* Behind a new connection, or where one was lost, there may be a database that was restored or took over. */
  database.pool.on('connect', recentlyStored.doubt);
  database.pool.on('remove', recentlyStored.doubt);
  const { compare } =
    place?.elsewhere ??
    createComparer({
      ...{ database, queue, log, traces, counters, rowsMax, refuse },
      onStored: (stored) => answerStored(stored, 0),
      onMissing: (batch) => {
        waiting.push(batch);
        planStart();
      },
    });

  /* Requests whose bodies were read in the same turn of the event loop join one group without waiting for time to pass. */
  function planStart(): void {
    if (isStartPlanned) return;
    isStartPlanned = true;
    setImmediate(startGroups);
  }

  function mayStart(): boolean {
    if (waiting.size === 0 || groupsUnderWay >= groupsMax) return false;
    return smallGroupsUnderWay < smallGroupsMax || waiting.rows >= LARGE_GROUP_ROWS;
  }

  function startGroups(): void {
    isStartPlanned = false;
    while (mayStart()) {
      const group = waiting.takeGroup(rowsMax);
      if (group.length > 0) run(group);
    }
  }

  function run(group: readonly WaitingBatch[]): void {
    groupsUnderWay += 1;
    const endSmall = rowsOf(group) < LARGE_GROUP_ROWS ? beginSmall() : nothingLeft;
    const onCommitting = () => {
      endSmall();
      startGroups();
    };
    void settle(group, onCommitting).then((answer) => {
      groupsUnderWay -= 1;
      endSmall();
      startGroups();
      /* After the next group is on its way: the server works while the answers are written. */
      setImmediate(answer);
    });
  }

  /** Gives what ends the time in which other small groups wait for this one. */
  function beginSmall(): () => void {
    smallGroupsUnderWay += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(patience);
      smallGroupsUnderWay -= 1;
    };
    const patience = setTimeout(() => {
      end();
      startGroups();
    }, PATIENCE_MILLISECONDS);
    return end;
  }

  /** Never throws: every batch of the group is answered or given on, at the latest by what is returned. */
  async function settle(group: readonly WaitingBatch[], onCommitting: () => void): Promise<() => void> {
    const started = performance.now();
    const repeating: WaitingBatch[] = [];
    let rest = group;
    counters.groups.inc();
    counters.groupRows.observe(rowsOf(group));
    try {
      for (let refused = 0; ; refused += 1) {
        const merged = merge();
        const error = await withRepeats(isLostRace, countRetry, () => write(merged)).then(
          () => null,
          (failure: unknown) => failure,
        );
        if (error === null) return () => answerGroup(rest, merged);
        const taken = isRowTaken(error) ? memberOf(merged, error) : undefined;
        const isOver = refused === REFUSED_ROWS_MAX || elapsedSeconds(started) > REPEAT_WITHIN_SECONDS;
        if (taken === undefined || rest.length === 1 || isOver) throw error;
        compare(taken);
        rest = rest.filter((waiting) => waiting !== taken);
      }
    } catch (error) {
      await afterFailure(rest, error, elapsedSeconds(started));
      return nothingLeft;
    } finally {
      counters.seconds.observe(elapsedSeconds(started));
      /* Only now: before the others were written nothing of them would be found. */
      for (const waiting of repeating) compare(waiting);
    }

    function write(merged: MergedRows): Promise<void> {
      const written = () => writeGroup(merged, onCommitting);
      return traces === null ? written() : traces.together(spanOf('COPY', rest), spansOf(rest), written);
    }

    /** Without those that hold rows of others. */
    function merge(): MergedRows {
      const merged = mergeBatches(rest);
      if ('buffer' in merged) return merged;
      repeating.push(...rest.filter((_, member) => merged.has(member)));
      rest = rest.filter((_, member) => !merged.has(member));
      return merge();
    }

    function memberOf(merged: MergedRows, error: unknown): WaitingBatch | undefined {
      const line = refusedLine(error);
      const member = line === null ? null : merged.memberAt(line);
      return member === null ? undefined : rest[member];
    }
  }

  function answerGroup(group: readonly WaitingBatch[], merged: MergedRows): void {
    counters.rows.inc(merged.rows);
    for (const waiting of group) answerStored(waiting, waiting.rest.rows);
    merged.recycle();
  }

  function answerStored({ sender, batch, isOutcomeUnknown, resolve }: WaitingBatch, stored: number): void {
    recentlyStored.add(sender.organization, batch);
    resolve({ stored });
    if (!isOutcomeUnknown) batch.encoded.recycle();
  }

  async function afterFailure(
    group: readonly WaitingBatch[],
    error: unknown,
    seconds: number,
  ): Promise<void> {
    if (place !== undefined && error instanceof NotInThisPlace) return handOver(group, place);
    const isUnknown = error instanceof CommitUnknown;
    for (const waiting of group) waiting.isOutcomeUnknown ||= isUnknown;
    /* Each by itself: the others of a group have nothing to do with one that was met long ago. */
    const mayRepeat = ({ metAt, comparisons }: WaitingBatch) =>
      comparisons <= REPEATS_MAX && (metAt === 0 || elapsedSeconds(metAt) < REPEAT_WITHIN_SECONDS);
    const isOver = seconds >= REPEAT_WITHIN_SECONDS;
    /* Also after a lost COMMIT: rows that it had stored are found as equal ones. */
    if (!isOver && (isUnknown || isRowTaken(error))) {
      for (const waiting of group) {
        if (mayRepeat(waiting)) compare(waiting);
        else refuse([waiting], error);
      }
      return;
    }
    /* Without a connection, or alone: a repetition could only fail again. */
    if (error instanceof Failure || group.length === 1 || isOver) return refuse(group, error);
    log.warn(
      { err: error, batches: group.length },
      'snapshot group failed, its batches are written one by one',
    );
    for (const waiting of group) if (!hasLeft(waiting)) (await settle([waiting], nothingLeft))();
  }

  function handOver(group: readonly WaitingBatch[], { elsewhere }: WriterPlace): void {
    for (const { sender, batch, signal, resolve, reject } of group) {
      elsewhere.write(sender, batch, signal).then(resolve, reject);
    }
  }

  function refuse(group: readonly WaitingBatch[], error: unknown): void {
    if (error instanceof RowCountMismatch) counters.mismatches.inc();
    log.error({ err: error, batches: group.length }, 'snapshots were not stored');
    const failure = error instanceof Failure ? error : unavailable(undefined, error);
    for (const { reject, isOutcomeUnknown } of group) {
      reject(isOutcomeUnknown ? unavailable(OUTCOME_UNKNOWN, error) : failure);
    }
  }

  function answered(): void {
    unanswered -= 1;
    if (unanswered === 0) drained.resolve();
  }

  return {
    write(sender, batch, signal) {
      const remembered = recentlyStored.find(sender.organization, batch);
      /* A node may be lost while the connections to the database stay. */
      if (remembered === 'stored' && place === undefined) {
        counters.repeats.inc();
        batch.encoded.recycle();
        return Promise.resolve({ stored: 0 });
      }
      if (unanswered === 0) drained = Promise.withResolvers();
      unanswered += 1;
      const { promise, resolve, reject } = Promise.withResolvers<WrittenBatch>();
      const entry: WaitingBatch = {
        sender,
        batch,
        signal,
        span: traces?.active(),
        rest: batch.encoded,
        comparisons: 0,
        metAt: 0,
        isOutcomeUnknown: false,
        resolve: (written) => {
          answered();
          resolve(written);
        },
        reject: (error) => {
          answered();
          reject(error);
        },
      };
      if (remembered === 'nothing') {
        waiting.push(entry);
        planStart();
      } else compare(entry);
      return promise;
    },
    compare,
    waiting: () => waiting.size,
    drain: () => drained.promise,
  };
}

const nothingLeft = () => {};
