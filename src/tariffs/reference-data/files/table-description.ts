import { type ColumnKind, day, optional, text } from './column-kinds.ts';
import type { RowValues, TableRule } from './rows.ts';

/**
 * One file of reference data and the table of the same name and columns. A new one is a migration, a description here and
 * its CSV file: import, check and history come by themselves.
 */
export interface ReferenceTable {
  readonly name: string;
  /** Empty: the table is one series. A part that may be empty is equal to another empty one. */
  readonly key: readonly string[];
  /** In the order of the header, key first, without the four columns that every table ends with. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
  /** What is wrong or doubtful between rows and tables. */
  readonly rules: readonly TableRule[];
  /** The part of the key whose rows are carried forward together; the whole key where absent. */
  readonly carriedBy?: readonly string[];
  /** The part of the key by which the check lists what it finds, where single keys would be too many. */
  readonly listedBy?: readonly string[];
  /** A bill does not say by which of its rows it was made: where there are bills, every row that has begun is one of theirs. */
  readonly isBilledWhole?: boolean;
  /** Nothing is calculated with it: no row is nothing to look after. */
  readonly mayBeEmpty?: boolean;
  /** Keys that have to have a row, whatever is stored. */
  expectedKeys?(
    stored: readonly RowValues[],
    rowsOnDay: (table: string) => readonly RowValues[],
  ): RowValues[];
}

/** Every table ends with these: from when to when a row counts, where it comes from, and when that was confirmed. */
const COMMON_COLUMNS: Readonly<Record<string, ColumnKind>> = {
  valid_from: day,
  valid_to: optional(day),
  source: text,
  checked_on: optional(day),
};

export function columnsOf(table: ReferenceTable): Readonly<Record<string, ColumnKind>> {
  return { ...table.columns, ...COMMON_COLUMNS };
}
