import { Command, InvalidArgumentError } from 'commander';
import { listFailedRuns } from '../platform/jobs/queries.ts';
import { retryRun } from '../platform/jobs/retry.ts';
import { printObject, printTable } from './output.ts';
import { type ActOptions, staffAct, withActOptions, withSession } from './session.ts';

const ROWS_MAX = 100;

export function jobsCommand(): Command {
  return new Command('jobs').addCommand(list()).addCommand(retry());
}

function list(): Command {
  return new Command('list')
    .description(`the runs that were given up, newest first, at most ${ROWS_MAX}`)
    .option('--json', 'as a list of JSON objects')
    .action((options: { json?: boolean }) =>
      withSession(async ({ database }) => {
        const rows = await database.asService((connection) => listFailedRuns(connection, ROWS_MAX));
        const shown = rows.map(({ id, organization_id, ...row }) => ({
          run: id,
          organization: organization_id,
          ...row,
        }));
        const columns = ['run', 'job', 'organization', 'key', 'attempts', 'finished_at', 'error'];
        printTable(shown, columns, options);
      }),
    );
}

function retry(): Command {
  return withActOptions(new Command('retry'))
    .description(
      'starts a run anew that was given up, with all its attempts; a worker finds it within 30 seconds',
    )
    .argument('<run>', 'its number, as `jobs list` shows it', runNumber)
    .option('--json', 'as one JSON object')
    .action((id: number, options: ActOptions & { json?: boolean }) =>
      withSession(async (session) => {
        const found = await retryRun(session.database, id, staffAct(session, options, 'jobs retry'));
        if (found === null) throw new Error(`There is no run ${id} that was given up`);
        printObject({ run: id, job: found.job, organization: found.organization_id }, options);
      }),
    );
}

function runNumber(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('A whole number from 1 on.');
}
