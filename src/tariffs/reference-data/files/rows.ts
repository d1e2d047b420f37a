import type { CsvProblem } from '../../../platform/csv/csv.ts';

/** What is wrong, or doubtful, at one place of one file. */
export interface Finding extends CsvProblem {
  readonly file: string;
}

/** Column by column as text, in the words of the files; null where the cell is empty. */
export type RowValues = Readonly<Record<string, string | null>>;

/** Days of which an import changed what bills are made of. */
export interface ChangedDays {
  readonly reference_table: string;
  /** Whom it concerns; empty: everybody. */
  readonly key: string;
  readonly first_day: string;
  /** Exclusive; null: open. */
  readonly end_day: string | null;
}

export interface ReferenceRow {
  readonly values: RowValues;
  /** Null: stored, and not in the file. */
  readonly line: number | null;
  /** Columns whose text broke a rule: no other rule looks at them. */
  readonly bad: ReadonlySet<string>;
}

/** The tables as they will be after the import, and where a rule says what it finds. */
export interface RuleContext {
  rows(table: string): readonly ReferenceRow[];
  /** At a row of the file, or at the head of the file where the row is not in it. */
  problem(row: ReferenceRow, column: string, rule: string): void;
  warning(row: ReferenceRow, column: string, rule: string): void;
}

/** Looks at one table, and at others where it has to. */
export type TableRule = (rows: readonly ReferenceRow[], context: RuleContext) => void;

const OPEN = '9999-12-31';

/** Days in this form compare as texts. */
export function firstDay(row: ReferenceRow): string {
  return row.values.valid_from ?? '';
}

/** The first day no longer valid. */
export function endDay(row: ReferenceRow): string {
  return row.values.valid_to ?? OPEN;
}

/** Whether there is a day on which both are valid. */
export function haveDaysInCommon(left: ReferenceRow, right: ReferenceRow): boolean {
  if ([left, right].some(({ bad }) => bad.has('valid_from') || bad.has('valid_to'))) return false;
  return firstDay(left) < endDay(right) && firstDay(right) < endDay(left);
}

/** The values of these columns; undefined where one of them is empty or broke a rule. */
export function soundValues(row: ReferenceRow, ...columns: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const column of columns) {
    const value = row.values[column] ?? null;
    if (value === null || row.bad.has(column)) return undefined;
    values.push(value);
  }
  return values;
}
