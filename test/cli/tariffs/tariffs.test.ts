import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { testEnvironment } from '../../setup/api.ts';
import {
  feeLine,
  operatorLine,
  takeReferenceStore,
  vatLine,
  zipLine,
} from '../../tariffs/reference-data/reference-store.ts';
import { collectingIo, runCommand, runTypedCommand } from '../command-line.ts';

const store = await takeReferenceStore();
const environment = testEnvironment(store.testDatabase, 'redis://127.0.0.1:1');
const run = (...args: string[]) => runCommand(environment, 'tariffs', ...args);

const FILES = {
  vat_rates: [vatLine('0.19', '2021-01-01')],
  grid_operators: [operatorLine('alpha')],
  grid_fees: [feeLine('alpha', '7.50', '2026-01-01', '2027-01-01')],
  zip_areas: [zipLine('04109', 'alpha')],
};

describe('the files of the project', () => {
  let imported: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    await store.reset();
    imported = await run('import');
  });

  test('zips says of several who serves them, or why not', async () => {
    const { exitCode, stdout } = await run(
      'zips',
      '--zip',
      '10115',
      '00000',
      '--date',
      '2026-11-21',
      '--json',
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { zip: '10115', is_served: true, operator: 'stromnetz-berlin', reason: null },
      { zip: '00000', is_served: false, operator: null, reason: 'no operator is known for it' },
    ]);
    const wrong = await run('zips', '--zip', '10115', '1011', '--json');
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('--zip 1011: It must be five digits.');
  });

  test('without a folder the files of the project are imported; a day is checked and a zip is shown', async () => {
    expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
    expect(imported.stdout.split('\n')[0]).toMatch(
      /^table +rows +inserted +changed +equal +missing +removed$/,
    );
    expect(imported.stdout).toMatch(/^zip_areas +121 +121 +0 +0 +0 +0$/m);

    const checked = await run('check', '--date', '2027-01-01', '--json');
    expect(checked.exitCode).toBe(1);
    expect(JSON.parse(checked.stdout)).toContainEqual({
      ...{ state: 'carried_forward', table: 'grid_fees', keys: 42, used: 35, rows: 42 },
      ...{ ended_on: '2027-01-01', first_key: 'allgaeunetz' },
    });
    const byKey = await run('check', '--date', '2027-01-01', '--keys', '--json');
    expect(JSON.parse(byKey.stdout)).toContainEqual({
      ...{ state: 'carried_forward', table: 'grid_fees', key: 'westnetz', is_used: true, rows: 1 },
      ended_on: '2027-01-01',
    });

    const shown = await run('show', '04109', '--date', '2026-11-21', '--json');
    expect(shown.exitCode).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      zip: '04109',
      operator: 'netz-leipzig',
      concession_class: 'T4',
    });
    const shownText = (await run('show', '10115', '--date', '2026-11-21')).stdout;
    expect(shownText).toMatch(/^operator +stromnetz-berlin$/m);
    expect(shownText).toMatch(/^levy kwkg +0.446 +ct\/kWh net +levies +kwkg +2026-01-01 +2027-01-01 +no /m);
    const compared = await run('weights', 'westnetz');
    expect(compared.stdout).toMatch(/^westnetz +2026-01-01 +2026 +low +0.1910 +0.19\d\d +\S+$/m);
    expect(compared.stdout.trim().split('\n')).toHaveLength(4);
    expect((await run('check', '--keys', '--date', '2026-11-21')).stdout).toMatch(
      /^provisional +grid_fees +bonn-netz +yes +1 +-$/m,
    );
  });

  test('a check names each table once, and ends with 1 where a quote of the day would lack a row', async () => {
    /* Of all tables of the project only grid fees of an operator without a zip are lacking: nobody needs them. */
    const today = await run('check', '--date', '2026-11-21');
    expect(today.stdout).toMatch(/^missing +grid_fees +6 +0 +6 +- +creos-deutschland$/m);
    expect(today.exitCode).toBe(0);
    expect((await run('check', '--date', '2026-12-31')).exitCode).toBe(0);
    expect((await run('check', '--date', '2027-01-01')).exitCode).toBe(1);
    expect((await run('check', '--date', '2028-01-03')).stdout).toMatch(/^missing +levies +3 +3 /m);

    const zips = Array.from({ length: 300 }, (_, index) => zipLine(String(10_000 + index), 'alpha'));
    await store.reset({
      grid_operators: [operatorLine('alpha'), operatorLine('beta')],
      grid_fees: [
        feeLine('alpha', '7.50', '2026-01-01'),
        feeLine('beta', '8.00', '2026-01-01', '2027-01-01'),
      ],
      zip_areas: zips.map((line) => line.replace('2026-01-01,,register,2026-01-01', '2026-01-01,,register,')),
    });
    const { stdout } = await run('check', '--date', '2026-12-31');
    expect(stdout).toMatch(/^unchecked +zip_areas +300 +300 +300 +- +10000$/m);
    const named = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/).slice(0, 2).join(' '));
    expect(new Set(named).size).toBe(named.length);
  });
});

