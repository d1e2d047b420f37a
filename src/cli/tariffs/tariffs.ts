import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { csvProblemText } from '../../platform/csv/csv.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { checkReferenceData, isLacking, summaryOf } from '../../tariffs/reference-data/check.ts';
import { type ColumnKind, day, zip } from '../../tariffs/reference-data/files/column-kinds.ts';
import {
  type ImportedTable,
  type ImportReport,
  importReferenceData,
  removedRows,
} from '../../tariffs/reference-data/files/import.ts';
import { REFERENCE_TABLES } from '../../tariffs/reference-data/files/reference-tables.ts';
import { zipService } from '../../tariffs/reference-data/service.ts';
import { showZip } from '../../tariffs/reference-data/show.ts';
import { compareWeights } from '../../tariffs/reference-data/weights.ts';
import { confirm } from '../engine/ask.ts';
import { command } from '../engine/command.ts';
import {
  act,
  argument,
  choice,
  flag,
  JSON_LIST,
  JSON_OBJECT,
  needed,
  option,
  or,
  several,
} from '../engine/fields.ts';
import { commandIo, endWith } from '../engine/io.ts';
import { fields, type Part, table } from '../engine/output.ts';
import type { Session } from '../engine/session.ts';

const EXIT_REFUSED = 1;
/** Exit code of `check`, so that a scheduled call notices. */
const EXIT_LACKING = 1;

const TABLES = REFERENCE_TABLES.map(({ name }) => name);
const DATE = { date: option('<day>', 'YYYY-MM-DD; today where absent', fitting(day)) };

export const commands = {
  import: command({
    words:
      'takes in CSV files of reference data, all or nothing; running processes have them within 5 seconds',
    examples: ['--dry-run', "--dir ./figures --table vat_rates grid_fees --prune --reason 'figures of 2027'"],
    options: {
      ...act('import of reference data'),
      dir: or(option('<folder>', 'where the files are'), join(projectFolder, 'reference')),
      table: several(choice('<name...>', 'only these tables; every file of the folder where absent', TABLES)),
      dry_run: or(flag('says what would happen and stores nothing'), false),
      prune: or(
        flag('removes stored rows that the files do not have, unless bills were made of them'),
        false,
      ),
      yes: flag('with --prune: without being asked'),
      ...JSON_OBJECT,
    },
    work: async ({ database, clock, act: begun }, { dir, table: tables, dry_run: dryRun, prune, yes }) => {
      const input = { folder: resolve(dir), prune, ...(tables && { tables: [...new Set(tables)] }) };
      const isAsked = prune && !dryRun && yes === undefined;
      const confirmed = isAsked
        ? await confirmRemoval(await importReferenceData(database, { ...input, dryRun: true }, begun))
        : undefined;
      /* Of the answer: bills that were made while the question stood are older than the change. */
      const act = { ...begun, now: clock.now().toISOString() };
      const report = await importReferenceData(
        database,
        { ...input, dryRun, ...(confirmed && { confirmed }) },
        act,
      );
      if (report.problems.length > 0) endWith(EXIT_REFUSED);
      return report;
    },
    print: (report, { dry_run }) => reportParts(report, dry_run),
  }),
  check: command({
    words:
      'what a day lacks: keys without a row, rows that ran out and are carried forward, provisional rows, rows that nobody confirmed; ends with 1 where a used row is missing or carried forward',
    examples: ['', '--date 2027-01-01 --keys --json'],
    options: {
      ...DATE,
      keys: or(flag('one line for each key; for each table where absent'), false),
      ...JSON_LIST,
    },
    work: async (session, { date, keys }) => {
      const on = dayOf(session, date);
      const findings = await session.database.asService((connection) => checkReferenceData(connection, on));
      if (findings.some(isLacking)) endWith(EXIT_LACKING);
      return keys ? findings : summaryOf(findings);
    },
    print: (rows: readonly object[], { keys }) => [
      table(rows, (keys ? KEY_COLUMNS : TABLE_COLUMNS) as never),
    ],
  }),
  show: command({
    words: 'who serves a zip, and every figure that is used for it',
    examples: ['10115', '10115 --date 2027-01-01 --json'],
    arguments: { zip: argument(option('', 'five digits', fitting(zip))) },
    options: { ...DATE, ...JSON_OBJECT },
    work: async (session, { zip: code, date }) => {
      const on = dayOf(session, date);
      const { figures, ...place } = await session.database.asService((connection) =>
        showZip(connection, code, on),
      );
      return { ...place, figures };
    },
    print: ({ figures, ...place }) => [
      fields(place),
      '',
      table(figures, [
        ...(['figure', 'value', 'unit', 'table', 'key', 'valid_from', 'valid_to'] as const),
        ...(['is_carried_forward', 'checked_on', 'source'] as const),
      ]),
    ],
  }),
  zips: command({
    words: 'which of several zips are served: by whom, or why not',
    examples: ['--zip 10115 20354', '--zip 10115 99999 --date 2027-01-01 --json'],
    options: {
      zip: needed(several(option('<zip...>', 'five digits each'))),
      ...DATE,
      ...JSON_LIST,
    },
    work: async (session, { zip: codes, date }) => {
      const on = dayOf(session, date);
      const wrong = codes.find((code) => zip.broken(code) !== null);
      if (wrong !== undefined) throw new Error(`--zip ${wrong}: It ${zip.broken(wrong)}.`);
      return await session.database.asService(async (connection) => {
        const found = [];
        for (const code of codes) found.push(await zipService(connection, code, on));
        return found;
      });
    },
    columns: ['zip', 'is_served', 'operator', 'name', 'city', 'reason'],
  }),
  weights: command({
    words:
      "weights of the prices by the clock: as stored, and as the household profile and the schedule's windows give them",
    examples: ['', 'stromnetz-berlin --date 2027-01-01 --json'],
    arguments: { operator: option('', 'code of an operator; all of them where absent') },
    options: {
      date: option(
        '<day>',
        'YYYY-MM-DD: schedules of this day, by the calendar of its year; else all, each by its first year',
        fitting(day),
      ),
      ...JSON_LIST,
    },
    work: ({ database }, { operator, date: on }) =>
      database.asService((connection) => compareWeights(connection, { operator, on })),
    columns: ['operator', 'valid_from', 'year', 'band', 'stored', 'recomputed', 'difference'],
  }),
};

