import type { CarriedForward, FigureOrigin } from './figures.ts';
import { CARRIED_DAYS_MAX, rowsThatApply, type Validity } from './validity.ts';

/** What every row of the reference data ends with. */
export interface DatedRow extends Validity {
  readonly source: string;
  readonly checked_on: string | null;
}

export interface CountingRow<Row> {
  readonly row: Row;
  readonly origin: FigureOrigin;
}

/** The row of one key that counts on a day. */
export function countingRow<Row extends DatedRow>(
  table: string,
  key: string,
  rows: readonly Row[],
  on: string,
  carriedDaysMax = CARRIED_DAYS_MAX,
): CountingRow<Row> | undefined {
  const { rows: counting, endedOn } = rowsThatApply(rows, on, carriedDaysMax);
  const [row] = counting;
  if (row === undefined) return undefined;
  return { row, origin: originOf(table, key, row, endedOn !== null) };
}

/** How a back office names the row. */
export function originOf(
  table: string,
  key: string,
  { valid_from, valid_to, source, checked_on }: DatedRow,
  isCarriedForward: boolean,
): FigureOrigin {
  const origin = { table, key, valid_from, valid_to, source, checked_on };
  return Object.freeze({ ...origin, is_carried_forward: isCarriedForward });
}

/** The row of each key that counts on a day; keys without one are not in it. */
export function countingRows<Row extends DatedRow>(
  table: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  on: string,
  carriedDaysMax = CARRIED_DAYS_MAX,
): Map<string, CountingRow<Row>> {
  const found = new Map<string, CountingRow<Row>>();
  for (const [key, ofKey] of Map.groupBy(rows, keyOf)) {
    const counting = countingRow(table, key, ofKey, on, carriedDaysMax);
    if (counting !== undefined) found.set(key, counting);
  }
  return found;
}

/** Those of these rows that had ended. */
export function carriedOf(origins: Iterable<FigureOrigin | undefined>): CarriedForward[] {
  return [...origins].flatMap((origin) => {
    if (!origin?.is_carried_forward || origin.valid_to === null) return [];
    return [{ table: origin.table, key: origin.key, endedOn: origin.valid_to }];
  });
}
