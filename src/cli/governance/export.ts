import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ExportTask, exportRows } from '../../governance/exports/export.ts';
import { EXPORT_KINDS, type ExportKindName } from '../../governance/exports/kinds.ts';
import { addDays, berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { command, type Given } from '../command.ts';
import { ACT, argument, calendarDay, choice, flag, needed, option } from '../fields.ts';
import { commandIo, endWith } from '../io.ts';
import { known } from '../organization.ts';
import { fields } from '../output.ts';
import { notUnderstood } from '../program.ts';
import { type ProgressLine, progressLine } from '../progress-line.ts';
import { withOwnerSession } from '../session.ts';

const NOTES = `Columns as in docs/dictionary.md: instants in UTC, delivery_day and local_time in Europe/Berlin. A text that a spreadsheet
would take for a formula begins with an apostrophe in CSV.
Stopped and repeated it goes on where it was; FILE appears when it is whole.
Exit codes: 0 whole, 1 refused, failed or stopped, 2 not understood.`;

const EXIT_STOPPED = 1;

const WHAT = {
  what: argument(choice('', 'what is exported', Object.keys(EXPORT_KINDS) as ExportKindName[])),
};

const OPTIONS = {
  ...ACT,
  from: needed(option('<day>', 'first day, YYYY-MM-DD in Berlin', calendarDay)),
  to: needed(option('<day>', 'last day, included', calendarDay)),
  format: needed(choice('<format>', 'of the file', ['csv', 'parquet'])),
  output: needed(option('<path>', 'a new file, or a folder in which its name is made')),
  organization: option('<id>', 'org_…: whose rows; prices belong to none'),
  household: option('<id>', 'dom_…: of this household only'),
  json: flag('the result as one JSON object'),
};

type Export = Given<typeof WHAT & typeof OPTIONS>;

export const commands = command({
  words: 'snapshots, energy, usage, invoices or prices as a CSV or Parquet file',
  examples: [
    "prices --from 2026-10-01 --to 2026-10-31 --format csv --output prices.csv --reason 'study'",
    "energy --from 2026-10-01 --to 2026-10-31 --format parquet --output . --organization org_… --reason 'study'",
  ],
  notes: NOTES,
  arguments: WHAT,
  options: OPTIONS,
  session: withOwnerSession,
  work: async ({ act, ...session }, given) => {
    assertFitting(given, session.clock.nowMilliseconds());
    const task = await taskOf(given);
    const line = progressLine(commandIo().stderr);
    const watched = { ...task, signal: commandIo().interruption(), onProgress: progress(task, line) };
    const named = { ...act, command: `export ${task.what}` };
    const exported = exportRows(session, watched, named).finally(() => line.end());
    const { rows, rowsBefore, isComplete } = await known(`organization ${given.organization}`, exported);
    if (!isComplete) endWith(EXIT_STOPPED);
    return {
      file: task.file,
      rows,
      rows_of_earlier_runs: rowsBefore,
      complete: isComplete,
      memory_mebibytes_max: Math.round(process.resourceUsage().maxRSS / 1024),
    };
  },
  print: (report) => [
    fields(report),
    ...(report.complete ? [] : ['Stopped before the end; the same command goes on from here.']),
  ],
});

/** Ends the command as not understood. */
function assertFitting({ what, from, to, organization, household }: Export, now: number): void {
  const tomorrow = addDays(berlinDayAt(now), 1);
  if (to < from) notUnderstood(`--to ${to} lies before --from ${from}`);
  if (to > tomorrow) notUnderstood(`--to lies behind tomorrow, ${tomorrow}`);
  if (what === 'prices' && (organization ?? household) !== undefined) {
    notUnderstood('prices belong to no organization and no household');
  }
  if (what !== 'prices' && organization === undefined) {
    notUnderstood(`required option '--organization <id>' not specified: whose ${what}?`);
  }
}

async function taskOf(given: Export): Promise<ExportTask> {
  const { what, from, to, format, organization = null, household = null } = given;
  const path = resolve(given.output);
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
