import { isUtf8 } from 'node:buffer';
import { DateTime } from 'luxon';
import { type CsvProblem, readCsv } from './csv.ts';

/** The columns of a table: all of them are known, and those that are not `optional` must be in the header. */
export interface CsvColumns {
  columns: readonly string[];
  optional?: readonly string[];
}

export interface CsvTable {
  /** The names of the columns as the file has them. */
  header: readonly string[];
  /** None where the header misses a column: every row would be reported as well. */
  rows: CsvRow[];
  /** Problems of the text, the header and the number of fields; the readers of a row add theirs. */
  problems: CsvProblem[];
}

/** Reads a table: UTF-8, a header with the names of the columns in any order, one row per record; empty lines are none. */
export function readCsvTable(bytes: Uint8Array, { columns, optional = [] }: CsvColumns): CsvTable {
  const none = { header: [], rows: [] };
  if (!isUtf8(bytes)) return { ...none, problems: [aboutFile('Not valid UTF-8', lineThatIsNotUtf8(bytes))] };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const { records, problems } = readCsv(text);
  const [header, ...rest] = records;
  if (header === undefined) {
    return { ...none, problems: problems.length > 0 ? problems : [aboutFile('The file is empty')] };
  }
  const inHeader = headerProblems(header.fields, columns, optional);
  for (const { column, rule } of inHeader) problems.push({ line: header.line, column, value: '', rule });
  const rows: CsvRow[] = [];
  if (inHeader.some(({ rule }) => rule === MISSING)) return { header: header.fields, rows, problems };
  for (const { line, fields } of rest) {
    if (fields.length === header.fields.length) {
      const values = new Map(header.fields.map((name, index) => [name, fields[index] ?? '']));
      rows.push(new CsvRow(line, values, problems));
    } else if (fields.length > 1 || fields[0] !== '') {
      const rule = `${fields.length} fields instead of ${header.fields.length}`;
      problems.push({ line, column: '', value: '', rule });
    }
  }
  return { header: header.fields, rows, problems };
}

function aboutFile(rule: string, line = 1): CsvProblem {
  return { line, column: '', value: '', rule };
}

/** A line feed is never part of another character. */
function lineThatIsNotUtf8(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0, end = 0; end !== -1; start = end + 1, line += 1) {
    end = bytes.indexOf(0x0a, start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? bytes.length : end))) break;
  }
  return line;
}

export const MISSING = 'This column is missing';

function headerProblems(
  header: readonly string[],
  columns: readonly string[],
  optional: readonly string[],
): { column: string; rule: string }[] {
  const names = new Set(header);
  const missing = columns.filter((column) => !names.has(column) && !optional.includes(column));
  const [unknown, twice, seen]: [string[], string[], Set<string>] = [[], [], new Set()];
  for (const name of header) {
    if (!columns.includes(name)) unknown.push(name);
    if (seen.has(name)) twice.push(name);
    seen.add(name);
  }
  return [
    ...unknown.map((column) => ({ column, rule: 'Unknown column' })),
    ...twice.map((column) => ({ column, rule: 'This column is there twice' })),
    ...missing.map((column) => ({ column, rule: MISSING })),
  ];
}

/** Both bounds: what is calculated with a number of a file later has room. */
interface NumberRule {
  min: number;
  max: number;
  /** Digits behind the point; any number where absent. */
  fractionDigitsMax?: number;
}

/** Letters, marks, signs; no controls, no halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;
const DIGITS_MAX = 30;

/**
 * One row with readers for its cells. An empty cell is null; each reader puts what it refuses into the problems of the
 * table and answers null too, so that all problems of a file are found in one pass.
 */
export class CsvRow {
  readonly line: number;
  readonly #values: ReadonlyMap<string, string>;
  readonly #problems: CsvProblem[];

  constructor(line: number, values: ReadonlyMap<string, string>, problems: CsvProblem[]) {
    this.line = line;
    this.#values = values;
    this.#problems = problems;
  }

  /** Whether the header names the column. */
  has(column: string): boolean {
    return this.#values.has(column);
  }

  /** As it stands in the file; empty where the column is not in the header. */
  raw(column: string): string {
    return this.#values.get(column) ?? '';
  }

  refuse(column: string, rule: string): null {
    this.#problems.push({ line: this.line, column, value: this.raw(column), rule });
    return null;
  }

  /** The value of another reader, which must not be empty here. */
  needed<Value>(column: string, read: (column: string) => Value | null): Value | null {
    return this.raw(column) === '' ? this.refuse(column, 'Must not be empty') : read(column);
  }

  text(column: string): string | null {
    const value = this.raw(column);
    if (value === '') return null;
    return UNPRINTABLE.test(value) ? this.refuse(column, 'Control characters are not allowed') : value;
  }

  matching(column: string, pattern: RegExp, rule: string): string | null {
    const value = this.text(column);
    return value === null || pattern.test(value) ? value : this.refuse(column, rule);
  }

  oneOf<Value extends string>(column: string, values: readonly Value[]): Value | null {
    const value = this.raw(column);
    if (value === '') return null;
    const known = values.find((candidate) => candidate === value);
    return known ?? this.refuse(column, `Accepted: ${values.join(', ')}`);
  }

  yesNo(column: string): boolean | null {
    const value = this.oneOf(column, ['yes', 'no']);
    return value === null ? null : value === 'yes';
  }

  /** A plain decimal as its text: what is counted with it is counted exactly. */
  decimal(column: string, { min, max, fractionDigitsMax }: NumberRule): string | null {
    const value = this.raw(column);
    if (value === '') return null;
    const match = /^-?\d+(?:\.(\d+))?$/.exec(value);
    if (match === null || value.length > DIGITS_MAX) {
      return this.refuse(column, 'Not a plain decimal number (12.34)');
    }
    const digits = match[1]?.length ?? 0;
    if (Number(value) < min) return this.refuse(column, `At least ${min}`);
    if (Number(value) > max) return this.refuse(column, `At most ${max}`);
    if (fractionDigitsMax !== undefined && digits > fractionDigitsMax) {
      return this.refuse(column, `At most ${fractionDigitsMax} digits behind the point`);
    }
    return value;
  }

  wholeNumber(column: string, { min = 0, max = 32_767 }: { min?: number; max?: number } = {}): number | null {
    const value = this.decimal(column, { min, max, fractionDigitsMax: 0 });
    return value === null ? null : Number(value);
  }

  /** `YYYY-MM-DD`, a day that the calendar has. */
  date(column: string): string | null {
    const value = this.raw(column);
    if (value === '') return null;
    const isDay =
      /^\d{4}-\d{2}-\d{2}$/.test(value) &&
      value >= '0001' &&
      DateTime.fromISO(value, { zone: 'utc' }).isValid;
    return isDay ? value : this.refuse(column, 'Not a day of the calendar (2027-01-01)');
  }
}
