import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { audit } from '../../../platform/audit.ts';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { allowLongTransaction } from '../../../platform/database/time-limits.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { berlinDayOf } from '../../../platform/time/berlin-calendar.ts';
import { hasBilledRows, listBilledRows } from '../billed-queries.ts';
import { findReferenceRevision } from '../queries.ts';
import { changedDays } from './changed-days.ts';
import { differenceOf, type RowDifference, rowName } from './difference.ts';
import { type FilesRead, fileOf, readReferenceFiles } from './read-files.ts';
import { REFERENCE_TABLES } from './reference-tables.ts';
import {
  endDay,
  type Finding,
  firstDay,
  type ReferenceRow,
  type RowValues,
  type RuleContext,
  soundValues,
} from './rows.ts';
import {
  deleteRows,
  findIsEmpty,
  insertReferenceChanges,
  insertRows,
  listReferenceRows,
  tryLockReferenceData,
  updateRows,
} from './stored-tables.ts';
import type { ReferenceTable } from './table-description.ts';

export interface ImportOptions {
  folder: string;
  /** Every table that has a file in the folder where absent. */
  tables?: readonly string[];
  /** Says what would happen and stores nothing. */
  dryRun?: boolean;
  /** Removes stored rows that the files do not have, but for those that bills were made of. */
  prune?: boolean;
  /** What `removedRows` told of a dry run: where other rows would go now, nothing is stored. */
  confirmed?: readonly string[];
}

export interface ImportedTable {
  table: string;
  rows: number;
  inserted: number;
  changed: number;
  equal: number;
  /** Stored, and not in the file: they stay. */
  missing: string[];
  removed: string[];
}

export interface ImportReport {
  /** Not empty: nothing was stored. */
  problems: readonly Finding[];
  warnings: readonly Finding[];
  tables: readonly ImportedTable[];
}

/** Takes in files of reference data, all of them or nothing at all. */
export async function importReferenceData(
  database: Database,
  options: ImportOptions,
  act: StaffAct,
): Promise<ImportReport> {
  const files = await readReferenceFiles(options.folder, options.tables);
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const stored = await database.asService((connection) => readStored(connection, options, act));
    /* For a whole country this takes longer than a transaction may stay idle, so none is open meanwhile. */
    const differences = compare(stored, files);
    const findings = checkAll(files, differences);
    const tables = differences.filter(isGiven(files)).map(importedTable);
    const isToStore = findings.problems.length === 0 && options.dryRun !== true;
    if (isToStore && !isDeepStrictEqual(removedRows(tables), options.confirmed ?? removedRows(tables))) {
      throw new Error(
        'Files or stored rows changed meanwhile: other rows would be removed than were named. Nothing was stored',
      );
    }
    if (!isToStore || (await storeChecked(database, stored, differences, act))) {
      return { ...findings, tables };
    }
  }
  throw new Error('Others changed the reference data again and again: nothing was stored, try again later');
}

/** Each row that is removed, with its table. */
export function removedRows(tables: readonly ImportedTable[]): string[] {
  return tables.flatMap(({ table, removed }) => removed.map((row) => `${table} ${row}`));
}

/** Each time somebody else has imported between the check and the store, everything is checked anew. */
const CHECKS_MAX = 5;

interface StoredData {
  /** Of the rows, read before them: while it stays the same, so do they. */
  readonly revision: string;
  readonly rows: ReadonlyMap<ReferenceTable, readonly RowValues[]>;
  /**
   * Read where rows may be pruned: the rows that bills were made of say how a figure came about, for as long as a bill is
   * kept.
   */
  readonly billed: ReadonlyMap<ReferenceTable, IsBilled>;
}

type IsBilled = (values: RowValues) => boolean;

/** Tables without a file are read as well: rules reach from one table into another. */
async function readStored(
  connection: Connection,
  { prune = false }: ImportOptions,
  act: StaffAct,
): Promise<StoredData> {
  const revision = await findReferenceRevision(connection);
  const rows = new Map<ReferenceTable, readonly RowValues[]>();
  const billed = new Map<ReferenceTable, IsBilled>();
  for (const table of REFERENCE_TABLES) {
    rows.set(table, await listReferenceRows(connection, table));
    if (prune) billed.set(table, await billedRows(connection, table, act));
  }
  return { revision, rows, billed };
}