test('files with problems end with 1, one line for each, and nothing is stored', async () => {
  await store.reset();
  const folder = await store.folderOf({
    ...FILES,
    grid_fees: [feeLine('alpha', '-7.50', '2026-01-01'), feeLine('beta', '7.50', '2026-01-01')],
  });
  const result = await run('import', '--dir', folder);
  expect(result).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: [
      'grid_fees.csv:2 working_ct_net "-7.50": must not be negative',
      'grid_fees.csv:3 operator "beta": is unknown: grid_operators has no such operator',
      'Nothing was stored: 2 problems\n',
    ].join('\n'),
  });
  const asObject = await run('import', '--dir', folder, '--json');
  expect(asObject.exitCode).toBe(1);
  expect((JSON.parse(asObject.stdout) as { problems: unknown[] }).problems).toHaveLength(2);
  expect(await store.rows('SELECT FROM vat_rates')).toEqual([]);
});

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('voltstream reference data', 0))`;

test('files are checked before the turn of their import has come: another one under way stops no check', async () => {
  await store.reset();
  const bad = await store.folderOf({ ...FILES, grid_fees: [feeLine('alpha', '-7.50', '2026-01-01')] });
  const good = await store.folderOf(FILES);
  await withDatabaseClient(store.testDatabase.adminUrl, async (client) => {
    await client.query(`BEGIN; ${LOCK}`);
    expect((await run('import', '--dir', bad)).stderr).toContain('must not be negative');
    expect((await run('import', '--dir', good, '--dry-run')).stdout).toContain('this was a dry run');
    await client.query('ROLLBACK');
  });
});

test('what changed since the check is checked again: nothing is stored beside it', async () => {
  await store.reset(FILES);
  const folder = await store.folderOf({ vat_rates: [vatLine('0.20', '2022-01-01', '2023-01-01')] });
  await store.rows(`UPDATE vat_rates SET valid_to = '2022-01-01'`);
  await withDatabaseClient(store.testDatabase.adminUrl, async (client) => {
    await client.query(`BEGIN; ${LOCK}`);
    const importing = run('import', '--dir', folder);
    /* It waits for its turn, so it has checked: a row of the same days comes in now. */
    await expect.poll(() => store.rows(WAITING)).not.toEqual([]);
    await client.query(`UPDATE vat_rates SET valid_to = NULL; COMMIT`);
    expect(await importing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('overlap') });
  });
  expect(await store.rows('SELECT rate::text FROM vat_rates')).toEqual([{ rate: '0.19' }]);
});

/** The command asks for the lock again and again, so its last statement is that. */
const WAITING = `
  SELECT FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'voltstream-cli' AND query LIKE '%pg_try_advisory_xact_lock%'
     AND pid <> pg_backend_pid()`;

test('a command that waits for a lock in vain says so in words of its own', async () => {
  await store.reset(FILES);
  await withDatabaseClient(store.testDatabase.adminUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE vat_rates IN ACCESS EXCLUSIVE MODE');
    const result = await run('check');
    await client.query('ROLLBACK');
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toMatch(/^Somebody else has held what the command needs for more than 3 s\./);
  });
});

test('warnings are printed and stop nothing; missing rows are listed, pruned ones removed', async () => {
  await store.reset(FILES);
  const line = 'alpha,75.00,7.50,200,,no,2026-01-01,2027-01-01,price sheet,';
  const folder = await store.folderOf({ grid_fees: [line], zip_areas: [zipLine('04103', 'alpha')] });
  const first = await run('import', '--dir', folder);
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toBe(
    'warning: grid_fees.csv:2 module_1_eur_year_net "200": is far from the formula, which gives 123.48\n',
  );
  expect(first.stdout).toContain('stored, not in the file: zip_areas 04109 alpha from 2026-01-01\n');
  const dry = await run('import', '--dir', folder, '--table', 'zip_areas', '--prune', '--dry-run');
  expect(dry.stdout).toMatch(/removed: zip_areas 04109 .*\nNothing was stored: this was a dry run\n$/);
  expect(await store.rows('SELECT FROM zip_areas')).toHaveLength(2);
  const pruned = await run(
    'import',
    '--dir',
    folder,
    '--table',
    'zip_areas',
    '--prune',
    '--yes',
    '--reason',
    'merger',
  );
  expect(pruned).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await store.rows('SELECT zip FROM zip_areas')).toEqual([{ zip: '04103' }]);
  expect(await store.rows('SELECT reason FROM audit_log ORDER BY id DESC LIMIT 1')).toEqual([
    { reason: 'merger' },
  ]);
});

test('rows that would be pruned are named, and go when their number is typed', async () => {
  await store.reset(FILES);
  const folder = await store.folderOf({ zip_areas: [zipLine('04103', 'alpha')] });
  const prune = ['import', '--dir', folder, '--prune', '--json'];
  const asking = 'to be removed: zip_areas 04109 alpha from 2026-01-01\nType 1 to go on: ';
  for (const typed of ['', 'y\n']) {
    const kept = await runTypedCommand(environment, typed, 'tariffs', ...prune);
    expect(kept).toMatchObject({ exitCode: 1, stdout: '', stderr: `${asking}Nothing was stored\n` });
    expect(await store.rows('SELECT zip FROM zip_areas')).toEqual([{ zip: '04109' }]);
  }
  const pruned = await runTypedCommand(environment, '1\n', 'tariffs', ...prune);
  expect(pruned).toMatchObject({ exitCode: 0, stderr: asking });
  expect(JSON.parse(pruned.stdout)).toMatchObject({
    problems: [],
    tables: [{ removed: ['04109 alpha from 2026-01-01'] }],
  });
  expect(await store.rows('SELECT zip FROM zip_areas')).toEqual([{ zip: '04103' }]);
  const nothingToPrune = await run(...prune);
  expect(nothingToPrune).toMatchObject({ exitCode: 0, stderr: '' });
});

/** Types 1 when it is asked, behind what happens meanwhile. */
async function pruneAsked(meanwhile: () => Promise<unknown>) {
  const folder = await store.folderOf({ zip_areas: [zipLine('04103', 'alpha')] });
  const io = collectingIo(environment);
  async function* typing() {
    await meanwhile();
    yield Buffer.from('1\n');
  }
  const words = ['tariffs', 'import', '--dir', folder, '--prune'];
  const exitCode = await runCommandLine(words, { ...io, stdin: Readable.from(typing()) });
  return { exitCode, stderr: io.stderr.text };
}

test('only rows that were named are pruned: where others would go by then, nothing is stored', async () => {
  await store.reset(FILES);
  const refused = await pruneAsked(() => store.import({ zip_areas: [zipLine('04105', 'alpha')] }));
  expect(refused).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('other rows would be removed than were named. Nothing was stored'),
  });
  expect(await store.rows('SELECT zip FROM zip_areas ORDER BY zip')).toEqual([
    ...[{ zip: '04105' }, { zip: '04109' }],
  ]);
});

test('rows are pruned at the moment of the answer, not of the question', async () => {
  await store.reset(FILES);
  const at = async (what: string) => Number((await store.rows<{ at: Date }>(`SELECT ${what} AS at`))[0]?.at);
  let answered = Number.NaN;
  const pruned = await pruneAsked(async () => {
    await wait(300);
    answered = await at('clock_timestamp()');
  });
  expect(pruned.exitCode).toBe(0);
  /* The clock of the process may be behind that of the database by as little as this. */
  expect(await at('(SELECT max(changed_at) FROM reference_changes)')).toBeGreaterThan(answered - 100);
});

test.each([
  [['import', '--dir', '/nowhere-at-all'], 1, 'The folder /nowhere-at-all cannot be read'],
  [['import', '--table', 'zips'], 2, "argument 'zips' is invalid. Allowed choices are vat_rates"],
  [['show', '00001'], 1, 'no operator is known for it'],
  [['show', '123'], 2, 'It must be five digits'],
  [['show'], 2, 'missing required argument'],
  [['weights', '--date', '2026-13-01'], 2, 'It must be a day as YYYY-MM-DD'],
  [['check', '--date', '2026-02-30'], 2, 'It must be a day as YYYY-MM-DD'],
  [['import', '--force'], 2, "unknown option '--force'"],
])('%j ends with %i', async (args, exitCode, sentence) => {
  const result = await run(...args);
  expect(result).toMatchObject({ exitCode, stdout: '' });
  expect(result.stderr).toContain(sentence);
});
