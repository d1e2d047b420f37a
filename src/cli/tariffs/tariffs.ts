import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { csvProblemText } from '../../platform/csv/csv.ts';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { checkReferenceData, isLacking, summaryOf } from '../../tariffs/reference-data/check.ts';
import { day, zip } from '../../tariffs/reference-data/files/column-kinds.ts';
import {
  type ImportedTable,
  type ImportReport,
  importReferenceData,
} from '../../tariffs/reference-data/files/import.ts';
import { showZip, type ZipShown } from '../../tariffs/reference-data/show.ts';
import { compareWeights } from '../../tariffs/reference-data/weights.ts';
import { commandIo, endWith } from '../io.ts';
import { printLine, printObject, printTable } from '../output.ts';
import { type ActOptions, type Session, staffAct, withActOptions, withSession } from '../session.ts';

interface ImportCommandOptions extends ActOptions {
  dir: string;
  table?: string[];
  dryRun: boolean;
  prune: boolean;
  json?: boolean;
}

interface DayOptions {
  date?: string;
  json?: boolean;
}

const EXIT_REFUSED = 1;
/** Exit code of `check`, so that a scheduled call notices. */
const EXIT_LACKING = 1;

export function tariffsCommand(): Command {
  return new Command('tariffs')
    .addCommand(importCommand())
    .addCommand(check())
    .addCommand(show())
    .addCommand(weights());
}

function importCommand(): Command {
  return withActOptions(new Command('import'), 'import of reference data')
    .description(
      'takes in CSV files of reference data, all or nothing; running processes have them within 5 seconds',
    )
    .option('--dir <folder>', 'where the files are', join(projectFolder, 'reference'))
    .option('--table <name...>', 'only these tables; every file of the folder where absent')
    .option('--dry-run', 'says what would happen and stores nothing', false)
    .option(
      '--prune',
      'removes stored rows that the files do not have, unless bills were made of them',
      false,
    )
    .option('--json', 'as one JSON object')
    .action((options: ImportCommandOptions) =>
      withSession(async (session) => {
        const { dir, table, dryRun, prune } = options;
        const input = { folder: resolve(dir), dryRun, prune, ...(table && { tables: [...new Set(table)] }) };
        const act = staffAct(session, options, 'tariffs import');
        const report = await importReferenceData(session.database, input, act);
        if (options.json === true) printObject({ ...report }, options);
        else printReport(report, options);
        if (report.problems.length > 0) endWith(EXIT_REFUSED);
      }),
    );
}

/** What stops the import goes to standard error, one line each. */
function printReport({ problems, warnings, tables }: ImportReport, options: ImportCommandOptions): void {
  const { stderr } = commandIo();
  for (const warning of warnings) stderr.write(`warning: ${csvProblemText(warning.file, warning)}\n`);
  for (const problem of problems) stderr.write(`${csvProblemText(problem.file, problem)}\n`);
  if (problems.length > 0) {
    stderr.write(
      `Nothing was stored: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`,
    );
    return;
  }
  const rows = tables.map(({ missing, removed, ...table }) => ({
    ...table,
    missing: missing.length,
    removed: removed.length,
  }));
  printTable(rows, ['table', 'rows', 'inserted', 'changed', 'equal', 'missing', 'removed'], {});
  const lines = tables.flatMap(linesOfRows);
  if (options.dryRun) lines.push('Nothing was stored: this was a dry run');
  for (const line of lines) printLine(line);
}

function linesOfRows({ table, missing, removed }: ImportedTable): string[] {
  return [
    ...missing.map((row) => `stored, not in the file: ${table} ${row}`),
    ...removed.map((row) => `removed: ${table} ${row}`),
  ];
}

function check(): Command {
  return new Command('check')
    .description(
      'what a day lacks: keys without a row, rows that ran out and are carried forward, provisional rows, rows that nobody confirmed; ends with 1 where a used row is missing or carried forward',
    )
    .option('--date <day>', 'YYYY-MM-DD; today where absent', dayFrom)
    .option('--keys', 'one line for each key; for each table where absent', false)
    .option('--json', 'as a list of JSON objects')
    .action((options: DayOptions & { keys: boolean }) =>
      withSession(async (session) => {
        const on = dayOf(session, options);
        const findings = await session.database.asService((connection) => checkReferenceData(connection, on));
        if (options.keys) {
          const rows = findings.map((finding) => ({ ...finding }));
          printTable(rows, ['state', 'table', 'key', 'is_used', 'rows', 'ended_on'], options);
        } else {
          const rows = summaryOf(findings).map((summary) => ({ ...summary }));
          printTable(rows, ['state', 'table', 'keys', 'used', 'rows', 'ended_on', 'first_key'], options);
        }
        if (findings.some(isLacking)) endWith(EXIT_LACKING);
      }),
    );
}

function show(): Command {
  return new Command('show')
    .description('who serves a zip, and every figure that is used for it')
    .argument('<zip>', 'five digits', zipFrom)
    .option('--date <day>', 'YYYY-MM-DD; today where absent', dayFrom)
    .option('--json', 'as one JSON object')
    .action((code: string, options: DayOptions) =>
      withSession(async (session) => {
        const on = dayOf(session, options);
        const shown = await session.database.asService((connection) => showZip(connection, code, on));
        printShown(shown, options);
      }),
    );
}

function weights(): Command {
  return new Command('weights')
    .description(
      "weights of the prices by the clock: as stored, and as the household profile and the schedule's windows give them",
    )
    .argument('[operator]', 'code of an operator; all of them where absent')
    .option(
      '--date <day>',
      'YYYY-MM-DD: schedules of this day, by the calendar of its year; else all, each by its first year',
      dayFrom,
    )
    .option('--json', 'as a list of JSON objects')
    .action((operator: string | undefined, options: DayOptions) =>
      withSession(async (session) => {
        const { date: on } = options;
        const compared = await session.database.asService((connection) =>
          compareWeights(connection, { operator, on }),
        );
        const rows = compared.map((weight) => ({ ...weight }));
        printTable(rows, WEIGHT_COLUMNS, options);
      }),
    );
}

const WEIGHT_COLUMNS = ['operator', 'valid_from', 'year', 'band', 'stored', 'recomputed', 'difference'];

const FIGURE_COLUMNS = [
  ...['figure', 'value', 'unit', 'table', 'key', 'valid_from', 'valid_to', 'is_carried_forward'],
  ...['checked_on', 'source'],
];

function printShown({ figures, ...zipShown }: ZipShown, options: DayOptions): void {
  if (options.json === true) {
    printObject({ ...zipShown, figures }, options);
    return;
  }
  printObject({ ...zipShown }, options, ['']);
  printTable(
    figures.map((figure) => ({ ...figure })),
    FIGURE_COLUMNS,
    options,
  );
}

function dayOf(session: Session, { date }: DayOptions): string {
  return date ?? berlinDayAt(session.clock.nowMilliseconds());
}

function dayFrom(text: string): string {
  const rule = day.broken(text);
  if (rule === null) return text;
  throw new InvalidArgumentError(`It ${rule}.`);
}

function zipFrom(text: string): string {
  const rule = zip.broken(text);
  if (rule === null) return text;
  throw new InvalidArgumentError(`It ${rule}.`);
}
