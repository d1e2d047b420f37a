import { unavailable } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/principal.ts';
import type { Batch } from './batch.ts';
import type { WrittenBatch } from './redo.ts';

export interface WaitingBatch {
  tenant: Tenant;
  batch: Batch;
  signal: AbortSignal;
  resolve(written: WrittenBatch): void;
  reject(error: Error): void;
}

export function rowsOf(batches: readonly WaitingBatch[]): number {
  return batches.reduce((sum, { batch }) => sum + batch.encoded.rows, 0);
}

/** Batches in the order of their arrival; nothing is written for whoever has left in the meantime. */
export function takeGroup(waiting: WaitingBatch[], rowsMax: number): WaitingBatch[] {
  const group: WaitingBatch[] = [];
  let rows = 0;
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    rows += next.batch.encoded.rows;
    if (group.length > 0 && rows > rowsMax) break;
    waiting.shift();
    if (next.signal.aborted) next.reject(unavailable());
    else group.push(next);
  }
  return group;
}
