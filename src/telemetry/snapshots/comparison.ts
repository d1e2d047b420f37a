import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/db.ts';
import { Failure, unavailable } from '../../platform/errors.ts';
import type { FairQueue } from '../../platform/fair-queue.ts';
import type { Traces } from '../../platform/traces.ts';
import { LARGE_GROUP_ROWS } from './group.ts';
import { findStored, type RunsOfOrganization } from './queries.ts';
import { compareRun, type RowComparison, type RowContradiction, readStored } from './stored-rows.ts';
import { hasLeft, spanOf, spansOf, type WaitingBatch, WaitingBatches } from './waiting.ts';
import { isOfOneWeek, type Week, weeksOf } from './weeks.ts';
import type { createCounters } from './writer-metrics.ts';

/** Decides batches that probably meet stored rows. */
export interface Comparer {
  compare(waiting: WaitingBatch): void;
}

export interface ComparerParts {
  /** Where all stored rows are seen. */
  database: Database;
  queue: FairQueue;
  log: Logger;
  traces: Traces | null;
  counters: ReturnType<typeof createCounters>;
  /** Rows that are compared together. */
  rowsMax: number;
  /** Takes a batch of which rows are missing: `rest` names them. */
  onMissing(waiting: WaitingBatch): void;
  /** Is told of every batch whose rows are all stored with the same values. */
  onStored(waiting: WaitingBatch): void;
  refuse(batches: readonly WaitingBatch[], error: unknown): void;
}

/** Looks for batches that cost much, by their rows or by the weeks in which those lie. Each is alone in its look. */
const LARGE_LOOKS_MAX = 2;

/** Handlers have 20 seconds, and a statement may take 15: after this no further week is asked for. */
const BEGIN_WITHIN_MILLISECONDS = 5_000;

/**
 * Compares batches with what is stored: equal rows stay as they are, missing ones are given on to be written, different ones
 * refuse their batch alone. Batches that come while others are compared wait for each other and are compared in one look, of
 * whatever organizations they are: planning the question costs as much as the answer for a batch of 100 rows.
 */
export function createComparer(parts: ComparerParts): Comparer {
  const small = createLine(1, parts.rowsMax);
  const large = createLine(LARGE_LOOKS_MAX, 0);

  function createLine(looksMax: number, rowsMax: number) {
    const waiting = new WaitingBatches(parts.queue);
    let looks = 0;
    let isStartPlanned = false;
    function start(): void {
      isStartPlanned = false;
      while (looks < looksMax && waiting.size > 0) {
        const batches = waiting.takeGroup(rowsMax);
        if (batches.length === 0) continue;
        looks += 1;
        void decide(parts, batches).finally(() => {
          looks -= 1;
          start();
        });
      }
    }
    return (batch: WaitingBatch) => {
      waiting.push(batch);
      if (isStartPlanned) return;
      isStartPlanned = true;
      setImmediate(start);
    };
  }

  return {
    compare(waiting) {
      const { batch } = waiting;
      if (waiting.comparisons === 0) {
        waiting.metAt = performance.now();
        parts.counters.fallbacks.inc();
      } else parts.counters.retries.inc();
      waiting.comparisons += 1;
      waiting.rest = batch.encoded;
      const isLarge = batch.encoded.rows >= LARGE_GROUP_ROWS || !isOfOneWeek(batch);
      (isLarge ? large : small)(waiting);
    },
  };
}

/** Never throws: every batch is answered, or given on. */
async function decide(parts: ComparerParts, batches: readonly WaitingBatch[]): Promise<void> {
  const { database, log, traces, onMissing, onStored, refuse } = parts;
  let comparisons: RowComparison[];
  try {
    const look = () => database.withClient((client) => compareWithStored(client, batches));
    comparisons = await (traces === null
      ? look()
      : traces.together(spanOf('compare', batches), spansOf(batches), look));
  } catch (error) {
    if (batches.length === 1 || error instanceof Failure) return refuse(batches, error);
    log.warn({ err: error, batches: batches.length }, 'batches of snapshots are compared one by one');
    for (const waiting of batches) if (!hasLeft(waiting)) await decide(parts, [waiting]);
    return;
  }
  for (const [index, waiting] of batches.entries()) {
    const { contradictions, missing, missingRows } = comparisons[index] as RowComparison;
    if (contradictions.length > 0) waiting.resolve({ contradictions });
    else if (missingRows === 0) onStored(waiting);
    else {
      waiting.rest = { runs: missing, rows: missingRows };
      onMissing(waiting);
    }
  }
}

/** A batch as far as it is compared. */
interface ComparedBatch extends Pick<WaitingBatch, 'batch'> {
  readonly sender: Pick<WaitingBatch['sender'], 'organization'>;
}

/** Which rows of a batch are stored with other values. Nothing of it is written. */
export async function contradictionsOf(
  database: Pick<Database, 'withClient'>,
  compared: ComparedBatch,
): Promise<readonly RowContradiction[]> {
  const [comparison] = await database.withClient((client) => compareWithStored(client, [compared]));
  return comparison?.contradictions ?? [];
}

/** In the order of the batches. One question for each week in which they have rows. */
async function compareWithStored(
  client: pg.ClientBase,
  batches: readonly ComparedBatch[],
): Promise<RowComparison[]> {
  const begunAt = performance.now();
  const sorted = [...Map.groupBy(batches, ({ sender }) => sender.organization).values()].flat();
  const { table } = (batches[0] as ComparedBatch).batch.encoded;
  const comparisons = new Map<ComparedBatch, RowComparison>(
    batches.map((waiting) => [waiting, { contradictions: [], missing: [], missingRows: 0 }]),
  );
  for (const week of weeksOf(sorted.map(({ batch }) => batch))) {
    if (performance.now() - begunAt > BEGIN_WITHIN_MILLISECONDS) throw unavailable();
    const stored = readStored(await findStored(client, week, organizationsOf(week, sorted), table), table);
    for (const run of week.runs) {
      const compared = sorted[run.member] as ComparedBatch;
      compareRun(compared.batch.encoded, run, stored, comparisons.get(compared) as RowComparison);
    }
  }
  return [...comparisons.values()];
}

/** Runs come batch by batch, and batches organization by organization. */
function organizationsOf({ runs }: Week, sorted: readonly ComparedBatch[]): RunsOfOrganization[] {
  const ends = new Map<string, number>();
  for (const [index, { member }] of runs.entries()) {
    ends.set((sorted[member] as ComparedBatch).sender.organization, index + 1);
  }
  return Array.from(ends, ([organization, end]) => ({ organization, end }));
}
