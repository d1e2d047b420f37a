import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import type { Batch } from './batch.ts';
import { instantAt, rowEnd, TIMESTAMP_OFFSET } from './encode.ts';

/** Rows of one asset that lie in one week, consecutive and ascending in the buffer of their batch. */
export interface WeekRun {
  /** Place of the batch among those that are cut together. */
  readonly member: number;
  readonly key: number;
  /** Offsets into the buffer. */
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** Place of the first row among the encoded rows of its batch. */
  readonly place: number;
}

/** The rows of some batches in one week, which is one chunk of the table, or a part of two where chunks begin elsewhere. */
export interface Week {
  /** First and last instant of a week, microseconds since 2000. */
  readonly since: number;
  readonly until: number;
  readonly runs: readonly WeekRun[];
  /** The instants of all rows, run by run, as a binary array of timestamptz. */
  readonly instants: Buffer;
}

/** A chunk's span, and where the database lets chunks begin: at multiples of it since 1970. */
const WEEK_MICROSECONDS = 7 * 86_400_000_000;

/** Dimensions, flags, element type, length and lower bound stand before the elements of a one-dimensional array. */
export const ARRAY_HEADER_BYTES = 20;
export const ARRAY_COUNT_OFFSET = 12;
/** Length and value: a field of a binary COPY and an element of a binary array are written alike. */
const INSTANT_BYTES = 12;
const TYPE_TIMESTAMPTZ = 1184;

function weekOf(instant: number): number {
  return Math.floor((instant + POSTGRES_EPOCH_MICROSECONDS) / WEEK_MICROSECONDS);
}

/** Whether all rows of a batch lie in one week. */
export function isOfOneWeek({ start, end }: Batch): boolean {
  return weekOf(start) === weekOf(end);
}

/** Cuts the runs of batches at the bounds of weeks. Weeks come in the order in which their first rows do. */
export function weeksOf(batches: readonly Batch[]): Week[] {
  const weeks = new Map<number, WeekRun[]>();
  for (const [member, { encoded }] of batches.entries()) {
    const view = viewOf(encoded.buffer);
    let place = 0;
    for (const run of encoded.runs) {
      for (let start = run.start; start < run.end; ) {
        const week = weekOf(instantAt(view, start));
        let end = start;
        let rows = 0;
        while (end < run.end && (rows === 0 || weekOf(instantAt(view, end)) === week)) {
          end = rowEnd(view, end);
          rows += 1;
        }
        const ofWeek = weeks.get(week) ?? [];
        ofWeek.push({ member, key: run.key, start, end, rows, place });
        weeks.set(week, ofWeek);
        start = end;
        place += rows;
      }
    }
  }
  return Array.from(weeks, ([week, runs]) => {
    const since = week * WEEK_MICROSECONDS - POSTGRES_EPOCH_MICROSECONDS;
    const until = since + WEEK_MICROSECONDS - 1;
    return { since, until, runs, instants: instantsOf(batches, runs) };
  });
}

function instantsOf(batches: readonly Batch[], runs: readonly WeekRun[]): Buffer {
  const count = runs.reduce((sum, run) => sum + run.rows, 0);
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + count * INSTANT_BYTES);
  for (const [index, value] of [1, 0, TYPE_TIMESTAMPTZ, count, 1].entries())
    bytes.writeInt32BE(value, index * 4);
  let at = ARRAY_HEADER_BYTES;
  for (const { member, start, end } of runs) {
    const { buffer } = (batches[member] as Batch).encoded;
    const view = viewOf(buffer);
    for (let row = start; row < end; row = rowEnd(view, row)) {
      const instant = row + TIMESTAMP_OFFSET;
      at += buffer.copy(bytes, at, instant, instant + INSTANT_BYTES);
    }
  }
  return bytes;
}

export function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
