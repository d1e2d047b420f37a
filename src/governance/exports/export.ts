import { access, rename, writeFile } from 'node:fs/promises';
import type { ExportName } from '../../config/export-names.ts';
import { organization as findOrganization } from '../../identity/organizations/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { makeAnalystSchema } from '../analysts/service.ts';
import { exportKind } from './kinds.ts';
import { assertParquetName, type DuckDb, joinParts, loadDuckDb, sealPart } from './parquet.ts';
import { asReader, writePortions } from './portions.ts';
import {
  cutText,
  type ExportPaths,
  type ExportState,
  exportPaths,
  PRIVATE_FILE,
  readState,
  removeState,
  writeState,
} from './progress-file.ts';
import { findHousehold, type Source } from './queries.ts';

export interface ExportTask {
  what: ExportName;
  /** Whose views are read; null for prices, fees and the calendar, which belong to none. */
  organization: string | null;
  household: string | null;
  /** Days of Berlin; `to` is the one behind the last one. */
  from: CalendarDay;
  to: CalendarDay;
  format: 'csv' | 'parquet';
  /** CSV: an apostrophe before what a spreadsheet would calculate. */
  isForSpreadsheets?: boolean;
  file: string;
  /** Length of the text at which a part of a Parquet file is sealed; only tests have less than others. */
  partBytes?: number;
  /** Aborted: it stops behind the portion under way. */
  signal?: AbortSignal;
  onProgress?(state: Readonly<ExportState>): void;
}

export interface ExportReport {
  rows: number;
  /** Of them what an earlier run of the same export had written. */
  rowsBefore: number;
  isComplete: boolean;
}

const PART_BYTES = 256 * 1_048_576;

/**
 * Writes rows into a file, one bounded statement after the other. The rows of each statement are on the disk before the
 * state beside the file counts them. So a task that was stopped goes on there, and makes the same file as without the stop.
 * A portion shows what is committed when it is asked for. By the owner of the database, who reads as the views of analysts
 * do.
 */
export async function exportRows(
  { database }: { database: Database },
  task: ExportTask,
  act: StaffAct,
): Promise<ExportReport> {
  const { what, organization, household, file } = task;
  const source: Source = { kind: exportKind(what), organization, household, signedIn: 'owner' };
  if (await exists(file)) throw new Error(`${file} exists already: nothing was exported`);
  if (task.format === 'parquet') assertParquetName(file);
  const duckDb = task.format === 'parquet' ? await loadDuckDb() : null;
  await assertKnown(database, source);
  const begun = await begin(exportPaths(file), task);
  await auditExport(database, task, act);
  return await writeRows({ database, source, duckDb }, task, begun);
}

export interface RowsParts {
  /** Where the rows are read. */
  database: Database;
  source: Source;
  /** Null: CSV. */
  duckDb: DuckDb | null;
}

/** The rows behind what is begun, and the file when all are there. */
export async function writeRows(
  { database, source, duckDb }: RowsParts,
  task: ExportTask,
  begun: ExportState,
): Promise<ExportReport> {
  const paths = exportPaths(task.file);
  const seal = async (state: ExportState) => {
    if (duckDb === null) return;
    const [number, rows] = [state.parts + 1, state.rows - state.partRows];
    await sealPart(duckDb, paths, source.kind.columns, { number, rows });
    Object.assign(state, { parts: number, partRows: state.rows, bytes: 0 });
    await writeState(paths, state);
  };
  const state = await writePortions(
    {
      database,
      source,
      paths,
      to: task.to,
      isForSpreadsheets: task.isForSpreadsheets === true,
      signal: task.signal,
      afterPortion: async (reached) => {
        if (reached.bytes >= (task.partBytes ?? PART_BYTES)) await seal(reached);
        task.onProgress?.(reached);
      },
    },
    begun,
  );
  const isComplete = state.day >= task.to;
  if (isComplete) {
    if (state.bytes > 0 || state.parts === 0) await seal(state);
    if (duckDb === null) await rename(paths.text, paths.file);
    else await joinParts(duckDb, paths, state);
    await removeState(paths);
  }
  return { rows: state.rows, rowsBefore: begun.rows, isComplete };
}

/** A new state, or the one of an earlier run of the same task. */
export async function begin(paths: ExportPaths, task: ExportTask): Promise<ExportState> {
  const { what, organization, household, from, to, format } = task;
  const columns = exportKind(what).columns.map(({ name }) => name);
  const for_spreadsheets = task.isForSpreadsheets === true;
  const request = { what, organization, household, from, until: to, format, for_spreadsheets, columns };
  const known = await readState(paths, request);
  const header = format === 'csv' ? `${columns.join(',')}\n` : '';
  const state: ExportState = known ?? {
    request,
    pid: process.pid,
    day: from,
    after: null,
    rows: 0,
    bytes: header.length,
    parts: 0,
    partRows: 0,
  };
  state.pid = process.pid;
  if (known === null) await writeFile(paths.text, header, { mode: PRIVATE_FILE });
  await cutText(paths, state.bytes);
  await writeState(paths, state);
  return state;
}

export async function assertKnown(database: Database, source: Source): Promise<void> {
  const { organization, household, kind } = source;
  if (organization === null) return;
  const { forecast_enabled } = await findOrganization(database, organization);
  if (kind.isForecast && !forecast_enabled) {
    throw new Error(
      `Forecast prices are not enabled for organization ${organization}: organizations set-forecasts`,
    );
  }
  await database.inOrganization({ organization }, (connection) =>
    makeAnalystSchema(connection, organization),
  );
  if (household === null) return;
  const isKnown = await asReader(database, source, (connection) =>
    findHousehold(connection, organization, household),
  );
  if (!isKnown) throw new Error(`There is no household ${household} in organization ${organization}`);
}

/** Before the first row leaves the house. */
export async function auditExport(
  database: Database,
  task: Pick<ExportTask, 'what' | 'organization' | 'household'>,
  act: StaffAct,
): Promise<void> {
  const { organization, household, what } = task;
  const keep = (connection: Connection) =>
    audit(connection, { ...staffOf(act, organization), act: `${what}.export`, object_id: household });
  await (organization === null ? database.asService(keep) : database.inOrganization({ organization }, keep));
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
