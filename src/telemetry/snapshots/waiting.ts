import type { Span } from '@opentelemetry/api';
import { unavailable } from '../../platform/errors.ts';
import type { Account, Line } from '../../platform/fair-line.ts';
import type { FairQueue } from '../../platform/fair-queue.ts';
import type { Batch } from './batch.ts';
import type { RowsToWrite } from './merge.ts';
import type { RowContradiction } from './stored-rows.ts';

export type WrittenBatch =
  | { readonly stored: number }
  | { readonly contradictions: readonly RowContradiction[] };

export interface WaitingBatch {
  /** Whose batch it is, and who waits with it. */
  readonly sender: Account;
  readonly batch: Batch;
  readonly signal: AbortSignal;
  /** Of the request that sent it, where that is traced. */
  readonly span: Span | undefined;
  rest: RowsToWrite;
  /** How often it was compared with what is stored. */
  comparisons: number;
  /** When it was first given to be compared; milliseconds of the process, 0 before. */
  metAt: number;
  /** A COMMIT of it got no answer: nobody may say that it is not stored, and its bytes may still be on their way. */
  isOutcomeUnknown: boolean;
  resolve(written: WrittenBatch): void;
  reject(error: Error): void;
}

/** After two comparisons others go without it: who loses again and again, loses alone. */
const COMPARISONS_IN_COMPANY_MAX = 1;

/**
 * The cost of a batch for process and database, in milliseconds, measured with batches of 100 and of 10,000 rows. Taken for
 * what a group costs each of its batches, because its time is mostly that of the disk.
 */
const BATCH_MILLISECONDS = 0.1;
const ROW_MILLISECONDS = 0.002;

export function rowsOf(batches: readonly WaitingBatch[]): number {
  return batches.reduce((sum, { rest }) => sum + rest.rows, 0);
}

export function spansOf(batches: readonly WaitingBatch[]): (Span | undefined)[] {
  return batches.map(({ span }) => span);
}

/** What is done with several batches together. */
export function spanOf(operation: 'COPY' | 'compare', batches: readonly WaitingBatch[]) {
  return {
    name: `${operation} asset_snapshots`,
    kind: 'CLIENT',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.collection.name': 'asset_snapshots',
      'voltstream.snapshots.rows': rowsOf(batches),
      'voltstream.snapshots.batches': batches.length,
    },
  } as const;
}

/**
 * Batches that wait for a group. The sender with the least cost is next. Batches of one sender follow each other as they
 * came.
 */
export class WaitingBatches {
  readonly #line: Line<WaitingBatch>;
  readonly #queue: FairQueue;
  rows = 0;

  constructor(queue: FairQueue) {
    this.#queue = queue;
    this.#line = queue.line();
  }

  get size(): number {
    return this.#line.size;
  }

  push(batch: WaitingBatch): void {
    this.rows += batch.rest.rows;
    this.#line.push(batch.sender, batch);
  }

  /** Up to so many rows, one batch in any case; nothing is written for whoever has left in the meantime. */
  takeGroup(rowsMax: number): WaitingBatch[] {
    const group: WaitingBatch[] = [];
    let rows = 0;
    const fits = (batch: WaitingBatch) =>
      group.length === 0 || (!goesAlone(batch) && rows + batch.rest.rows <= rowsMax);
    for (;;) {
      const next = this.#line.take((_, first) => first === undefined || fits(first))?.item;
      if (next === undefined) return group;
      this.rows -= next.rest.rows;
      if (hasLeft(next)) continue;
      this.#queue.charge(next.sender, BATCH_MILLISECONDS + next.rest.rows * ROW_MILLISECONDS);
      rows += next.rest.rows;
      group.push(next);
      if (goesAlone(next)) return group;
    }
  }
}

/** Then the batch is refused: nothing is done for whoever has his answer already. */
export function hasLeft({ signal, reject }: WaitingBatch): boolean {
  if (signal.aborted) reject(unavailable());
  return signal.aborted;
}

function goesAlone({ comparisons }: WaitingBatch): boolean {
  return comparisons > COMPARISONS_IN_COMPANY_MAX;
}
