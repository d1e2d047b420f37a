import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FieldTable, MEASURED, unitOfColumn } from '../../telemetry/snapshots/fields.ts';
import { COLUMN_TYPES, type ExportColumn } from './columns.ts';
import { replaceFile } from './progress-file.ts';

export const { version: SERVICE_VERSION } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** One file of a data set: the rows of one organization and month. */
export interface DataFile {
  /** From the folder of the manifest. */
  path: string;
  /** Null for prices and forecasts, which belong to none. */
  organization: string | null;
  month: string;
  /** Instants of the month in Berlin; the end is no part of it. */
  start: string;
  end: string;
  /** Whether the month was over when it was written. */
  is_complete: boolean;
  rows: number;
  /** Instants of the first and the last row; null: none. */
  first: string | null;
  last: string | null;
  bytes: number;
  sha256: string;
  /** Of the rows in the database before they were written: XOR of a hash of each. Another one means that they changed. */
  fingerprint: string;
  /** Of the columns, as `schema` of the manifest. */
  schema: string;
  written_at: string;
  written_by: { staff: string; command: string; reason: string; service_version: string };
}

export interface Manifest {
  manifest_version: 1;
  data_set: string;
  /** Hash of names and types of the columns: files with another one were written by an older version. */
  schema: string;
  columns: { name: string; type: string; unit: string | null; description: string }[];
  partitions: string[];
  updated_at: string;
  files: DataFile[];
  /** The file that is put into its place at this moment. Until it is null again, the file there is this one or the one of `files`. */
  replacing: DataFile | null;
}

export const manifestPath = (folder: string, what: string) => join(folder, `${what}.manifest.json`);

/** Null where there is no data set yet. */
export async function readManifest(path: string): Promise<Manifest | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.manifest_version === 1 && Array.isArray(manifest.files)) return manifest;
  } catch {
    /* Said below. */
  }
  throw new Error(
    `${path} is not the manifest of a data set: take another folder, or remove it and all months are written again`,
  );
}

/** With the modes of the folder: who may read in it may read what is in it. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const { mode } = await stat(folder);
  await replaceFile(
    manifestPath(folder, manifest.data_set),
    `${JSON.stringify(manifest, null, 1)}\n`,
    mode & 0o666,
  );
}

/** In place of what the manifest says about the same path; null: nothing. */
export function withFile(files: readonly DataFile[], file: DataFile): DataFile[] {
  return [...files.filter(({ path }) => path !== file.path), file].sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function describeColumns(
  columns: readonly ExportColumn[],
  comments: ReadonlyMap<string, string>,
  table: FieldTable = MEASURED,
): Manifest['columns'] {
  return columns.map(({ name, type }) => ({
    name,
    type: COLUMN_TYPES[type],
    unit: unitOfColumn(name, table),
    description: comments.get(name) ?? '',
  }));
}
