import type { ErrorEntry } from '../../platform/errors.ts';
import type { Batch } from './batch.ts';
import { shown } from './columns.ts';
import { differs, Problems } from './problems.ts';
import type { RowContradiction } from './stored-rows.ts';

/** One entry for each row of a batch whose asset and timestamp are stored with other values, repetitions included. */
export function contradictionEntries(
  batch: Batch,
  contradictions: readonly RowContradiction[],
): ErrorEntry[] {
  const byRow = new Map(
    contradictions.map((found) => [batch.positions[found.place] as number, found] as const),
  );
  for (const { row, kept } of batch.repetitions) {
    const found = byRow.get(kept);
    if (found !== undefined) byRow.set(row, found);
  }
  const problems = new Problems(batch.encoded.table);
  for (const [row, { field, sent, stored }] of byRow) {
    problems.add(row, 'custom', field, differs(shown(sent), shown(stored), 'stored'));
  }
  return problems.entries();
}
