import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DATA_SET_NAMES, EXPORT_NAMES, type ExportName } from '../../config/export-names.ts';
import { writeDataSet } from '../../governance/exports/data-set.ts';
import { type ExportTask, exportRows } from '../../governance/exports/export.ts';
import { exportKind, isOfOrganization, LIST_DAYS } from '../../governance/exports/kinds.ts';
import { manifestPath } from '../../governance/exports/manifest.ts';
import type { StaffAct } from '../../platform/staff-act.ts';
import { addDays, berlinDayAt, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { type ArgumentValues, command } from '../engine/command.ts';
import { ACT, argument, calendarDay, choice, flag, idOption, option } from '../engine/fields.ts';
import { commandIo, endWith } from '../engine/io.ts';
import { fields } from '../engine/output.ts';
import { notUnderstood } from '../engine/program.ts';
import { type ProgressLine, progressLine } from '../engine/progress-line.ts';
import { type OwnerSession, withOwnerSession } from '../engine/session.ts';
import { ownOrganization } from '../organization.ts';
import { assertForward, END_DAY } from '../prices/price-options.ts';

const NOTES = `Lists (plans, plan_terms, grid_fees, meters and others without days) are exported whole, without --from and --to.
A month belongs to its first day.
Columns as in docs/dictionary.md: instants in UTC, delivery_day and local_time in Europe/Berlin.
Texts are as they are stored. With --for-spreadsheets a text in CSV that a spreadsheet would calculate (it begins with
=, +, - or @) begins with an apostrophe.
Stopped and repeated it goes on where it was; FILE appears when it is whole.
--into writes Parquet, each month that the days touch as FOLDER/WHAT/organization=…/month=…/part-0.parquet, and
FOLDER/WHAT.manifest.json. Months whose rows are still the same stay as they are.
Exit codes: 0 whole, 1 refused, failed or stopped, 2 not understood.`;

const EXIT_STOPPED = 1;

const WHAT = {
  what: argument(choice('', 'what is exported', EXPORT_NAMES)),
};

const OPTIONS = {
  ...ACT,
  from: option('<day>', 'first day, YYYY-MM-DD in Berlin; needed for all but lists', calendarDay),
  to: option('<day>', `${END_DAY}, the day after tomorrow at the latest`, calendarDay),
  format: choice('<format>', 'of the file', ['csv', 'parquet']),
  output: option('<path>', 'a new file, or a folder in which its name is made'),
  for_spreadsheets: flag('of CSV: an apostrophe before =, +, - and @'),
  into: option(
    '<folder>',
    'in place of --format and --output: the data set in this folder, a file for each month',
  ),
  organization: option(
    '<id>',
    'org_…: whose rows, or who sees the forecasts; not needed where there is one. Prices, fees and the calendar belong to none',
  ),
  household: idOption('dom_…: of this household only'),
  json: flag('the result as one JSON object'),
};

const isList = (what: ExportName) => exportKind(what).at === undefined;
const isOfHouseholds = (what: ExportName) =>
  exportKind(what).columns.some(({ name }) => name === 'household');

type ExportOptions = ArgumentValues<typeof WHAT & typeof OPTIONS>;
type Export = ExportOptions & { from: CalendarDay; to: CalendarDay };

export const commands = command({
  words: 'each view of analysts as a CSV or Parquet file: values, energy, cost, records, bills, prices, fees',
  examples: [
    "prices --from 2026-10-01 --to 2026-11-01 --format csv --output prices.csv --reason 'study'",
    "energy_days --from 2026-01-01 --to 2026-10-01 --into . --organization org_… --reason 'study'",
  ],
  notes: NOTES,
  arguments: WHAT,
  options: OPTIONS,
  session: withOwnerSession,
  work: async ({ act, ...session }, typed) => {
    const days = daysOf(typed, session.clock.nowMilliseconds());
    const target = targetOf(typed);
    const { organization, household } = typed;
    const owner = isOfOrganization(exportKind(typed.what))
      ? await ownOrganization(session.database, { organization, household })
      : undefined;
    const given: Export = { ...typed, ...days, ...(owner !== undefined && { organization: owner }) };
    const line = progressLine(commandIo().stderr);
    const named = { ...act, command: `export ${given.what}` };
    const exported: Promise<{ complete: boolean }> =
      'folder' in target
        ? exportDataSet(session, { given, folder: target.folder, line }, named)
        : exportFile(session, await taskOf(given, target), line, named);
    const report = await exported.finally(() => line.end());
    if (!report.complete) endWith(EXIT_STOPPED);
    return { ...report, memory_mebibytes_max: Math.round(process.resourceUsage().maxRSS / 1024) };
  },
  print: (report) => [
    fields(report),
    ...(report.complete ? [] : ['Stopped before the end; the same command goes on from here.']),
  ],
});

async function exportFile(session: OwnerSession, task: ExportTask, line: ProgressLine, act: StaffAct) {
  const watched = { ...task, signal: commandIo().interruption(), onProgress: progress(task, line) };
  const { rows, rowsBefore, isComplete } = await exportRows(session, watched, act);
  return { file: task.file, rows, rows_of_earlier_runs: rowsBefore, complete: isComplete };
}

async function exportDataSet(
  { database, clock }: OwnerSession,
  { given, folder, line }: { given: Export; folder: string; line: ProgressLine },
  act: StaffAct,
) {
  const { what, from, to, organization = null } = given;
  if (!(await hasFolder(folder))) throw new Error(`--into: there is no folder ${folder}`);
  const show = (text: string) => line.show({ live: text, plain: text });
  const report = await writeDataSet(
    { reading: database, database, clock },
    {
      ...{ folder, what, organization, from, to, signedIn: 'owner', signal: commandIo().interruption() },
      onMonth: (month, rows) =>
        show(
          `${what}: ${rows.toLocaleString('en')} rows written, ${month === null ? 'all months compared' : `at ${month}`}`,
        ),
    },
    act,
  );
  const { written, unchanged, kept, rows, isComplete } = report;
  return {
    manifest: manifestPath(folder, what),
    rows,
    ...{ written: written.join(' '), unchanged: unchanged.join(' '), kept: kept.join(' ') },
    complete: isComplete,
  };
}

type Target = { folder: string } | { format: ExportTask['format']; output: string };

/** The span that was asked for; of a list none. Ends the command as not understood, where it cannot be meant. */
function daysOf({ what, from, to }: ExportOptions, now: number): Pick<Export, 'from' | 'to'> {
  if (isList(what)) {
    if ((from ?? to) === undefined) return LIST_DAYS;
    return notUnderstood(`${what} have no days: they are exported whole, without --from and --to`);
  }
  if (from === undefined || to === undefined)
    return notUnderstood(`${what} are exported by days: --from and --to are needed`);
  const tomorrow = addDays(berlinDayAt(now), 1);
  assertForward(from, to);
  if (to > addDays(tomorrow, 1)) notUnderstood(`there are days until tomorrow, ${tomorrow}, at most`);
  return { from, to };
}

/** Ends the command as not understood, where it cannot be meant. */
function targetOf({
  what,
  organization,
  household,
  into,
  format,
  output,
  for_spreadsheets,
}: ExportOptions): Target {
  if (!isOfOrganization(exportKind(what)) && (organization ?? household) !== undefined) {
    notUnderstood(`${what} belong to no organization and no household`);
  }
  if (household !== undefined && !isOfHouseholds(what)) notUnderstood(`${what} belong to no household`);
  if (into !== undefined) {
    if ((format ?? output ?? for_spreadsheets) !== undefined)
      notUnderstood('--into does not go with --format, --output and --for-spreadsheets');
    if (isList(what))
      notUnderstood(`--into writes months, and ${what} have no days: take --format and --output`);
    if (!DATA_SET_NAMES.includes(what))
      notUnderstood(`--into writes months, and ${what} are kept for less than one: export them by days`);
    if (household !== undefined) notUnderstood('--into writes all households of an organization');
    return { folder: resolve(into) };
  }
  if (for_spreadsheets === true && format === 'parquet')
    notUnderstood('--for-spreadsheets is for --format csv');
  if (format !== undefined && output !== undefined) return { format, output };
  return notUnderstood('--format and --output are needed, or --into');
}

async function taskOf(
  given: Export,
  { format, output }: Extract<Target, { output: string }>,
): Promise<ExportTask> {
  const { what, from, to, organization = null, household = null } = given;
  const path = resolve(output);
  const isFolder = await hasFolder(path);
  if (!isFolder && !(await hasFolder(dirname(path)))) {
    throw new Error(`--output: there is no folder ${dirname(path)}`);
  }
  /* Whose rows they are is to be seen before the file is opened. */
  const whose = [
    ...(organization === null ? [] : [organization]),
    ...(household === null ? [] : [household]),
  ];
  const name = [...whose, what, ...(isList(what) ? [] : [from, to])].join('-');
  const file = isFolder ? join(path, `${name}.${format}`) : path;
  const isForSpreadsheets = given.for_spreadsheets === true;
  return { what, organization, household, from, to, format, isForSpreadsheets, file };
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
    const isEnd = day >= task.to;
    const now = performance.now();
    if (!isEnd && now < shownAt + PROGRESS_MILLISECONDS) return;
    shownAt = now;
    const isWhole = isList(task.what);
    const place = ['at', ...(isWhole ? [] : [day]), ...(after === null ? [] : [after])].join(' ');
    const span = isWhole ? '' : ` ${task.from} until ${task.to}`;
    const end = isWhole ? 'all read' : 'all days read';
    const text = `${task.what}${span}: ${rows.toLocaleString('en')} rows, ${isEnd ? end : place}`;
    line.show({ live: text, plain: text });
  };
}
