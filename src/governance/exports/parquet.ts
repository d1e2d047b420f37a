import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { COLUMN_TYPES, type ExportColumn } from './columns.ts';
import { type ExportPaths, PRIVATE_FILE } from './progress-file.ts';

/*
 * Parquet has its table of contents at its end and cannot be appended to. So rows are collected as text, sealed as one
 * Parquet file whenever the text is long enough, and at last these files become one. DuckDB does it within its memory
 * limit; it opens no network connection, and fetches no extension.
 */

/** Rows that a reader has to hold at once. */
const ROW_GROUP_ROWS = 122_880;

/*
 * One thread: to seal or join parts took the process 240 to 360 MB with it, and 320 to 510 with two, on a busy machine 740.
 * The limit does not count everything.
 */
const SETTINGS = {
  threads: '1',
  memory_limit: '256MB',
  preserve_insertion_order: 'true',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

export type DuckDb = typeof import('@duckdb/node-api');

/** 70 MB that only this format needs: an optional package, loaded when it is asked for. */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    return await import('@duckdb/node-api');
  } catch (error) {
    throw new Error(
      'Parquet needs the optional package @duckdb/node-api, which is not installed here: npm ci without --omit=optional, on Linux, macOS or Windows; or take --format csv',
      { cause: error },
    );
  }
}

/** DuckDB reads these as patterns. */
export function assertParquetName(file: string): void {
  if (/[*?[\]]/.test(file)) throw new Error('A path with *, ?, [ or ] cannot hold Parquet');
}

const partFile = ({ parts }: ExportPaths, number: number) =>
  join(parts, `${String(number).padStart(6, '0')}.parquet`);

/** Makes the text file a part, if it holds exactly so many rows. */
export async function sealPart(
  duckDb: DuckDb,
  paths: ExportPaths,
  columns: readonly ExportColumn[],
  { number, rows }: { number: number; rows: number },
): Promise<void> {
  await mkdir(paths.parts, { recursive: true, mode: 0o700 });
  const types = columns.map(({ name, type }) => `${quoted(name)}: ${quoted(COLUMN_TYPES[type])}`);
  const source = `read_csv(${quoted(paths.text)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
    new_line = '\\n', nullstr = '', allow_quoted_nulls = false, strict_mode = true, columns = {${types.join(', ')}})`;
  await copyInto(duckDb, paths, { source, file: partFile(paths, number), rows });
}

export async function joinParts(
  duckDb: DuckDb,
  paths: ExportPaths,
  { parts, rows }: { parts: number; rows: number },
): Promise<void> {
  const files = Array.from({ length: parts }, (_, index) => quoted(partFile(paths, index + 1)));
  await copyInto(duckDb, paths, { source: `read_parquet([${files.join(', ')}])`, file: paths.file, rows });
}

export interface RowsOf {
  /** A file. */
  from: string;
  households: readonly string[];
}

const rowsIn = (from: string) => `read_parquet(${quoted(from)}, hive_partitioning = false)`;
const areOf = (households: readonly string[]) => `household IN (${households.map(quoted).join(', ')})`;

/** How many rows of some households a file has. */
export async function countRowsOf(
  duckDb: DuckDb,
  paths: ExportPaths,
  { from, households }: RowsOf,
): Promise<number> {
  await mkdir(paths.parts, { recursive: true, mode: 0o700 });
  return await numberOf(duckDb, paths, `SELECT count(*) FROM ${rowsIn(from)} WHERE ${areOf(households)}`);
}

/** Copies a file without the rows of some households, where it has any of them; gives how many there were. */
export async function copyWithout(
  duckDb: DuckDb,
  paths: ExportPaths,
  { from, rows, households }: RowsOf & { rows: number },
): Promise<number> {
  const theirs = await countRowsOf(duckDb, paths, { from, households });
  if (theirs > 0) {
    const others = `${rowsIn(from)} WHERE NOT ${areOf(households)}`;
    await copyInto(duckDb, paths, { source: others, file: paths.file, rows: rows - theirs });
  }
  return theirs;
}

async function copyInto(
  duckDb: DuckDb,
  paths: ExportPaths,
  { source, file, rows }: { source: string; file: string; rows: number },
): Promise<void> {
  const unfinished = join(paths.parts, 'unfinished.parquet');
  const written = await numberOf(
    duckDb,
    paths,
    `COPY (SELECT * FROM ${source}) TO ${quoted(unfinished)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
  );
  if (written !== rows) {
    await rm(unfinished, { force: true });
    throw new Error(`${written} rows came out as Parquet of ${rows} that were exported`);
  }
  await chmod(unfinished, PRIVATE_FILE);
  await rename(unfinished, file);
}

/** The number with which a statement answers. */
async function numberOf(
  { DuckDBInstance }: DuckDb,
  { parts }: ExportPaths,
  statement: string,
): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { ...SETTINGS, temp_directory: parts });
  try {
    const connection = await instance.connect();
    const result = await connection.runAndReadAll(statement);
    connection.closeSync();
    return Number(result.getRows()[0]?.[0]);
  } finally {
    instance.closeSync();
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
