import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CsvRow, MISSING, readCsvTable } from '../../../platform/csv/table.ts';
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
  const columns = columnsOf(table);
  const expected = Object.keys(columns);
  /* None of them may be missing; where one is, the others are looked at all the same. */
  const read = readCsvTable(bytes, { columns: expected, optional: expected });
  const { header } = read;
  const missing = header.length === 0 ? [] : expected.filter((name) => !header.includes(name));
  const inHeader = missing.map((column) => ({ column, rule: MISSING }));
  const isComplete = missing.length === 0 && header.length === expected.length;
  if (isComplete && expected.some((name, index) => name !== header[index]))
    inHeader.push({ column: '', rule: `The columns must be in this order: ${expected.join(',')}` });
  const rows = read.rows.map((row) => rowOf(row, columns));
  for (const problem of [...inHeader.map((found) => ({ line: 1, value: '', ...found })), ...read.problems])
    problems.push({ file: fileOf(table), ...problem });
  return rows;
}

function rowOf(row: CsvRow, columns: Readonly<Record<string, ColumnKind>>): ReferenceRow {
  const values: Record<string, string | null> = {};
  const bad = new Set<string>();
  for (const [column, kind] of Object.entries(columns)) {
    if (!row.has(column)) continue;
    const field = row.raw(column);
    values[column] = field === '' ? null : field;
    const rule = field === '' ? (kind.mayBeEmpty ? null : 'must not be empty') : kind.broken(field);
    if (rule === null) continue;
    bad.add(column);
    row.refuse(column, rule);
  }
  return { line: row.line, values, bad };
}
