import { SNAPSHOTS_PER_REQUEST_MAX } from './schema.ts';

/** A share or power that was not sent; JSON knows no NaN, so no value is mistaken for it. */
export const ABSENT = Number.NaN;
export const CONNECTED_ABSENT = -1;

/** The rows of one batch as columns, in the order in which they were sent. */
export interface Columns {
  /** Position of the row in the request. */
  readonly row: Int32Array;
  /** Rank of the asset by key. */
  readonly slot: Int32Array;
  /** Whole microseconds since 2000-01-01. */
  readonly microseconds: Float64Array;
  readonly powerKw: Float64Array;
  readonly stateOfCharge: Float64Array;
  /** 1, 0 or `CONNECTED_ABSENT`. */
  readonly connected: Int8Array;
  readonly vehicleStateOfCharge: Float64Array;
  /** Places in the other columns, sorted. */
  readonly order: Int32Array;
  length: number;
}

function createColumns(): Columns {
  const rows = SNAPSHOTS_PER_REQUEST_MAX;
  return {
    row: new Int32Array(rows),
    slot: new Int32Array(rows),
    microseconds: new Float64Array(rows),
    powerKw: new Float64Array(rows),
    stateOfCharge: new Float64Array(rows),
    connected: new Int8Array(rows),
    vehicleStateOfCharge: new Float64Array(rows),
    order: new Int32Array(rows),
    length: 0,
  };
}

let free: Columns | null = createColumns();

/**
 * Lends the columns to `use`, empty, and takes them back when it returns. One set serves the whole process: a batch is
 * read, sorted and encoded without giving up the event loop in between, and 10,000 rows leave no garbage behind. An
 * `await` inside would mix the rows of two callers, so a `use` that gives a promise throws, and what it holds is not lent
 * again; a second loan inside the first throws too.
 */
export function lendColumns<Result>(use: (columns: Columns) => Result): Result {
  const lent = free;
  if (lent === null) throw new Error('The columns are lent: whoever has them may not ask for them again');
  free = null;
  lent.length = 0;
  let back = lent;
  try {
    const result = use(lent);
    if (result instanceof Promise) {
      back = createColumns();
      result.catch(() => {});
      throw new Error(
        'The columns are lent to synchronous functions only: nothing may be awaited in between',
      );
    }
    return result;
  } finally {
    free = back;
  }
}

function sameNumber(a: number | undefined, b: number | undefined): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** The first measured field in which two rows differ, null when they are equal as a whole. */
export function firstDifference(columns: Columns, a: number, b: number) {
  const { powerKw, stateOfCharge, connected, vehicleStateOfCharge } = columns;
  if (!sameNumber(powerKw[a], powerKw[b])) return 'power_kw';
  if (!sameNumber(stateOfCharge[a], stateOfCharge[b])) return 'state_of_charge';
  if (connected[a] !== connected[b]) return 'connected';
  if (!sameNumber(vehicleStateOfCharge[a], vehicleStateOfCharge[b])) return 'vehicle_state_of_charge';
  return null;
}

/** A field of a row as messages show it. */
export function shownValue(
  columns: Columns,
  field: NonNullable<ReturnType<typeof firstDifference>>,
  at: number,
): string {
  if (field === 'connected') return shown([false, true][columns.connected[at] ?? CONNECTED_ABSENT]);
  if (field === 'power_kw') return shown(columns.powerKw[at]);
  if (field === 'state_of_charge') return shown(columns.stateOfCharge[at]);
  return shown(columns.vehicleStateOfCharge[at]);
}

/** A value that was not sent is shown as `none`. */
export function shown(value: number | boolean | null | undefined): string {
  return value === undefined || value === null || Number.isNaN(value) ? 'none' : String(value);
}
