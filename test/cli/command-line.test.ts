import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { packageVersion } from '../../src/cli/engine/version.ts';
import { startApi, type TestApi, testEnvironment } from '../setup/api.ts';
import { createOrganization } from '../setup/factories.ts';
import { collectingIo, runCommand, runDatabaseCommand } from './command-line.ts';

/* Commands in one process: what one of them gets or says is nothing to another. */

let api: TestApi;
let environment: Record<string, string>;
let organization: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  environment = testEnvironment(api.database, 'redis://127.0.0.1:1');
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

test('commands at the same time have their own environment, output and exit code', async () => {
  const away = { ...environment, DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/nowhere' };
  const create = ['clients', 'create', '--name', 'x', '--organization', organization];
  const [listed, lost, refused, unreasoned, local] = await Promise.all([
    runCommand(environment, 'organizations', 'list', '--json'),
    runCommand(away, 'organizations', 'list', '--json'),
    runCommand(environment, 'clients', 'show', 'oac_000000000000000000000000'),
    runCommand(environment, ...create),
    runCommand({ ...environment, APP_ENV: 'local' }, ...create),
  ]);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: organization }]);
  expect(lost).toMatchObject({ exitCode: 1, stdout: '' });
  expect(lost.stderr).toMatch(
    /^The database cannot be reached: .* 127\.0\.0\.1:1 \(its address is DATABASE_URL; /,
  );
  expect(refused.stderr).toBe('There is no client oac_000000000000000000000000\n');
  expect([unreasoned.exitCode, unreasoned.stderr]).toEqual([2, expect.stringContaining("'--reason <text>'")]);
  expect(local).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a list that is given an id of another kind says which kind it wants', async () => {
  const customer = 'cus_000000000000000000000000';
  for (const [noun, option, prefix] of [
    ['invoices', '--subscription', 'sub_'],
    ['subscriptions', '--household', 'dom_'],
    ['meter-readings', '--subscription', 'sub_'],
    ['grants', '--client', 'oac_'],
  ] as const) {
    const { exitCode, stdout, stderr } = await runCommand(environment, noun, 'list', option, customer);
    expect([noun, exitCode, stdout]).toEqual([noun, 2, '']);
    expect(stderr).toContain(`An id that begins with ${prefix}.`);
  }
});

test('an exit code belongs to its command, not to the process', async () => {
  const before = process.exitCode;
  const lacking = await runCommand(environment, 'tariffs', 'check');
  expect(lacking).toMatchObject({ exitCode: 1, stderr: '' });
  const { exitCode } = await runCommand(environment, 'organizations', 'list');
  expect([exitCode, process.exitCode]).toEqual([0, before]);
});

test('both command lines say the version of the service', async () => {
  const said = await Promise.all([runCommand({}, '--version'), runDatabaseCommand({}, '--version')]);
  const result = { exitCode: 0, stdout: `${packageVersion()}\n`, stderr: '' };
  expect(said).toEqual([result, result]);
});

test('help is as wide as the terminal, and 80 characters where there is none', async () => {
  const widest = async (terminal: { isTTY?: boolean; columns?: number }) => {
    const io = collectingIo(environment);
    await runCommandLine(['--help'], { ...io, stdout: Object.assign(io.stdout, terminal) });
    return Math.max(...io.stdout.text.split('\n').map((line) => line.length));
  };
  expect(await widest({})).toBeLessThanOrEqual(80);
  expect(await widest({ columns: 200 })).toBeLessThanOrEqual(80);
  expect(await widest({ isTTY: true, columns: 200 })).toBeGreaterThan(80);
});
