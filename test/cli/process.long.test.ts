import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createHousehold, createOrganization } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { runCommandProcess } from './command-process.ts';

/* From the shell to the exit code: what `main.ts` hands over is not seen by commands that run in the process of a test. */

let api: TestApi;
let environment: Record<string, string>;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  environment = { ...testEnvironment(api.database, 'redis://127.0.0.1:1') };
  environment.DATABASE_OWNER_URL = api.database.ownerUrl;
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

test('what is done ends with 0 and is on standard output', async () => {
  const { stdout, ...ended } = await runCommandProcess(environment, ['organizations', 'list', '--json']);
  expect(ended).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject([{ id: organization }]);
});

test('what is refused ends with 1 and a sentence on standard error', async () => {
  const unknown = 'oac_000000000000000000000000';
  expect(await runCommandProcess(environment, ['clients', 'show', unknown])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `There is no client ${unknown}\n`,
  });
});

test('what is not understood ends with 2 and a sentence on standard error', async () => {
  expect(await runCommandProcess(environment, ['organizations', 'list', '--bad'])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: "error: unknown option '--bad'\n",
  });
});

test('a help names the commands as this one was started: by Node, or by run of docs/deployment.md, which says where it stands', async () => {
  const usage = async (given: Record<string, string>) =>
    (await runCommandProcess({ ...environment, ...given }, ['--help'])).stdout.split(' [')[0];
  expect(await usage({})).toBe('Usage: node src/cli/main.ts');
  expect(await usage({ INIT_CWD: '/' })).toBe('Usage: run src/cli/main.ts');
  expect(await usage({ INIT_CWD: '/', npm_lifecycle_event: 'cli' })).toBe('Usage: npm run cli --');
});

test('a person is erased when the id comes from a pipe, and not when the pipe is empty', async () => {
  const { customer } = await createHousehold(api.deps, organization);
  const erase = ['customers', 'erase', customer, '--reason', 'asked for it'];
  const persons = () => storedRows(api, 'SELECT FROM customers WHERE id = $1', [customer]);
  const unanswered = await runCommandProcess(environment, erase);
  expect(unanswered.exitCode).toBe(1);
  expect(unanswered.stderr).toMatch(/Type cus_\S+ to go on: Nothing was erased\n$/);
  expect(await persons()).toHaveLength(1);
  const answered = await runCommandProcess(environment, erase, `${customer}\n`);
  expect(answered.exitCode).toBe(0);
});
