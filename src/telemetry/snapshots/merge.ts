import { freeMemory } from '../../platform/database/buffer-pool.ts';
import type { Batch } from './batch.ts';
import { COPY_HEADER, COPY_TRAILER, instantAt, type RowRun, rowEnd } from './encode.ts';
import type { FieldTable } from './fields.ts';

/** A piece of some batch's buffer: one row or many. */
export interface BytePiece {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

interface SourcedRun extends RowRun {
  readonly buffer: Buffer;
}

export interface MergedRows {
  /** A complete COPY stream, sorted by asset and timestamp over all batches. */
  readonly buffer: Buffer;
  readonly table: FieldTable;
  readonly rows: number;
  /** Earliest instant, microseconds since 2000. */
  readonly start: number;
  /** Frees what was made for the group alone; under the same condition as `EncodedRows.recycle`. */
  recycle(): void;
}

/** All rows of a complete COPY stream. */
export function rowsOfStream({ buffer }: Pick<MergedRows, 'buffer'>): BytePiece {
  return { buffer, start: COPY_HEADER.length, end: buffer.length - COPY_TRAILER.length };
}

/**
 * Makes one COPY stream of several batches by copying what they have encoded already. Assets belong to one household,
 * so that mostly whole runs follow each other; where batches overlap in the time of one asset their rows are merged one
 * by one. Null when two batches hold the same asset and timestamp: they cannot go into one COPY.
 */
export function mergeBatches(batches: readonly Batch[]): MergedRows | null {
  const only = batches[0];
  if (only === undefined) throw new Error('A group has at least one batch');
  const { table } = only.encoded;
  if (batches.length === 1) {
    const { buffer, rows } = only.encoded;
    return { buffer, table, rows, start: only.start, recycle: () => {} };
  }
  const runs = batches
    .flatMap(({ encoded }) => encoded.runs.map((run): SourcedRun => ({ ...run, buffer: encoded.buffer })))
    .sort((a, b) => a.key - b.key || a.first - b.first);
  const pieces: BytePiece[] = [];
  for (let from = 0; from < runs.length; ) {
    const to = endOfOverlap(runs, from);
    if (to === from + 1) pieces.push(runs[from] as SourcedRun);
    else if (!mergeRows(runs.slice(from, to), pieces)) return null;
    from = to;
  }
  const buffer = copyStreamOf(pieces);
  return {
    buffer,
    table,
    rows: runs.reduce((sum, run) => sum + run.rows, 0),
    start: Math.min(...batches.map(({ start }) => start)),
    recycle: () => freeMemory(buffer),
  };
}

/** Where the runs end that overlap, one after the other, with the run at `from`. */
function endOfOverlap(runs: readonly SourcedRun[], from: number): number {
  const { key, last } = runs[from] as SourcedRun;
  let latest = last;
  let to = from + 1;
  for (; to < runs.length; to += 1) {
    const run = runs[to] as SourcedRun;
    if (run.key !== key || run.first > latest) break;
    latest = Math.max(latest, run.last);
  }
  return to;
}

/** False when an instant comes twice. */
function mergeRows(runs: readonly SourcedRun[], pieces: BytePiece[]): boolean {
  const rows = runs.flatMap(rowsOf).sort((a, b) => a.instant - b.instant);
  for (const [index, row] of rows.entries()) {
    if (row.instant === rows[index - 1]?.instant) return false;
    pieces.push(row);
  }
  return true;
}

function rowsOf(run: SourcedRun): (BytePiece & { instant: number })[] {
  const { buffer } = run;
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const rows: (BytePiece & { instant: number })[] = [];
  for (let start = run.start; start < run.end; ) {
    const end = rowEnd(view, start);
    rows.push({ buffer, start, end, instant: instantAt(view, start) });
    start = end;
  }
  return rows;
}

/** A complete COPY stream of encoded rows, header and trailer added. */
export function copyStreamOf(pieces: readonly BytePiece[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0);
  const whole = Buffer.allocUnsafeSlow(COPY_HEADER.length + length + COPY_TRAILER.length);
  whole.set(COPY_HEADER, 0);
  let offset = COPY_HEADER.length;
  for (const { buffer, start, end } of pieces) offset += buffer.copy(whole, offset, start, end);
  whole.set(COPY_TRAILER, offset);
  return whole;
}
