import { type EncodedRows, instantAt, type RowRun, rowEnd, TIMESTAMP_OFFSET } from './encode.ts';
import type { FieldTable } from './fields.ts';
import type { StoredColumns } from './queries.ts';
import { ARRAY_COUNT_OFFSET, ARRAY_HEADER_BYTES, viewOf, type WeekRun } from './weeks.ts';

/** A row whose asset and timestamp are taken by other values. */
export interface RowContradiction {
  /** Place among the encoded rows of the batch. */
  readonly place: number;
  /** The first field that differs. */
  readonly field: string;
  readonly sent: number | boolean | null;
  readonly stored: number | boolean | null;
}

/** A batch compared with the stored rows. Rows that are stored as they were sent are not mentioned. */
export interface RowComparison {
  readonly contradictions: RowContradiction[];
  /** Rows that are not stored, week by week; neighbours are one run. */
  readonly missing: RowRun[];
  missingRows: number;
}

/** Fields of a length and a value each, one behind the other: of a sent row, or of a column of stored rows. */
interface Cursor {
  readonly view: DataView;
  offset: number;
}

/** The stored rows of some runs, column by column: each is read from its first run to its last one. */
export interface StoredRows {
  readonly timestamps: Cursor;
  readonly names: readonly string[];
  /** Of the measured fields, in the order of their names. */
  readonly columns: readonly Cursor[];
}

export function readStored(stored: StoredColumns, { names }: FieldTable): StoredRows {
  const cursorOf = (name: string): Cursor => {
    const column = stored[name];
    if (column === undefined) throw new Error(`stored_snapshots has no column ${name}`);
    return { view: viewOf(column), offset: 0 };
  };
  return { timestamps: cursorOf('timestamp'), names, columns: names.map(cursorOf) };
}

/**
 * Compares the rows of a run with those that are stored at its instants, field by field and nulls included. An element
 * of a binary array and a field of a binary COPY are written alike, so that nothing is decoded unless it differs.
 */
export function compareRun(
  { buffer }: Pick<EncodedRows, 'buffer'>,
  run: WeekRun,
  { timestamps, names, columns }: StoredRows,
  found: RowComparison,
): void {
  const view = viewOf(buffer);
  let left = beginRun(timestamps);
  for (const column of columns) beginRun(column);
  let place = run.place;
  for (let start = run.start, end = start; start < run.end; start = end, place += 1) {
    end = rowEnd(view, start);
    const sent: Cursor = { view, offset: start + TIMESTAMP_OFFSET };
    if (left === 0 || !areEqual(sent, timestamps)) {
      addMissing(found, { key: run.key, start, end }, instantAt(view, start));
      continue;
    }
    left -= 1;
    skip(timestamps);
    let isEqual = true;
    for (const [index, column] of columns.entries()) {
      skip(sent);
      if (isEqual && !areEqual(sent, column)) {
        isEqual = false;
        const field = names[index] as string;
        found.contradictions.push({ place, field, sent: decoded(sent), stored: decoded(column) });
      }
      skip(column);
    }
  }
  if (left !== 0) throw new Error('stored_snapshots gave a row that was not asked for');
}

/** Moves behind the header of the run's array, and gives how many rows it has. */
function beginRun(cursor: Cursor): number {
  const { view, offset } = cursor;
  const isEmpty = view.getInt32(offset) === 0;
  cursor.offset += isEmpty ? 4 : ARRAY_HEADER_BYTES;
  return isEmpty ? 0 : view.getInt32(offset + ARRAY_COUNT_OFFSET);
}

function addMissing(
  found: RowComparison,
  { key, start, end }: Pick<RowRun, 'key' | 'start' | 'end'>,
  instant: number,
): void {
  found.missingRows += 1;
  const before = found.missing.at(-1);
  if (before?.end === start && before.key === key) {
    found.missing[found.missing.length - 1] = { ...before, end, rows: before.rows + 1, last: instant };
  } else {
    found.missing.push({ key, start, end, rows: 1, first: instant, last: instant });
  }
}

function lengthAt({ view, offset }: Cursor): number {
  return view.getInt32(offset);
}

function skip(cursor: Cursor): void {
  cursor.offset += 4 + Math.max(0, lengthAt(cursor));
}

/** Every value has 8 bytes or 1, a null none. */
function areEqual(cursor: Cursor, other: Cursor): boolean {
  const length = lengthAt(cursor);
  if (lengthAt(other) !== length) return false;
  const [at, otherAt] = [cursor.offset + 4, other.offset + 4];
  if (length === 8) {
    return (
      cursor.view.getInt32(at) === other.view.getInt32(otherAt) &&
      cursor.view.getInt32(at + 4) === other.view.getInt32(otherAt + 4)
    );
  }
  return length !== 1 || cursor.view.getInt8(at) === other.view.getInt8(otherAt);
}

function decoded(cursor: Cursor): number | boolean | null {
  const length = lengthAt(cursor);
  if (length === 8) return cursor.view.getFloat64(cursor.offset + 4);
  return length === 1 ? cursor.view.getInt8(cursor.offset + 4) === 1 : null;
}
