import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';
import { auditRows, storedRows } from '../setup/stored-rows.ts';
import { runCommand } from './command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
let organization: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  ({ organization } = await createTenant(api));
});
afterAll(() => api?.close());
beforeEach(() => storedRows(api, 'DELETE FROM job_runs'));

const run = (...args: string[]) => runCommand(environment, 'jobs', ...args);

async function insertRun(columns: { state: string; organization: string | null; finishedAt: string | null }) {
  const [row] = await storedRows<{ id: number }>(
    api,
    `INSERT INTO job_runs (job, organization_id, key, state, attempts, due_at, next_at, finished_at, error)
     VALUES ('greet-somebody', $1, $2, $3, 5, now(), now(), $4, 'no answer') RETURNING id::int`,
    [columns.organization, columns.finishedAt, columns.state, columns.finishedAt],
  );
  return row?.id ?? 0;
}

test('jobs list shows the runs that were given up, of all organizations, newest first', async () => {
  const older = await insertRun({ state: 'failed', organization: null, finishedAt: '2026-10-05T08:00:00Z' });
  const newer = await insertRun({ state: 'failed', organization, finishedAt: '2026-10-05T09:00:00Z' });
  await insertRun({ state: 'done', organization, finishedAt: '2026-10-05T10:00:00Z' });
  await insertRun({ state: 'queued', organization, finishedAt: null });
  const { exitCode, stdout } = await run('list', '--json');
  expect(exitCode).toBe(0);
  const row = { job: 'greet-somebody', attempts: 5, error: 'no answer' };
  expect(JSON.parse(stdout)).toEqual([
    {
      ...row,
      run: newer,
      organization,
      key: '2026-10-05T09:00:00Z',
      finished_at: '2026-10-05T09:00:00.000Z',
    },
    {
      ...row,
      run: older,
      organization: null,
      key: '2026-10-05T08:00:00Z',
      finished_at: '2026-10-05T08:00:00.000Z',
    },
  ]);
});

test('a list that leaves rows out says so on standard error, and how to get more', async () => {
  for (const hour of [7, 8, 9])
    await insertRun({ state: 'failed', organization, finishedAt: `2026-10-05T0${hour}:00:00Z` });
  const said = 'There are more than these 2: --limit shows more of them.\n';
  for (const form of [['--json'], []]) {
    const cut = await run('list', '--limit', '2', ...form);
    expect(cut).toMatchObject({ exitCode: 0, stderr: said });
    expect(cut.stdout.match(/greet-somebody/g)).toHaveLength(2);
    const whole = await run('list', '--limit', '3', ...form);
    expect(whole).toMatchObject({ exitCode: 0, stderr: '' });
    expect(whole.stdout.match(/greet-somebody/g)).toHaveLength(3);
  }
});

test.each([['an organization'], ['the service itself']])(
  'jobs retry starts a run of %s anew, once, with a line in the audit log',
  async (whose) => {
    const owner = whose === 'an organization' ? organization : null;
    const id = await insertRun({ state: 'failed', organization: owner, finishedAt: '2026-10-05T08:00:00Z' });
    const result = await run('retry', String(id), '--reason', 'the receiver is back', '--json');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({ run: id, job: 'greet-somebody', organization: owner });
    expect(
      await storedRows(
        api,
        `SELECT state, attempts, finished_at, error, next_at <= clock_timestamp() AS due FROM job_runs WHERE id = $1`,
        [id],
      ),
    ).toEqual([{ state: 'queued', attempts: 0, finished_at: null, error: null, due: true }]);
    const lines = await storedRows(
      api,
      `SELECT organization_id, route, reason FROM audit_log WHERE act = 'job_run.retry' AND object_id = $1`,
      [String(id)],
    );
    expect(lines).toEqual([{ organization_id: owner, route: 'jobs retry', reason: 'the receiver is back' }]);

    const again = await run('retry', String(id), '--reason', 'once more');
    expect(again).toMatchObject({ exitCode: 1, stderr: `There is no run ${id} that was given up\n` });
  },
);

test('jobs retry needs a reason and a number', async () => {
  const id = await insertRun({ state: 'failed', organization, finishedAt: '2026-10-05T08:00:00Z' });
  const before = await auditRows(api, organization, 'job_run.retry');
  expect((await run('retry', String(id))).exitCode).toBe(2);
  expect((await run('retry', 'all', '--reason', 'x')).exitCode).toBe(2);
  expect(await storedRows(api, 'SELECT state FROM job_runs')).toEqual([{ state: 'failed' }]);
  expect(await auditRows(api, organization, 'job_run.retry')).toEqual(before);
});
