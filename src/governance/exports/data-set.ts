import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportName } from '../../config/export-names.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/db.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import {
  addDays,
  addMonths,
  berlinDayAt,
  berlinDayOf,
  berlinMidnight,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { assertKnown, auditExport, begin, type ExportTask, writeRows } from './export.ts';
import { lockFolder, unfinishedFolder } from './folder-lock.ts';
import { exportKind } from './kinds.ts';
import {
  type DataFile,
  describeColumns,
  type Manifest,
  manifestPath,
  readManifest,
  SERVICE_VERSION,
  withFile,
  writeManifest,
} from './manifest.ts';
import { assertParquetName, copyWithout, countRowsOf, type DuckDb, loadDuckDb } from './parquet.ts';
import { asReader } from './portions.ts';
import { exportPaths, removeState } from './progress-file.ts';
import {
  type Fingerprint,
  findFingerprint,
  isRemovedBefore,
  listColumnComments,
  listErasedHouseholds,
  listRestrictedHouseholds,
  type Source,
} from './queries.ts';

/*
 * FOLDER/energy/organization=org_…/month=2026-01/part-0.parquet: one file for each organization and month, which programs
 * read without the database. The rows of the database are compared with those that the file was made of. A month that
 * changed is written anew as a whole, and replaces the former file.
 *
 * The manifest is written before and after a file is put into its place. Killed in between, it names both, and the next run
 * looks which one is there.
 */

export interface DataSetTask {
  folder: string;
  what: ExportName;
  /** Whose views are read. Prices belong to nobody: an analyst reads those of his organization, and the owner has null. */
  organization: string | null;
  /** Every month that the days touch; `to` is the one behind the last one. */
  from: CalendarDay;
  to: CalendarDay;
  signedIn: Source['signedIn'];
  /** As in ExportTask. */
  partBytes?: number;
  /** Aborted: it stops, and the month under way stays as it was. */
  signal?: AbortSignal;
  /** Called before each month is compared, and at the end with null. */
  onMonth?(month: string | null, rows: number): void;
}

export interface DataSetReport {
  /** Months whose file was written. */
  written: string[];
  unchanged: string[];
  /** Months whose file stays: the database no longer holds their beginning, or they hold rows of somebody who is restricted. */
  kept: string[];
  /** Of the written months. */
  rows: number;
  isComplete: boolean;
}

interface DataSetParts {
  /** Where the rows are read: by the owner, or by an analyst. */
  reading: Database;
  /** Where the audit log is written. */
  database: Database;
  clock: Clock;
}

/** What a run works with. */
interface Run {
  parts: DataSetParts;
  task: DataSetTask;
  act: StaffAct;
  duckDb: DuckDb;
  source: Source;
  /** Null: of no organization. */
  owner: string | null;
  manifest: Manifest;
}

export async function writeDataSet(
  parts: DataSetParts,
  task: DataSetTask,
  act: StaffAct,
): Promise<DataSetReport> {
  const { folder, what, organization, signedIn } = task;
  const kind = exportKind(what);
  const source: Source = { kind, organization, household: null, signedIn };
  assertParquetName(folder);
  const duckDb = await loadDuckDb();
  if (signedIn === 'owner') await assertKnown(parts.reading, source);
  const unlock = await lockFolder(folder);
  try {
    const run: Run = {
      ...{ parts, task, act, duckDb, source },
      owner: kind.key === undefined ? null : organization,
      manifest: await openManifest(parts.reading, source, task),
    };
    await auditExport(parts.database, { what, organization: run.owner, household: null }, act);
    return await writeMonths(run);
  } finally {
    await unlock();
  }
}

async function writeMonths(run: Run): Promise<DataSetReport> {
  const { task } = run;
  const report: DataSetReport = { written: [], unchanged: [], kept: [], rows: 0, isComplete: false };
  for (let month = firstOfMonth(task.from); month < task.to; month = addMonths(month, 1)) {
    if (task.signal?.aborted === true) return report;
    const name = month.slice(0, 7);
    task.onMonth?.(name, report.rows);
    const made = await writeMonth(run, month);
    if (made === null) return report;
    report[made.outcome].push(name);
    report.rows += made.rows;
  }
  task.onMonth?.(null, report.rows);
  return { ...report, isComplete: true };
}

type Outcome = { outcome: 'written' | 'unchanged' | 'kept'; rows: number };

