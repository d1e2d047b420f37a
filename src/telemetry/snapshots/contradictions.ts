import type { ErrorEntry } from '../../platform/errors.ts';
import type { Batch } from './batch.ts';
import { shown } from './columns.ts';
import { differs, Problems } from './problems.ts';
import type { RowContradiction } from './stored-rows.ts';

/** 1 ms. */
const ROWS_OF_PIECE = 1_000;

/**
 * One entry for each row of a batch whose asset and timestamp are stored with other values, repetitions included; beside the
 * problems that it has already. `isHidden`: for who may not read what is stored. In pieces: 10,000 rows take 10 ms.
 */
export function* contradictionEntries(
  batch: Batch,
  contradictions: readonly RowContradiction[],
  { isHidden = false, problems = new Problems(batch.encoded.table) } = {},
): Generator<void, ErrorEntry[]> {
  const byRow = new Map(
    contradictions.map((found) => [batch.positions[found.place] as number, found] as const),
  );
  for (const { row, kept } of batch.repetitions) {
    const found = byRow.get(kept);
    if (found !== undefined) byRow.set(row, found);
  }
  for (const [row, { field, sent, stored }] of byRow) {
    problems.add(row, 'custom', field, differs(shown(sent), shown(stored), 'stored'), true);
    if (problems.length % ROWS_OF_PIECE === 0) yield;
  }
  return problems.entries(isHidden);
}
