/** A row of reference data counts from its first day until the day before `valid_to`; null: open. */
export interface Validity {
  readonly valid_from: string;
  readonly valid_to: string | null;
}

export interface ApplicableRow<Row> {
  /** Empty where nothing counts on that day. */
  readonly rows: readonly Row[];
  /** The day on which these rows ended, where they are carried forward; null where they are valid. */
  readonly endedOn: string | null;
}

/** Rows that ran out go on counting for so long: the next year's figures may be late. */
export const CARRIED_DAYS_MAX = 366;
const DAY_MILLISECONDS = 86_400_000;

/**
 * Which rows of one key count on a day: those valid on it, else those that ended last, if that is not too long ago.
 * Quotes, savings and the question whether a zip is served go by this; invoices never carry anything forward.
 */
export function rowsThatApply<Row extends Validity>(
  rows: readonly Row[],
  on: string,
  carriedDaysMax = CARRIED_DAYS_MAX,
): ApplicableRow<Row> {
  const valid = rows.filter((row) => isValidOn(row, on));
  if (valid.length > 0) return { rows: valid, endedOn: null };
  const ends = rows.flatMap(({ valid_to }) => (valid_to !== null && valid_to <= on ? [valid_to] : []));
  const endedOn = ends.sort().at(-1);
  if (endedOn === undefined || daysBetween(endedOn, on) > carriedDaysMax) return { rows: [], endedOn: null };
  return { rows: rows.filter((row) => row.valid_to === endedOn), endedOn };
}

export function isValidOn(row: Validity, on: string): boolean {
  return row.valid_from <= on && (row.valid_to === null || on < row.valid_to);
}

/** Negative where the second day is the earlier one. */
export function daysBetween(from: string, to: string): number {
  return (dayNumber(to) - dayNumber(from)) / DAY_MILLISECONDS;
}

function dayNumber(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return Date.UTC(year, month - 1, date);
}

/** An answer needs a row that is not there: a gap in the reference data, never the client's fault. */
export class MissingReferenceError extends Error {
  readonly table: string;
  readonly key: string;

  constructor(table: string, key: string, on: string) {
    super(`No row of ${table}${key === '' ? '' : ` for ${key}`} counts on ${on}`);
    this.name = 'MissingReferenceError';
    this.table = table;
    this.key = key;
  }
}