/** Null where it was asked to stop. */
async function writeMonth(run: Run, first: CalendarDay): Promise<Outcome | null> {
  const { parts, task, source, owner, manifest } = run;
  const month = first.slice(0, 7);
  const next = addMonths(first, 1);
  const now = parts.clock.nowMilliseconds();
  /* Prices of tomorrow are there already. */
  const end = earlier(next, addDays(berlinDayAt(now), 2));
  const path = [
    task.what,
    ...(owner === null ? [] : [`organization=${owner}`]),
    `month=${month}`,
    'part-0.parquet',
  ].join('/');
  const listed = manifest.files.find((file) => file.path === path);
  /* Who removes a file has it written again. */
  const before = (await sizeOf(join(task.folder, path))) === listed?.bytes ? listed : undefined;
  /* Before the rows are read: what comes meanwhile is in the file or not, and the next run writes it again. */
  const found = await fingerprintOf(run, first, end);
  if (found === null) return null;
  const isComplete = now >= berlinMilliseconds(next);
  if (before !== undefined) {
    if (isSame(before, found, manifest.schema) && (before.is_complete || !isComplete))
      return { outcome: 'unchanged', rows: 0 };
    if (await mustStay(run, before)) return await withoutErased(run, before);
  }
  const file = fileOf(run, month);
  const { what, organization } = task;
  const rowsTask: ExportTask = {
    ...{ what, organization, household: null, file },
    format: 'parquet',
    from: found.first === null ? first : berlinDayOf(found.first),
    to: found.last === null ? first : addDays(berlinDayOf(found.last), 1),
    ...(task.partBytes !== undefined && { partBytes: task.partBytes }),
    ...(task.signal !== undefined && { signal: task.signal }),
  };
  await removeState(exportPaths(file));
  const begun = await begin(exportPaths(file), rowsTask);
  const { rows, isComplete: isWhole } = await writeRows(
    { database: parts.reading, source, duckDb: run.duckDb },
    rowsTask,
    begun,
  );
  if (!isWhole) return null;
  /* Each portion shows what is committed when it is read: retention or a restriction may have come in between. */
  if (before !== undefined && (await mustStay(run, before))) {
    await rm(file);
    return await withoutErased(run, before);
  }
  await putInPlace(run, file, {
    path,
    organization: owner,
    month,
    start: berlinMidnight(first),
    end: berlinMidnight(next),
    is_complete: isComplete,
    rows,
    ...{ first: found.first, last: found.last },
    fingerprint: found.hash,
    schema: manifest.schema,
  });
  return { outcome: 'written', rows };
}

const fileOf = ({ task }: Run, month: string) => join(unfinishedFolder(task.folder), `${month}.parquet`);

/** A file written anew would be without rows that the database does not give back. */
const mustStay = async (run: Run, before: DataFile) =>
  (await hasLostItsBeginning(run, before)) || (await holdsRestricted(run, before));

/** A month that is not written again keeps its rows, but those of persons who were erased since. */
async function withoutErased(run: Run, before: DataFile): Promise<Outcome> {
  const { parts, task, source } = run;
  const kept: Outcome = { outcome: 'kept', rows: 0 };
  const households = await asReader(parts.reading, source, (connection) =>
    listErasedHouseholds(connection, source),
  );
  if (households.length === 0) return kept;
  const paths = exportPaths(fileOf(run, before.month));
  const theirs = await copyWithout(run.duckDb, paths, {
    ...{ from: join(task.folder, before.path), rows: before.rows, households },
  });
  await removeState(paths);
  if (theirs === 0) return kept;
  const rows = before.rows - theirs;
  await putInPlace(run, paths.file, { ...before, rows });
  return { outcome: 'written', rows };
}

const isSame = (before: DataFile, found: Fingerprint, schema: string) =>
  before.fingerprint === found.hash && before.rows === found.rows && before.schema === schema;

/**
 * Retention removes the oldest rows of all organizations. The data set outlives them. Rows that are gone for another reason, as
 * those of an erased person, are not what the database says to have removed by time.
 */
async function hasLostItsBeginning({ parts, source }: Run, { first }: DataFile): Promise<boolean> {
  const { keptSince } = source.kind;
  if (keptSince === undefined || first === null) return false;
  return await asReader(parts.reading, source, (connection) =>
    isRemovedBefore(connection, source, keptSince, first),
  );
}

/**
 * The views hide who is restricted (Art. 18 GDPR). A month that is written without these rows would never get them back where
 * retention comes to them before the restriction ends. The running month is far from that, and goes on.
 */
