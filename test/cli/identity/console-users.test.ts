import { afterAll, beforeAll, expect, test } from 'vitest';
import { newEmail } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let api: TestApi;
let organization: string;
let environment: Record<string, string>;

beforeAll(async () => {
  api = await startApi();
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

const run = (...args: string[]) => runCommand(environment, 'console-users', ...args);
const why = ['--reason', 'back office', '--staff', 'ada'];
const create = (email: string, of = organization) =>
  run('create', '--email', email, '--organization', of, ...why, '--json');
const list = async () => {
  const { stdout } = await run('list', '--organization', organization, '--json');
  return (JSON.parse(stdout) as { id: string; email: string }[]).map(({ email }) => email);
};

test('console-users create, list and remove say who may sign in, with a line of the audit log each', async () => {
  const email = newEmail();
  const made = await create(email);
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const { id } = JSON.parse(made.stdout) as { id: string };
  expect(id).toMatch(/^usr_[0-9a-z]{24}$/);
  expect(await list()).toEqual([email]);
  const removed = await run('remove', id, '--organization', organization, ...why, '--json');
  expect(JSON.parse(removed.stdout)).toMatchObject({ id, email });
  expect(await list()).toEqual([]);
  const line = { staff: 'ada', reason: 'back office', object_id: id };
  expect(await auditRows(api, organization, 'console_user')).toEqual([
    expect.objectContaining({ ...line, act: 'console_user.create', route: 'console-users create' }),
    expect.objectContaining({ ...line, act: 'console_user.remove', route: 'console-users remove' }),
  ]);
  expect(await run('remove', id, '--organization', organization, ...why)).toMatchObject({
    exitCode: 1,
    stderr: `There is no user of the console ${id} in ${organization}\n`,
  });
});

test('an address signs in to one console only, and has to be one', async () => {
  const other = await createOrganization(api.deps);
  const email = newEmail();
  expect((await create(email)).exitCode).toBe(0);
  for (const of of [organization, other]) {
    expect(await create(email.toUpperCase(), of)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/email: This address signs in to a console already/),
    });
  }
  expect(await create('nobody')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('email') });
  expect((await run('create', '--email', email, '--organization', organization)).exitCode).toBe(2);
});
