import { type EncodedRows, instantAt, type RowRun, rowEnd, TIMESTAMP_OFFSET } from './encode.ts';
import type { StoredRun } from './queries.ts';
import { ARRAY_HEADER_BYTES, viewOf, type WeekRun } from './weeks.ts';

/** A row whose asset and timestamp are taken by other values. */
export interface RowContradiction {
  /** Place among the encoded rows of the batch. */
  readonly place: number;
  /** The first field that differs. */
  readonly field: string;
  readonly sent: number | boolean | null;
  readonly stored: number | boolean | null;
}

/** What a batch looks like beside the stored rows; rows that are stored as they were sent are not mentioned. */
export interface RowComparison {
  readonly contradictions: RowContradiction[];
  /** Rows that are not stored, week by week; neighbours are one run. */
  readonly missing: RowRun[];
  missingRows: number;
}

/** A column of the stored rows of a run, or of the sent ones: fields of a length and a value each, one behind the other. */
interface Cursor {
  readonly view: DataView;
  offset: number;
}

/**
 * Compares the rows of a run with those that are stored at its instants, field by field and nulls included. An element
 * of a binary array and a field of a binary COPY are written alike, so that nothing is decoded unless it differs.
 */
export function compareRun(
  { buffer, table }: Pick<EncodedRows, 'buffer' | 'table'>,
  run: WeekRun,
  stored: StoredRun,
  found: RowComparison,
): void {
  const view = viewOf(buffer);
  const timestamps = cursorOf(stored.timestamp);
  const columns = table.names.map((name) => {
    const column = stored[name];
    if (column === undefined) throw new Error(`stored_snapshots has no column ${name}`);
    return cursorOf(column);
  });
  let place = run.place;
  for (let start = run.start, end = start; start < run.end; start = end, place += 1) {
    end = rowEnd(view, start);
    const sent: Cursor = { view, offset: start + TIMESTAMP_OFFSET };
    if (timestamps.offset >= timestamps.view.byteLength || !areEqual(sent, timestamps)) {
      addMissing(found, { key: run.key, start, end }, instantAt(view, start));
      continue;
    }
    skip(timestamps);
    let isEqual = true;
    for (const [index, column] of columns.entries()) {
      skip(sent);
      if (isEqual && !areEqual(sent, column)) {
        isEqual = false;
        const field = table.names[index] as string;
        found.contradictions.push({ place, field, sent: decoded(sent), stored: decoded(column) });
      }
      skip(column);
    }
  }
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

const NOTHING = new DataView(new ArrayBuffer(0));

function cursorOf(column: Buffer | null): Cursor {
  return column === null
    ? { view: NOTHING, offset: 0 }
    : { view: viewOf(column), offset: ARRAY_HEADER_BYTES };
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