async function holdsRestricted(run: Run, before: DataFile): Promise<boolean> {
  const { parts, task, source, owner, duckDb } = run;
  if (owner === null || source.kind.keptSince === undefined || !before.is_complete) return false;
  const households = await parts.database.inOrganization({ organization: owner }, (connection) =>
    listRestrictedHouseholds(connection, owner),
  );
  if (households.length === 0) return false;
  const paths = exportPaths(fileOf(run, before.month));
  const theirs = await countRowsOf(duckDb, paths, { from: join(task.folder, before.path), households });
  await removeState(paths);
  return theirs > 0;
}

/** A statement begins with so much of a month. It takes twice as much where it found few rows, and half where it found many. */
const HOURS_FIRST = 6;
const ROWS_FEW = 200_000;
const ROWS_MANY = 1_000_000;

async function fingerprintOf(
  { parts, task, source }: Run,
  from: CalendarDay,
  to: CalendarDay,
): Promise<Fingerprint | null> {
  const all: Fingerprint = { rows: 0, first: null, last: null, hash: '0' };
  const end = berlinMilliseconds(to);
  let step = HOURS_FIRST * 3_600_000;
  for (let sinceMilliseconds = berlinMilliseconds(from); sinceMilliseconds < end; ) {
    if (task.signal?.aborted === true) return null;
    const untilMilliseconds = Math.min(sinceMilliseconds + step, end);
    const span = {
      since: new Date(sinceMilliseconds).toISOString(),
      until: new Date(untilMilliseconds).toISOString(),
    };
    const part = await asReader(parts.reading, source, (connection) =>
      findFingerprint(connection, source, span),
    );
    all.rows += part.rows;
    all.first ??= part.first;
    all.last = part.last ?? all.last;
    all.hash = String(BigInt(all.hash) ^ BigInt(part.hash));
    sinceMilliseconds = untilMilliseconds;
    if (part.rows < ROWS_FEW) step *= 2;
    if (part.rows > ROWS_MANY) step = Math.ceil(step / 2);
  }
  return all;
}

type WrittenFile = Omit<DataFile, 'bytes' | 'sha256' | 'written_at' | 'written_by'>;

/** The manifest names the new file before it is there, and the former one until it is. */
async function putInPlace(
  { parts, task, act, manifest }: Run,
  file: string,
  written: WrittenFile,
): Promise<void> {
  const { staff, command, reason } = act;
  const entry: DataFile = {
    ...written,
    bytes: (await stat(file)).size,
    sha256: await sha256Of(file),
    written_at: new Date(parts.clock.nowMilliseconds()).toISOString(),
    written_by: { staff, command, reason, service_version: SERVICE_VERSION },
  };
  const target = join(task.folder, entry.path);
  const { mode } = await stat(task.folder);
  await makeFolders(task.folder, dirname(entry.path), mode);
  await chmod(file, mode & 0o666);
  await sync(file);
  await writeManifest(task.folder, { ...manifest, replacing: entry });
  await rename(file, target);
  await sync(dirname(target));
  manifest.files = withFile(manifest.files, entry);
  manifest.updated_at = entry.written_at;
  await writeManifest(task.folder, manifest);
}

/** As readable as the folder of the data set. */
async function makeFolders(folder: string, path: string, mode: number): Promise<void> {
  let made = folder;
  for (const name of path.split('/')) {
    made = join(made, name);
    if ((await mkdir(made, { recursive: true })) !== undefined) await chmod(made, mode & 0o777);
  }
}

async function sync(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** A new one, or the one that is there, after what a run that was killed had begun. */
async function openManifest(
  reading: Database,
  source: Source,
  { folder, what }: DataSetTask,
): Promise<Manifest> {
  const comments = await asReader(reading, source, (connection) => listColumnComments(connection, source));
  const columns = describeColumns(source.kind.columns, comments);
  const schema = createHash('sha256')
    .update(JSON.stringify(columns.map(({ name, type }) => [name, type])))
    .digest('hex')
    .slice(0, 12);
  const known = await readManifest(manifestPath(folder, what));
  const partitions = source.kind.key === undefined ? ['month'] : ['organization', 'month'];
  const files = [...(known?.files ?? [])];
  const begun = known?.replacing ?? null;
  const isThere =
    begun !== null && (await sha256Of(join(folder, begun.path)).catch(() => null)) === begun.sha256;
  const manifest: Manifest = {
    manifest_version: 1,
    data_set: what,
    ...{ schema, columns, partitions },
    updated_at: begun !== null && isThere ? begun.written_at : (known?.updated_at ?? ''),
    files: begun !== null && isThere ? withFile(files, begun) : files,
    replacing: null,
  };
  if (begun !== null) await writeManifest(folder, manifest);
  return manifest;
}

const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => null,
  );

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
