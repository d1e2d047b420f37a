import { InvalidArgumentError } from 'commander';
import { listFailedRuns } from '../platform/jobs/queries.ts';
import { retryRun } from '../platform/jobs/retry.ts';
import { command } from './engine/command.ts';
import { ACT, argument, JSON_LIST, JSON_OBJECT, LIMIT, option } from './engine/fields.ts';

export const commands = {
  list: command({
    words: 'the runs that were given up, newest first',
    examples: ['', '--limit 1000 --json'],
    notes: `When each job runs, and the line that shows its last run: docs/operating.md, under "Jobs".`,
    options: { ...LIMIT, ...JSON_LIST },
    work: async ({ database }, { limit }) => {
      const rows = await database.asService((connection) => listFailedRuns(connection, limit));
      return rows.map(({ id: run, organization_id: organization, ...row }) => ({
        run,
        organization,
        ...row,
      }));
    },
    columns: ['run', 'job', 'organization', 'key', 'attempts', 'finished_at', 'error'],
    least: ['key', 'attempts', 'organization'],
  }),
  retry: command({
    words: 'starts a run anew that was given up, with all its attempts; a worker finds it within 30 seconds',
    examples: ["12 --reason 'the mail server is back'", "12 --reason 'the mail server is back' --json"],
    arguments: { run: argument(option('', 'its number, as `jobs list` shows it', runNumber)) },
    options: { ...ACT, ...JSON_OBJECT },
    work: async ({ database, act }, { run }) => {
      const found = await retryRun(database, run, act);
      if (found === null) throw new Error(`There is no run ${run} that was given up`);
      return { run, job: found.job, organization: found.organization_id };
    },
  }),
};

function runNumber(text: string): number {
  const id = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('A whole number from 1 on.');
}
