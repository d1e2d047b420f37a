import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { DYNAMIC, FEED_IN, planFile } from '../../tariffs/plans/plan-file.ts';
import { runCommand } from '../command-line.ts';

const PLAN_ID = newId('pln');

let database: TestDatabase;
let environment: Record<string, string>;
let organization: string;
let folder: string;
let file: string;

const why = ['--reason', 'ticket 17', '--staff', 'ada'];

beforeAll(async () => {
  database = await createTestDatabase();
  await insertReferenceRows({ database });
  environment = testEnvironment(database, 'redis://127.0.0.1:1');
  const made = await runCommand(environment, 'organizations', 'create', '--name', 'A', ...why, '--json');
  organization = (JSON.parse(made.stdout) as { id: string }).id;
  folder = await mkdtemp(join(tmpdir(), 'voltstream-plans-'));
  file = join(folder, 'plans.csv');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database?.drop();
});

const run = (...args: string[]) => runCommand(environment, 'plans', ...args);

test('plans import stores a file, plans list shows it with the price of today', async () => {
  await writeFile(file, planFile(DYNAMIC, { ...FEED_IN, id: PLAN_ID }));
  const imported = await run('import', file, '--organization', organization, '--json');
  expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(imported.stdout)).toEqual([
    { id: expect.stringMatching(/^pln_/), slug: 'dynamisch', state: 'created' },
    { id: PLAN_ID, slug: 'einspeisung', state: 'created' },
  ]);
  const listed = await run('list', '--organization', organization, '--json');
  expect(JSON.parse(listed.stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ slug: 'dynamisch', type: 'consumption', price: 5.95, status: 'active' }),
      expect.objectContaining({ id: PLAN_ID, type: 'feed_in', price: 2.98 }),
    ]),
  );
  expect((await run('list', '--organization', organization)).stdout).toMatch(
    /^id +slug +type +status +price/,
  );
});

test('a file with errors changes nothing: exit code 1, one line per error', async () => {
  await writeFile(file, planFile({ ...DYNAMIC, slug: 'new', base_fee_net: 'x' }, { ...DYNAMIC, type: 'y' }));
  const result = await run('import', file, '--organization', organization);
  expect(result).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: [
      'plans.csv:2 base_fee_net "x": Not a plain decimal number (12.34)',
      'plans.csv:3 type "y": Accepted: consumption, feed_in',
      '',
    ].join('\n'),
  });
  const listed = await run('list', '--organization', organization, '--json');
  expect(JSON.parse(listed.stdout)).toHaveLength(2);
});

test('an unknown organization and a missing file are said; the only organization need not be named', async () => {
  const unknown = 'org_000000000000000000000000';
  const foreign = await run('import', file, '--organization', unknown);
  expect(foreign).toMatchObject({ exitCode: 1, stderr: `There is no organization ${unknown}\n` });
  expect(await run('import', file)).toEqual(await run('import', file, '--organization', organization));
  const missing = await run('import', `${file}.gone`, '--organization', organization);
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('The file cannot be read')]);
});
