import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CsvRecord, readCsv } from '../../../platform/csv/csv.ts';
import type { ColumnKind } from './column-kinds.ts';
import { REFERENCE_TABLES } from './reference-tables.ts';
import type { Finding, ReferenceRow } from './rows.ts';
import { columnsOf, type ReferenceTable } from './table-description.ts';

export interface FilesRead {
  /** By the name of the table; tables without a file are not in it. */
  readonly rows: ReadonlyMap<string, readonly ReferenceRow[]>;
  readonly problems: Finding[];
  readonly warnings: Finding[];
}

export const fileOf = (table: Pick<ReferenceTable, 'name'>) => `${table.name}.csv`;

/** The files of a folder, or of the named tables only; each one's problems by itself. */
export async function readReferenceFiles(folder: string, only?: readonly string[]): Promise<FilesRead> {
  const tables = only === undefined ? REFERENCE_TABLES : only.map(referenceTable);
  const present = await filesIn(folder);
  const read: FilesRead = { rows: new Map(), problems: [], warnings: [] };
  const rows = new Map<string, readonly ReferenceRow[]>();
  for (const table of tables) {
    const file = fileOf(table);
    if (present.includes(file))
      rows.set(table.name, parseFile(table, await readFile(join(folder, file)), read.problems));
    else if (only !== undefined) throw new Error(`There is no ${file} in ${folder}`);
  }
  if (rows.size === 0) throw new Error(`There is no file of reference data in ${folder}`);
  const known = REFERENCE_TABLES.map(fileOf);
  for (const file of only === undefined ? present : []) {
    if (known.includes(file)) continue;
    read.warnings.push({ file, line: 1, column: '', value: '', rule: 'No table has this name: left out' });
  }
  return { ...read, rows };
}

export function referenceTable(name: string): ReferenceTable {
  const table = REFERENCE_TABLES.find((known) => known.name === name);
  if (table !== undefined) return table;
  throw new Error(
    `There is no table ${name}: ${REFERENCE_TABLES.map((known) => known.name).join(', ')} are known`,
  );
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort();
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function parseFile(table: ReferenceTable, bytes: Buffer, problems: Finding[]): ReferenceRow[] {
  const file = fileOf(table);
  const report = (line: number, column: string, value: string, rule: string) =>
    problems.push({ file, line, column, value, rule });
  if (!isUtf8(bytes)) {
    report(lineThatIsNotUtf8(bytes), '', '', 'must be UTF-8');
    return [];
  }
  const { records, problems: broken } = readCsv(bytes.toString('utf8'));
  for (const problem of broken) problems.push({ file, ...problem });
  const [header, ...rest] = records;
  if (header === undefined) {
    if (broken.length === 0) report(1, '', '', 'The header line is missing');
    return [];
  }
  const columns = columnsOf(table);
  checkHeader(header, Object.keys(columns), report);
  return rest.flatMap((record) => rowOf(record, header, columns, report) ?? []);
}

type Report = (line: number, column: string, value: string, rule: string) => void;

function checkHeader({ line, fields }: CsvRecord, expected: readonly string[], report: Report): void {
  const before = fields.length;
  const isKnown = (name: string) => expected.includes(name);
  const seen = new Set<string>();
  for (const name of fields) {
    if (!isKnown(name)) report(line, name, name, 'The column is unknown');
    else if (seen.has(name)) report(line, name, name, 'The column is there twice');
    seen.add(name);
  }
  for (const name of expected) if (!seen.has(name)) report(line, name, '', 'The column is missing');
  const isComplete = before === expected.length && expected.every((name) => seen.has(name));
  if (isComplete && fields.some((name, index) => name !== expected[index])) {
    report(line, '', '', `The columns must be in this order: ${expected.join(',')}`);
  }
}

function rowOf(
  record: CsvRecord,
  header: CsvRecord,
  columns: Readonly<Record<string, ColumnKind>>,
  report: Report,
): ReferenceRow | undefined {
  const { line, fields } = record;
  if (fields.length === 1 && fields[0] === '') return undefined;
  if (fields.length !== header.fields.length) {
    report(line, '', '', `The row has ${fields.length} fields, the header ${header.fields.length}`);
    return undefined;
  }
  const values: Record<string, string | null> = {};
  const bad = new Set<string>();
  for (const [index, column] of header.fields.entries()) {
    const kind = columns[column];
    if (kind === undefined) continue;
    const field = fields[index] ?? '';
    values[column] = field === '' ? null : field;
    const rule = field === '' ? (kind.mayBeEmpty ? null : 'must not be empty') : kind.broken(field);
    if (rule === null) continue;
    bad.add(column);
    report(line, column, field, rule);
  }
  return { line, values, bad };
}

/** A line feed is never part of another character. */
function lineThatIsNotUtf8(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? bytes.length : end))) return line;
    if (end === -1) break;
    start = end + 1;
  }
  return line;
}
