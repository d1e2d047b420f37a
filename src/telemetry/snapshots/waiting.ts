import { unavailable } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/principal.ts';
import type { Batch } from './batch.ts';
import type { RowsToWrite } from './merge.ts';
import type { RowContradiction } from './stored-rows.ts';

export type WrittenBatch =
  | { readonly stored: number }
  | { readonly contradictions: readonly RowContradiction[] };

export interface WaitingBatch {
  readonly tenant: Tenant;
  readonly batch: Batch;
  readonly signal: AbortSignal;
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

export function rowsOf(batches: readonly WaitingBatch[]): number {
  return batches.reduce((sum, { rest }) => sum + rest.rows, 0);
}

/** Batches in the order of their arrival; nothing is written for whoever has left in the meantime. */
export function takeGroup(waiting: WaitingBatch[], rowsMax: number): WaitingBatch[] {
  const group: WaitingBatch[] = [];
  let rows = 0;
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    const isAlone = next.comparisons > COMPARISONS_IN_COMPANY_MAX;
    rows += next.rest.rows;
    if (group.length > 0 && (isAlone || rows > rowsMax)) break;
    waiting.shift();
    if (next.signal.aborted) next.reject(unavailable());
    else group.push(next);
    if (isAlone && group.length > 0) break;
  }
  return group;
}
