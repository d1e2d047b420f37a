import { type FieldOfTable, type FieldTable, MEASURED } from './fields.ts';
import { SNAPSHOTS_PER_REQUEST_MAX } from './schema.ts';

/** A value that was not sent; JSON knows no NaN, so no value is mistaken for it. */
export const ABSENT = Number.NaN;

/** The rows of one batch as columns, in the order in which they were sent. */
export interface Columns {
  readonly table: FieldTable;
  /** Position of the row in the request. */
  readonly row: Int32Array;
  /** Rank of the asset by key. */
  readonly slot: Int32Array;
  /** Whole microseconds since 2000-01-01. */
  readonly microseconds: Float64Array;
  /** The measured values row by row, those of one row in the order of the table; 1 and 0 for true and false. */
  readonly values: Float64Array;
  /** Places in the other columns, sorted. */
  readonly order: Int32Array;
  length: number;
}

export function createColumns(table: FieldTable, rows = SNAPSHOTS_PER_REQUEST_MAX): Columns {
  return {
    table,
    row: new Int32Array(rows),
    slot: new Int32Array(rows),
    microseconds: new Float64Array(rows),
    values: new Float64Array(rows * table.fields.length),
    order: new Int32Array(rows),
    length: 0,
  };
}

let free: Columns | null = createColumns(MEASURED);

/**
 * Lends the columns to `use`, empty, and takes them back when it returns. One set serves the whole process: a batch is
 * read, sorted and encoded without giving up the event loop in between, and 10,000 rows leave no garbage behind. An
 * `await` inside would mix the rows of two callers, so a `use` that gives a promise throws, and what it holds is not lent
 * again; a second loan inside the first throws too. For another table than last time they are made anew.
 */
export function lendColumns<Result>(use: (columns: Columns) => Result, table: FieldTable = MEASURED): Result {
  if (free === null) throw new Error('The columns are lent: whoever has them may not ask for them again');
  const lent = free.table === table ? free : createColumns(table);
  free = null;
  lent.length = 0;
  let back = lent;
  try {
    const result = use(lent);
    if (result instanceof Promise) {
      back = createColumns(table);
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

/** The first measured field in which two rows differ, null when they are equal as a whole. */
export function firstDifference({ table, values }: Columns, a: number, b: number): FieldOfTable | null {
  const { fields } = table;
  const differing = fields.find((_field, place) => {
    const value = values[a * fields.length + place] as number;
    const other = values[b * fields.length + place] as number;
    return value !== other && !(Number.isNaN(value) && Number.isNaN(other));
  });
  return differing ?? null;
}

/** A field of a row as messages show it. */
export function shownValue({ table, values }: Columns, field: FieldOfTable, at: number): string {
  const value = values[at * table.fields.length + table.fields.indexOf(field)] as number;
  return shown(field.kind === 'boolean' && !Number.isNaN(value) ? value === 1 : value);
}

/** A value that was not sent is shown as `none`. */
export function shown(value: number | boolean | null | undefined): string {
  return value === undefined || value === null || Number.isNaN(value) ? 'none' : String(value);
}
