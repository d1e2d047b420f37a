import type { ErrorEntry } from '../platform/errors.ts';
import { instantMicroseconds } from '../platform/instant.ts';
import type { Batch } from './batch.ts';
import { shown } from './columns.ts';
import { instantAt, rowEnd } from './encode.ts';
import { differs, Problems } from './problems.ts';
import type { Contradiction } from './redo.ts';
import { MEASURED_FIELDS } from './schema.ts';

/**
 * One entry for each row of a batch whose asset and timestamp are stored with other values. The database names them by
 * key and instant; here they get the position in the request back.
 */
export function contradictionEntries(batch: Batch, contradictions: readonly Contradiction[]): ErrorEntry[] {
  const byName = new Map(
    contradictions.map((found) => [nameOf(found.asset_id, instantMicroseconds(found.timestamp)), found]),
  );
  const byRow = new Map<number, Contradiction>();
  const { buffer, runs } = batch.encoded;
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  let encoded = 0;
  for (const { key, start, end } of runs) {
    for (let offset = start; offset < end; offset = rowEnd(view, offset)) {
      const found = byName.get(nameOf(key, instantAt(view, offset)));
      if (found !== undefined) byRow.set(batch.positions[encoded] as number, found);
      encoded += 1;
    }
  }
  for (const { row, kept } of batch.repetitions) {
    const found = byRow.get(kept);
    if (found !== undefined) byRow.set(row, found);
  }
  const problems = new Problems();
  for (const [row, found] of byRow) addDifference(row, found, problems);
  return problems.entries();
}

function addDifference(row: number, found: Contradiction, problems: Problems): void {
  const field = MEASURED_FIELDS.find((name) => found[`sent_${name}`] !== found[`stored_${name}`]);
  if (field === undefined) return;
  const message = differs(shown(found[`sent_${field}`]), shown(found[`stored_${field}`]), 'stored');
  problems.add(row, 'custom', field, message);
}

function nameOf(key: number, instant: number): string {
  return `${key}@${instant}`;
}