/** All of it in one transaction, if it is still what was checked; false: it is not, and nothing was stored. */
async function storeChecked(
  database: Database,
  { revision }: StoredData,
  differences: readonly RowDifference[],
  act: StaffAct,
): Promise<boolean> {
  return await database.asService(async (connection) => {
    await allowLongTransaction(connection);
    await waitForTurn(connection);
    if ((await findReferenceRevision(connection)) !== revision) return false;
    for (const { table, removed } of differences) {
      if (removed.length === 0) continue;
      if (removed.some(await billedRows(connection, table, act))) return false;
    }
    await store(connection, differences, act);
    return true;
  });
}

/** Rows of other tables name them: a table that is new brings operators that nobody knew before. */
const NAMED_BY_OTHERS = ['grid_operators'];

/** Takes in the files of those tables that have no row yet; null where every table has some. */
export async function importFirstReferenceData(
  database: Database,
  folder: string,
  act: StaffAct,
): Promise<ImportReport | null> {
  const tables = await database.asService(async (connection) => {
    const empty: string[] = [];
    for (const table of REFERENCE_TABLES) {
      if (table.mayBeEmpty !== true && (await findIsEmpty(connection, table))) empty.push(table.name);
    }
    return empty;
  });
  if (tables.length === 0) return null;
  const withNamed = [...new Set([...tables, ...NAMED_BY_OTHERS])];
  return await importReferenceData(database, { folder, tables: withNamed }, act);
}

const TURN_POLL_MILLISECONDS = 100;
const TURN_POLLS_MAX = 600;

/** One import at a time. Asked for again and again: a waiting lock would end at the session's lock time-out of 3 s. */
async function waitForTurn(connection: Connection): Promise<void> {
  for (let polls = 0; polls < TURN_POLLS_MAX; polls += 1) {
    if (await tryLockReferenceData(connection)) return;
    await wait(TURN_POLL_MILLISECONDS);
  }
  throw new Error('Another import of reference data has been under way for a minute: try again later');
}

function compare(stored: StoredData, files: FilesRead): RowDifference[] {
  return REFERENCE_TABLES.map((table) => {
    const rows = files.rows.get(table.name);
    const mayGo = (values: RowValues) => rows !== undefined && stored.billed.get(table)?.(values) === false;
    return differenceOf(table, rows ?? [], stored.rows.get(table) ?? [], mayGo);
  });
}

async function billedRows(
  connection: Connection,
  table: ReferenceTable,
  { now }: StaffAct,
): Promise<IsBilled> {
  if (table.isBilledWhole === true) {
    const today = (await hasBilledRows(connection)) ? berlinDayOf(now) : '';
    return ({ valid_from }) => (valid_from ?? '') <= today;
  }
  const rows = await listBilledRows(connection, table.name);
  const names = new Set(
    rows.map(({ key, validFrom }) => (key === '' ? `from ${validFrom}` : `${key} from ${validFrom}`)),
  );
  return (values) => names.has(rowName(table, values));
}

function isGiven(files: FilesRead): (difference: RowDifference) => boolean {
  return ({ table }) => files.rows.has(table.name);
}

function checkAll(
  files: FilesRead,
  differences: readonly RowDifference[],
): Pick<ImportReport, 'problems' | 'warnings'> {
  const problems = [...files.problems];
  const warnings = [...files.warnings];
  for (const { table, after } of differences.filter(isGiven(files))) {
    const into = (findings: Finding[]) => (row: ReferenceRow, column: string, rule: string) =>
      findings.push({
        file: fileOf(table),
        line: row.line ?? 1,
        column,
        value: row.values[column] ?? '',
        rule,
      });
    const context: RuleContext = {
      rows: (name) => differences.find((other) => other.table.name === name)?.after ?? [],
      problem: into(problems),
      warning: into(warnings),
    };
    checkRows(table, after, context);
    for (const rule of table.rules) rule(after, context);
  }
  return { problems: inOrder(problems), warnings: inOrder(warnings) };
}

function inOrder(findings: readonly Finding[]): Finding[] {
  const place = (finding: Finding) => REFERENCE_TABLES.findIndex((table) => fileOf(table) === finding.file);
  return findings.toSorted((left, right) => place(left) - place(right) || left.line - right.line);
}

