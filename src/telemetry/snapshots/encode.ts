import { BufferPool, LentBytes } from '../../platform/database/buffer-pool.ts';
import type { MappedAsset } from './asset-map.ts';
import type { Columns } from './columns.ts';
import { type FieldTable, MEASURED, onceForTable } from './fields.ts';
import type { SortedRows } from './order.ts';
import { SNAPSHOTS_PER_REQUEST_MAX } from './schema.ts';

/** Signature, flags and extension length of the binary format. */
export const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** A field count of -1 ends the stream. */
export const COPY_TRAILER = Buffer.from([0xff, 0xff]);

/** Asset and timestamp stand before the measured fields. */
const KEY_FIELDS = 2;
const LENGTH_8 = 8;
const NULL_LENGTH = -1;
const TWO_POW_32 = 4_294_967_296;

/** The most that so many rows can take: of each the field count, then the length and value of each field. */
function streamBytesMax({ fields }: FieldTable, rows: number): number {
  const ofFields = fields.reduce((sum, { kind }) => sum + (kind === 'boolean' ? 4 + 1 : 4 + LENGTH_8), 0);
  const ofRow = 2 + KEY_FIELDS * (4 + LENGTH_8) + ofFields;
  return COPY_HEADER.length + rows * ofRow + COPY_TRAILER.length;
}

const pool = new BufferPool({ bytes: streamBytesMax(MEASURED, SNAPSHOTS_PER_REQUEST_MAX), keepMax: 8 });

/** The rows of one asset, consecutive and ascending in the buffer of their batch. */
export interface RowRun {
  readonly key: number;
  /** Offsets into the buffer. */
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** First and last instant, microseconds since 2000. */
  readonly first: number;
  readonly last: number;
}

export class EncodedRows {
  readonly #lent: LentBytes;
  /** The measured fields of the rows. */
  readonly table: FieldTable;
  /** One per asset, keys ascending. */
  readonly runs: readonly RowRun[];
  readonly rows: number;

  constructor(buffer: Buffer, table: FieldTable, runs: readonly RowRun[], rows: number) {
    this.table = table;
    this.#lent = new LentBytes(buffer, pool);
    this.runs = runs;
    this.rows = rows;
  }

  /** A complete COPY stream, header and trailer included. Throws behind `recycle`. */
  get buffer(): Buffer {
    return this.#lent.bytes;
  }

  /** To be called when the rows are stored and no connection can still be sending them. */
  recycle(): void {
    this.#lent.giveBack();
  }
}

/**
 * Writes the sorted rows in PostgreSQL's binary COPY format: nothing to quote, no value that ends the stream, and the
 * server reads it in two thirds of the time that text takes it.
 */
export function encodeRows(
  columns: Columns,
  { length }: SortedRows,
  assets: readonly MappedAsset[],
): EncodedRows {
  const { table, order, slot, microseconds, values } = columns;
  const count = table.fields.length;
  const writeValues = valueWriterOf(table);
  const buffer = pool.take(streamBytesMax(table, length));
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const runs: RowRun[] = [];
  buffer.set(COPY_HEADER, 0);
  let offset = COPY_HEADER.length;

  for (let from = 0; from < length; ) {
    const asset = assets[slot[order[from] as number] as number] as MappedAsset;
    const keyHigh = Math.floor(asset.key / TWO_POW_32);
    const keyLow = asset.key - keyHigh * TWO_POW_32;
    const start = offset;
    let place = from;
    for (; place < length; place += 1) {
      const at = order[place] as number;
      if (slot[at] !== asset.slot) break;
      const instant = microseconds[at] as number;
      const high = Math.floor(instant / TWO_POW_32);
      view.setInt16(offset, KEY_FIELDS + count);
      view.setInt32(offset + 2, LENGTH_8);
      view.setInt32(offset + 6, keyHigh);
      view.setUint32(offset + 10, keyLow);
      view.setInt32(offset + 14, LENGTH_8);
      view.setInt32(offset + 18, high);
      view.setUint32(offset + 22, instant - high * TWO_POW_32);
      offset = writeValues(view, offset + 26, values, at * count);
    }
    const first = microseconds[order[from] as number] as number;
    const last = microseconds[order[place - 1] as number] as number;
    runs.push({ key: asset.key, start, end: offset, rows: place - from, first, last });
    from = place;
  }

  buffer.set(COPY_TRAILER, offset);
  return new EncodedRows(buffer.subarray(0, offset + COPY_TRAILER.length), table, runs, length);
}

type ValueWriter = (view: DataView, from: number, values: Float64Array, first: number) => number;

/** Writes the values of one row, NaN as null, and gives the offset behind them. */
function createValueWriter({ fields, booleans }: FieldTable): ValueWriter {
  const count = fields.length;
  return (view, from, values, first) => {
    let offset = from;
    for (let place = 0; place < count; place += 1) {
      const value = values[first + place] as number;
      if (Number.isNaN(value)) {
        view.setInt32(offset, NULL_LENGTH);
        offset += 4;
      } else if (((booleans >>> place) & 1) === 0) {
        view.setInt32(offset, LENGTH_8);
        view.setFloat64(offset + 4, value);
        offset += 12;
      } else {
        view.setInt32(offset, 1);
        view.setInt8(offset + 4, value);
        offset += 5;
      }
    }
    return offset;
  };
}

const valueWriterOf = onceForTable(createValueWriter);

/**
 * The offset of length and value of a row's timestamp. Before them stand the field count, and length and value of the key.
 */
export const TIMESTAMP_OFFSET = 14;
const INSTANT_OFFSET = TIMESTAMP_OFFSET + 4;
const FIELDS_OFFSET = 2;
const KEY_OFFSET = FIELDS_OFFSET + 4;

/** The instant of the row that begins here, microseconds since 2000. */
export function instantAt(view: DataView, offset: number): number {
  return view.getInt32(offset + INSTANT_OFFSET) * TWO_POW_32 + view.getUint32(offset + INSTANT_OFFSET + 4);
}

/** The asset's key of the row that begins here. */
export function keyAt(view: DataView, offset: number): number {
  return view.getInt32(offset + KEY_OFFSET) * TWO_POW_32 + view.getUint32(offset + KEY_OFFSET + 4);
}

/** The offset of the next row: each row says how many fields it has, each field its own length, -1 for null. */
export function rowEnd(view: DataView, offset: number): number {
  const fields = view.getInt16(offset);
  let at = offset + FIELDS_OFFSET;
  for (let field = 0; field < fields; field += 1) at += 4 + Math.max(0, view.getInt32(at));
  return at;
}
