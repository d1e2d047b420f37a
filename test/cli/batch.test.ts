import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordsOf } from '../../src/cli/batch.ts';
import { withCommandIo } from '../../src/cli/engine/io.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createHousehold, createTenant } from '../setup/factories.ts';
import { auditRows } from '../setup/stored-rows.ts';
import { collectingIo, runCommand } from './command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
let organization: string;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL } = api.deps.config;
  environment = { APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL };
  ({ organization } = await createTenant(api));
  folder = await mkdtemp(join(tmpdir(), 'voltstream-batch-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await api?.close();
});

async function batch(lines: readonly string[], ...options: string[]) {
  const file = join(folder, 'lines.txt');
  await writeFile(file, `${lines.join('\n')}\n`);
  return await runCommand(environment, 'batch', file, ...options);
}

const create = (name: string) =>
  `clients create --name '${name}' --organization ${organization} --reason "batch's"`;

const clientNames = async () => {
  const { stdout } = await runCommand(
    environment,
    'clients',
    'list',
    '--organization',
    organization,
    '--json',
  );
  return (JSON.parse(stdout) as { display_name: string }[]).map((row) => row.display_name);
};

test('each line is a command of its own, with its result and its output', async () => {
  const { exitCode, stdout, stderr } = await batch([
    '# what came today',
    '',
    create('first of two'),
    `  ${create('second')}  # as ordered`,
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/client_secret +ocs_\S+/);
  expect(stdout).toMatch(/^line 3: ok \(\d+ ms\): clients create --name 'first of two'/m);
  expect(stdout).toMatch(/^line 4: ok /m);
  expect(stdout).toMatch(/\n2 lines: 2 ok, 0 failed, 0 not run\.\n$/);
  expect(await clientNames()).toEqual(expect.arrayContaining(['first of two', 'second']));
  const reasons = (await auditRows(api, organization, 'client.create')).filter(
    ({ staff }) => staff !== 'tests',
  );
  expect(reasons).toMatchObject([{ reason: "batch's" }, { reason: "batch's" }]);
});

test('the first line that fails ends the batch; those before it stay done', async () => {
  const lines = [create('before'), `clients disable oac_${'0'.repeat(24)} --reason x`, create('behind')];
  const { exitCode, stdout } = await batch(lines, '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ lines: 3, ok: 1, failed: 1, not_run: 1 },
    results: [
      { line: 1, result: 'ok', problem: null },
      { line: 2, result: 'error', problem: expect.any(String) },
      { line: 3, result: 'not run' },
    ],
  });
  const names = await clientNames();
  expect([names.includes('before'), names.includes('behind')]).toEqual([true, false]);
});

test('a line whose act was entered before is unchanged, and alone the command says so', async () => {
  const { household } = await createHousehold(api.deps, organization);
  const line = [
    'households',
    'rename',
    household,
    '--display-name',
    'Gartenweg 3',
    '--organization',
    organization,
    '--reason',
    'x',
  ];
  const typed = line.map((word) => `'${word}'`).join(' ');
  const first = await batch([typed, typed]);
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toMatch(/^line 1: ok \(\d+ ms\): /m);
  expect(first.stdout).toMatch(/^line 2: unchanged \(\d+ ms\): /m);
  expect(first.stdout).toMatch(/\n2 lines: 1 ok, 1 unchanged, 0 failed, 0 not run\.\n$/);
  expect(await runCommand(environment, ...line)).toMatchObject({
    ...{ exitCode: 0, stderr: '', stdout: expect.stringMatching(/\nUnchanged: it was so before\.\n$/) },
  });
});

test('with --keep-going the lines behind it run as well', async () => {
  const lines = ['clients create', 'no-such-noun list', create('at the end')];
  const { exitCode, stdout } = await batch(lines, '--keep-going', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    results: [
      { result: 'error', problem: expect.stringContaining('--name') },
      { result: 'error', problem: expect.stringContaining('unknown command') },
      { result: 'ok' },
    ],
  });
  expect(await clientNames()).toContain('at the end');
});

test('a line that is not understood stops all before the first one runs', async () => {
  const { exitCode, stdout } = await batch([create('never'), 'clients create', 'batch other.txt'], '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout).results.map(({ result }: { result: string }) => result)).toEqual([
    'not run',
    'error',
    'error',
  ]);
  expect(await clientNames()).not.toContain('never');
});

test('a line whose options cannot be meant together is not understood, also by --dry-run', async () => {
  const lines = [create('never'), `clients update oac_${'0'.repeat(24)} --reason x`];
  for (const options of [['--json'], ['--json', '--dry-run']]) {
    const { exitCode, stdout } = await batch(lines, ...options);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      results: [{ result: 'not run' }, { result: 'error', problem: 'Nothing to change was named' }],
    });
  }
  expect(await clientNames()).not.toContain('never');
});

test('--dry-run stores nothing: commands that have it run with it, the others are only read', async () => {
  const { exitCode, stdout } = await batch(
    [create('dry'), 'prices backfill --from 2026-10-01 --to 2026-10-02 --json'],
    '--dry-run',
    '--json',
  );
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    results: [{ result: 'understood' }, { result: 'ok', output: expect.stringContaining('2026-10-02') }],
  });
  expect(await clientNames()).not.toContain('dry');
});

test.each([
  ['a b  c', ['a', 'b', 'c']],
  [`a 'b c' "d 'e'" f\\ g`, ['a', 'b c', "d 'e'", 'f g']],
  [`--x='1 2' ''`, ['--x=1 2', '']],
  ['"a\\"b" \'c\\d\' # rest', ['a"b', 'c\\d']],
  ['a#b $HOME *', ['a#b', '$HOME', '*']],
])('%s is read as a shell reads it, without its other signs', (text, words) => {
  expect(wordsOf({ number: 1, text })).toEqual(words);
});

test.each([
  ["a 'b", "opens '"],
  ['a\\', 'ends with a backslash'],
])('%s is refused', async (text, problem) => {
  const io = collectingIo({});
  const reading = withCommandIo(io, async () => void wordsOf({ number: 7, text }));
  await expect(reading).rejects.toThrow(`line 7 ${problem}`);
});
