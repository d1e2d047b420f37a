import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wordsOf } from '../../src/cli/batch.ts';
import { withCommandIo } from '../../src/cli/engine/io.ts';
import { newId } from '../../src/platform/ids.ts';
import { berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { moduleType, Reductions } from '../contracts/grid-fee-reductions/reductions.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createHousehold, createTenant } from '../setup/factories.ts';
import { auditRows, storedRows } from '../setup/stored-rows.ts';
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

test('a line whose act stands is already entered, and alone the command says so', async () => {
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
  expect(first.stdout).toMatch(/^line 2: already entered \(\d+ ms\): /m);
  expect(first.stdout).toMatch(/\n2 lines: 1 ok, 1 already entered, 0 failed, 0 not run\.\n$/);
  expect(await runCommand(environment, ...line)).toMatchObject({
    ...{
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/\nAlready entered: nothing was changed\.\n$/),
    },
  });
});

test("the day's file runs again when a line was mended: what stands is entered, what contradicts it fails", async () => {
  const reductions = await Reductions.start(new Date().toISOString());
  const [first, second, ended] = [
    await reductions.active(),
    await reductions.active(),
    await reductions.active(),
  ];
  const unconfirmed = await reductions.pending();
  const confirmed = await reductions.active();
  const analog = await reductions.active({ meter_type: 'analog', meter_number: 'OLD1' });
  const refused = await reductions.stored(first, moduleType(1), 'ordered');
  const taken = await reductions.stored(second, moduleType(2), 'ordered');
  const over = await reductions.stored(ended, moduleType(2), 'activated', {
    valid_from: berlinMidnight('2026-03-01'),
  });
  const order = newId('prdo');
  await storedRows(
    api,
    `INSERT INTO meter_orders (organization_id, customer_id, subscription_id, id, product, provider, status, unblocked_status)
     VALUES ($1, $2, $3, $4, 'smart-meter-partner-b', 'partner-b', 'waiting', 'waiting')`,
    [reductions.organization, first.place.customer, first.id, order],
  );
  const ofDay = (told: { from: string; closing: string; number: string; value: string; start: string }) => [
    `subscriptions confirm ${confirmed.id} --start-on ${told.start} --reason 'message 1'`,
    `subscriptions reject ${unconfirmed.id} --reason 'message 2'`,
    `subscriptions terminate ${ended.id} ORDINARY --reason 'message 3'`,
    `grid-fee-reductions accept ${taken} --valid-from ${told.from} --reason 'message 4'`,
    `grid-fee-reductions reject ${refused} --reason 'message 5'`,
    `grid-fee-reductions end ${over} --valid-until 2026-04-01 --reason 'message 6'`,
    `meter-readings add ${analog.id} --date 2026-02-01 --value ${told.value} --reason 'message 7'`,
    `meters exchange ${analog.meter} --on 2026-03-01 --number ${told.number} --closing ${told.closing} --opening 0.5 --reason 'message 8'`,
    `meter-orders move ${order} ordered --reason 'mail 9'`,
    `meter-orders move ${order} checked --reason 'mail 10'`,
  ];
  const told = { from: '2026-04-01', closing: '1300.5', number: 'NEW1', value: '1200', start: '2025-01-01' };
  const done = await batch(ofDay(told), '--json');
  expect([done.exitCode, ...outcomes(done)]).toEqual([0, 'already entered', ...Array(9).fill('ok')]);
  const again = await batch(ofDay(told), '--json');
  expect([again.exitCode, ...outcomes(again)]).toEqual([0, ...Array(10).fill('already entered')]);

  const other = { from: '2026-05-01', closing: '1301', number: 'NEW1', value: '1201', start: '2025-02-01' };
  const contradicting = await batch(ofDay(other), '--keep-going', '--json');
  expect([contradicting.exitCode, ...outcomes(contradicting)]).toEqual([
    ...[1, 'subscription: Only a pending subscription can be confirmed; this one is active'],
    ...['already entered', 'already entered'],
    'status: Only what is ordered can be accepted; this reduction is activated',
    ...['already entered', 'already entered'],
    'timestamp: A reading for this day exists',
    'on: It was entered with other readings or another type: correct the exchange',
    ...['already entered', 'already entered'],
  ]);
  await reductions.close();
});

/** Of each line: its problem where it has one. */
function outcomes({ stdout }: { stdout: string }): string[] {
  const { results } = JSON.parse(stdout) as { results: { result: string; problem: string | null }[] };
  return results.map(({ result, problem }) => problem ?? result);
}

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