const KEY_COLUMNS = ['state', 'table', 'key', 'is_used', 'rows', 'ended_on'];
const TABLE_COLUMNS = ['state', 'table', 'keys', 'used', 'rows', 'ended_on', 'first_key'];

/** What stops the import goes to standard error, one line each. */
function reportParts({ problems, warnings, tables }: ImportReport, isDryRun: boolean): Part[] {
  const { stderr } = commandIo();
  for (const warning of warnings) stderr.write(`warning: ${csvProblemText(warning.file, warning)}\n`);
  for (const problem of problems) stderr.write(`${csvProblemText(problem.file, problem)}\n`);
  if (problems.length > 0) {
    stderr.write(
      `Nothing was stored: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`,
    );
    return [];
  }
  return [
    table(tables, [
      ...(['table', 'rows', 'inserted', 'changed', 'equal'] as const),
      ['missing', ({ missing }) => missing.length],
      ['removed', ({ removed }) => removed.length],
    ]),
    ...tables.flatMap(linesOfRows),
    ...(isDryRun ? ['Nothing was stored: this was a dry run'] : []),
  ];
}

/** Rows that would go are named before; where none would, or nothing would be stored, nothing is asked. */
async function confirmRemoval({ problems, tables }: ImportReport): Promise<string[]> {
  const rows = removedRows(tables);
  if (problems.length > 0 || rows.length === 0) return rows;
  for (const row of rows) commandIo().stderr.write(`to be removed: ${row}\n`);
  await confirm(String(rows.length), 'Nothing was stored');
  return rows;
}

function linesOfRows({ table: name, missing, removed }: ImportedTable): string[] {
  return [
    ...missing.map((row) => `stored, not in the file: ${name} ${row}`),
    ...removed.map((row) => `removed: ${name} ${row}`),
  ];
}

function dayOf(session: Session, date: string | undefined): string {
  return date ?? berlinDayAt(session.clock.nowMilliseconds());
}

function fitting(kind: ColumnKind) {
  return (text: string) => {
    const rule = kind.broken(text);
    if (rule === null) return text;
    throw new InvalidArgumentError(`It ${rule}.`);
  };
}