/** Removals first and new rows last: at no moment are two rows of one key valid on the same day. */
async function store(
  connection: Connection,
  differences: readonly RowDifference[],
  act: StaffAct,
): Promise<void> {
  let rows = 0;
  for (const { table, inserted, changed, removed } of differences) {
    await deleteRows(connection, table, removed, act.now);
    await updateRows(connection, table, changed, act.now);
    await insertRows(connection, table, inserted);
    rows += removed.length + changed.length + inserted.length;
  }
  await insertReferenceChanges(connection, changedDays(differences), act.now);
  const result = rows === 0 ? 'unchanged' : 'done';
  await audit(connection, { ...staffOf(act, null), act: 'reference_data.import', result });
}

function importedTable({ table, inserted, changed, equal, missing, removed }: RowDifference): ImportedTable {
  return {
    table: table.name,
    rows: inserted.length + changed.length + equal,
    inserted: inserted.length,
    changed: changed.length,
    equal,
    missing: missing.map((values) => rowName(table, values)),
    removed: removed.map((values) => rowName(table, values)),
  };
}

/** What holds for the rows of every table. */
function checkRows(table: ReferenceTable, rows: readonly ReferenceRow[], context: RuleContext): void {
  const sound = rows.filter((row) => isPeriod(row, context));
  const withKey = sound.filter((row) => !table.key.some((column) => row.bad.has(column)));
  const series = Map.groupBy(withKey, (row) => JSON.stringify(table.key.map((column) => row.values[column])));
  for (const ofKey of series.values()) if (ofKey.length > 1) checkOverlaps(ofKey, context);
  const carriedBy = table.carriedBy ?? table.key;
  const together = Map.groupBy(withKey, (row) =>
    JSON.stringify(carriedBy.map((column) => row.values[column])),
  );
  for (const ofKey of together.values()) if (ofKey.length > 1) checkGaps(ofKey, context);
}

function isPeriod(row: ReferenceRow, context: RuleContext): boolean {
  const [from] = soundValues(row, 'valid_from') ?? [];
  if (from === undefined || row.bad.has('valid_to')) return false;
  const to = row.values.valid_to ?? null;
  if (to === null || to > from) return true;
  context.problem(row, 'valid_to', `must be after valid_from, ${from}`);
  return false;
}

function checkOverlaps(rows: readonly ReferenceRow[], context: RuleContext): void {
  const inOrder = rows.toSorted((left, right) => (firstDay(left) < firstDay(right) ? -1 : 1));
  let longest: ReferenceRow | undefined;
  for (const row of inOrder) {
    if (longest !== undefined && firstDay(row) < endDay(longest)) reportOverlap(longest, row, context);
    if (longest === undefined || endDay(row) > endDay(longest)) longest = row;
  }
}

/** Days between two rows on which none counts: a last day that was typed wrong, more likely than on purpose. */
function checkGaps(rows: readonly ReferenceRow[], context: RuleContext): void {
  let latest: ReferenceRow | undefined;
  for (const row of rows.toSorted((left, right) => (firstDay(left) < firstDay(right) ? -1 : 1))) {
    if (latest !== undefined && firstDay(row) > endDay(latest)) {
      const days = `${endDay(latest)} until ${firstDay(row)}`;
      if (row.line !== null) context.warning(row, 'valid_from', `leaves a gap: no row counts from ${days}`);
      else if (latest.line !== null)
        context.warning(latest, 'valid_to', `leaves a gap: no row counts from ${days}`);
    }
    if (latest === undefined || endDay(row) > endDay(latest)) latest = row;
  }
}

/** At the later line of the file, with where the other row stands. */
function reportOverlap(left: ReferenceRow, right: ReferenceRow, context: RuleContext): void {
  const [earlier, later] = (left.line ?? 0) < (right.line ?? 0) ? [left, right] : [right, left];
  const period = `${firstDay(earlier)} to ${earlier.values.valid_to ?? 'open'}`;
  const rule =
    earlier.line === null
      ? `overlaps the stored row of ${period}: end that one in the same file`
      : `overlaps line ${earlier.line}, ${period}`;
  context.problem(later, 'valid_from', rule);
}
