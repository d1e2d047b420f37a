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

/** Rows of a batch that go into a COPY: all of them, or those that a comparison found missing. */
export interface RowsToWrite {
  readonly runs: readonly RowRun[];
  readonly rows: number;
}

interface GroupMember {
  readonly batch: Batch;
  readonly rest: RowsToWrite;
}

/** Whose rows they are. */
interface SourcedPiece extends BytePiece {
  readonly rows: number;
  /** Place of the batch in its group. */
  readonly member: number;
}

type SourcedRun = RowRun & SourcedPiece;

interface SourcedRow extends SourcedPiece {
  readonly instant: number;
}

export interface MergedRows {
  /** A complete COPY stream, sorted by asset and timestamp over all batches. */
  readonly buffer: Buffer;
  readonly table: FieldTable;
  readonly rows: number;
  /** Not later than the earliest instant, microseconds since 2000. */
  readonly start: number;
  /** Place in the group of the batch whose row is this one of the stream, counted from 1; null where there is none. */
  memberAt(line: number): number | null;
  /** Frees what was made for the group alone; under the same condition as `EncodedRows.recycle`. */
  recycle(): void;
}

/** Batches of a group that hold a row of an earlier one: they cannot go into one COPY with it. */
export type RepeatingMembers = ReadonlySet<number>;

/** All rows of a complete COPY stream. */
export function rowsOfStream({ buffer }: Pick<MergedRows, 'buffer'>): BytePiece {
  return { buffer, start: COPY_HEADER.length, end: buffer.length - COPY_TRAILER.length };
}

/**
 * Makes one COPY stream of several batches by copying what they have encoded already. Assets belong to one household,
 * so that mostly whole runs follow each other; where batches overlap in the time of one asset their rows are merged one
 * by one. Without the members that it names, where it names some, a group can be merged.
 */
export function mergeBatches(group: readonly GroupMember[]): MergedRows | RepeatingMembers {
  const [first] = group;
  if (first === undefined) throw new Error('A group has at least one batch');
  const { table } = first.batch.encoded;
  const { start } = first.batch;
  if (group.length === 1 && first.rest.rows === first.batch.encoded.rows) {
    const { buffer, rows } = first.batch.encoded;
    return { buffer, table, rows, start, memberAt: () => 0, recycle: () => {} };
  }
  const runs = group
    .flatMap(({ batch: { encoded }, rest }, member) =>
      rest.runs.map((run): SourcedRun => ({ ...run, buffer: encoded.buffer, member })),
    )
    .sort((a, b) => a.key - b.key || a.first - b.first);
  const pieces: SourcedPiece[] = [];
  const repeating = new Set<number>();
  for (let from = 0; from < runs.length; ) {
    const to = endOfOverlap(runs, from);
    if (to === from + 1) pieces.push(runs[from] as SourcedRun);
    else mergeRows(runs.slice(from, to), pieces, repeating);
    from = to;
  }
  if (repeating.size > 0) return repeating;
  const buffer = copyStreamOf(pieces);
  return {
    buffer,
    table,
    rows: runs.reduce((sum, { rows }) => sum + rows, 0),
    start: Math.min(...group.map(({ batch }) => batch.start)),
    memberAt: (line) => memberAt(pieces, line),
    recycle: () => freeMemory(buffer),
  };
}

function memberAt(pieces: readonly SourcedPiece[], line: number): number | null {
  let last = 0;
  for (const { rows, member } of pieces) {
    last += rows;
    if (line >= 1 && line <= last) return member;
  }
  return null;
}

/** The end of the runs that overlap, one after the other, beginning with the run at `from`. */
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

/** If an instant comes more than once, the row of the earliest batch is taken, and the other batches are named. */
function mergeRows(runs: readonly SourcedRun[], pieces: SourcedPiece[], repeating: Set<number>): void {
  const rows = runs.flatMap(rowsOfRun).sort((a, b) => a.instant - b.instant || a.member - b.member);
  for (const [index, row] of rows.entries()) {
    if (row.instant === rows[index - 1]?.instant) repeating.add(row.member);
    else pieces.push(row);
  }
}

function rowsOfRun({ buffer, member, ...run }: SourcedRun): SourcedRow[] {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const rows: SourcedRow[] = [];
  for (let start = run.start; start < run.end; ) {
    const end = rowEnd(view, start);
    rows.push({ buffer, member, start, end, rows: 1, instant: instantAt(view, start) });
    start = end;
  }
  return rows;
}

/** A complete COPY stream of encoded rows, header and trailer added. */
function copyStreamOf(pieces: readonly BytePiece[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0);
  const whole = Buffer.allocUnsafeSlow(COPY_HEADER.length + length + COPY_TRAILER.length);
  whole.set(COPY_HEADER, 0);
  let offset = COPY_HEADER.length;
  for (const { buffer, start, end } of pieces) offset += buffer.copy(whole, offset, start, end);
  whole.set(COPY_TRAILER, offset);
  return whole;
}
