import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { type ExportTask, exportRows } from '../../governance/exports/export.ts';
import { EXPORT_KINDS, type ExportKindName } from '../../governance/exports/kinds.ts';
import { addDays, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { calendarDay } from '../calendar-day.ts';
import { commandIo, endWith } from '../io.ts';
import { printObject } from '../output.ts';
import { type ProgressLine, progressLine } from '../progress-line.ts';
import { type ActOptions, known, staffAct, withActOptions, withOwnerSession } from '../session.ts';

interface ExportOptions extends ActOptions {
  from: string;
  to: string;
  format: 'csv' | 'parquet';
  output: string;
  organization?: string;
  household?: string;
  json?: boolean;
}

const NOTES = `
Columns as in docs/dictionary.md: instants in UTC, delivery_day and local_time in Europe/Berlin. A text that a spreadsheet
would take for a formula begins with an apostrophe in CSV.
Stopped and repeated it goes on where it was; FILE appears when it is whole.
Exit codes: 0 whole, 1 refused, failed or stopped, 2 not understood.`;

const EXIT_STOPPED = 1;

export function exportCommand(): Command {
  return withActOptions(new Command('export'))
    .addArgument(new Argument('<what>', 'what is exported').choices(Object.keys(EXPORT_KINDS)))
    .requiredOption('--from <day>', 'first day, YYYY-MM-DD in Berlin', calendarDay)
    .requiredOption('--to <day>', 'last day, included', calendarDay)
    .addOption(
      new Option('--format <format>', 'of the file').choices(['csv', 'parquet']).makeOptionMandatory(),
    )
    .requiredOption('--output <path>', 'a new file, or a folder in which its name is made')
    .option('--organization <id>', 'org_…: whose rows; prices belong to none')
    .option('--household <id>', 'dom_…: of this household only')
    .option('--json', 'the result as one JSON object')
    .addHelpText('after', NOTES)
    .action((what: ExportKindName, options: ExportOptions, command: Command) =>
      withOwnerSession(async (session) => {
        assertFitting(command, what, options, session.clock.nowMilliseconds());
        const task = await taskOf(what, options);
        const line = progressLine(commandIo().stderr);
        const watched = { ...task, signal: commandIo().interruption(), onProgress: progress(task, line) };
        const act = staffAct(session, options, `export ${what}`);
        const exported = exportRows(session, watched, act).finally(() => line.end());
        const report = await known(`organization ${options.organization}`, exported);
        const { rows, rowsBefore, isComplete } = report;
        printObject(
          {
            file: task.file,
            rows,
            rows_of_earlier_runs: rowsBefore,
            complete: isComplete,
            memory_mebibytes_max: Math.round(process.resourceUsage().maxRSS / 1024),
          },
          options,
          isComplete ? [] : ['Stopped before the end; the same command goes on from here.'],
        );
        if (!isComplete) endWith(EXIT_STOPPED);
      }),
    );
}

/** Ends the command as not understood. */
function assertFitting(command: Command, what: ExportKindName, options: ExportOptions, now: number): void {
  const { from, to, organization, household } = options;
  const tomorrow = addDays(berlinDayAt(now), 1);
  if (to < from) command.error(`error: --to ${to} lies before --from ${from}`);
  if (to > tomorrow) command.error(`error: --to lies behind tomorrow, ${tomorrow}`);
  if (what === 'prices' && (organization ?? household) !== undefined) {
    command.error('error: prices belong to no organization and no household');
  }
  if (what !== 'prices' && organization === undefined) {
    command.error(`error: required option '--organization <id>' not specified: whose ${what}?`);
  }
}

async function taskOf(what: ExportKindName, options: ExportOptions): Promise<ExportTask> {
  const { from, to, format, organization = null, household = null } = options;
  const path = resolve(options.output);
  const isFolder = await hasFolder(path);
  if (!isFolder && !(await hasFolder(dirname(path)))) {
    throw new Error(`--output: there is no folder ${dirname(path)}`);
  }
  /* Whose rows they are is to be seen before the file is opened. */
  const name = [...(organization === null ? [] : [organization]), ...(household === null ? [] : [household])];
  const file = isFolder ? join(path, `${[...name, what, from, to].join('-')}.${format}`) : path;
  return { what, organization, household, from, to, format, file };
}

const hasFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const PROGRESS_MILLISECONDS = 1_000;

/** Shows where it is about once a second, and the end. */
function progress(task: ExportTask, line: ProgressLine): NonNullable<ExportTask['onProgress']> {
  let shownAt = Number.NEGATIVE_INFINITY;
  return ({ day, after, rows }) => {
    const isEnd = day > task.to;
    const now = performance.now();
    if (!isEnd && now < shownAt + PROGRESS_MILLISECONDS) return;
    shownAt = now;
    const place = isEnd ? 'all days read' : ['at', day, ...(after === null ? [] : [after])].join(' ');
    const text = `${task.what} ${task.from} to ${task.to}: ${rows.toLocaleString('en')} rows, ${place}`;
    line.show({ live: text, plain: text });
  };
}
