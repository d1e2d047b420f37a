import type { Batch } from './batch.ts';
import { type EncodedRows, type Run, rowEnd } from './encode.ts';
import type { StoredRun } from './queries.ts';

/** Dimensions, flags, element type, length and lower bound stand before the elements of a one-dimensional array. */
const ARRAY_HEADER_BYTES = 20;
/** Before the timestamp of an encoded row: field count, length and value of the key. */
const TIMESTAMP_OFFSET = 14;

/**
 * True when exactly the rows of the batch are stored between the first and the last instant of each of its assets: a
 * batch that was sent again. An element of a binary array and a field of a binary COPY are written alike, so that nothing
 * is decoded. False says nothing: rows in between, or with other values, are for the staging table to compare.
 */
export function isStoredAlready({ encoded }: Batch, stored: readonly StoredRun[]): boolean {
  return encoded.runs.every((run, index) => isRunStored(encoded, run, stored[index]));
}

function isRunStored({ buffer }: EncodedRows, run: Run, stored: StoredRun | undefined): boolean {
  if (stored === undefined) return false;
  const { timestamp, power_kw, state_of_charge, connected, vehicle_state_of_charge } = stored;
  const columns: Cursor[] = [];
  for (const column of [timestamp, power_kw, state_of_charge, connected, vehicle_state_of_charge]) {
    if (column === null) return false;
    columns.push({ view: viewOf(column), offset: ARRAY_HEADER_BYTES });
  }
  const sent = viewOf(buffer);
  for (let start = run.start; start < run.end; start = rowEnd(sent, start)) {
    let offset = start + TIMESTAMP_OFFSET;
    for (const column of columns) {
      if (column.offset >= column.view.byteLength) return false;
      const length = sent.getInt32(offset);
      if (!areEqual(sent, offset, column, length)) return false;
      const bytes = 4 + Math.max(0, length);
      offset += bytes;
      column.offset += bytes;
    }
  }
  return columns.every((column) => column.offset === column.view.byteLength);
}

interface Cursor {
  readonly view: DataView;
  offset: number;
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** Length and value of one field; every value has 8 bytes or 1, a null none. */
function areEqual(sent: DataView, offset: number, column: Cursor, length: number): boolean {
  const { view, offset: at } = column;
  if (view.getInt32(at) !== length) return false;
  if (length === 8) {
    return (
      view.getInt32(at + 4) === sent.getInt32(offset + 4) &&
      view.getInt32(at + 8) === sent.getInt32(offset + 8)
    );
  }
  return length !== 1 || view.getInt8(at + 4) === sent.getInt8(offset + 4);
}
