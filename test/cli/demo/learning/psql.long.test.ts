import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LearnerFacts } from '../../../../src/cli/local/facts.ts';
import { revokeAnalyst } from '../../../../src/governance/analysts/service.ts';
import { readDictionary } from '../../../../src/pages/docs/dictionary.ts';
import { openDatabase } from '../../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { testEnvironment } from '../../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { learningAct } from '../../../setup/learning.ts';
import { type Clone, makeClone } from '../../start/clone.ts';

let database: TestDatabase;
/** Where `npm start` has been: its addresses are known. */
let clone: Clone;

beforeAll(async () => {
  database = await createTestDatabase();
  clone = await makeClone();
  const known = {
    ...testEnvironment(database, 'redis://127.0.0.1:1'),
    DATABASE_OWNER_URL: database.ownerUrl,
    PRICES_SOURCES: 'synthetic',
  };
  const lines = Object.entries(known).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(clone.folder, '.data/local.env'), lines.join(''));
});
afterAll(async () => {
  await forgetLearner();
  await clone?.remove();
  await database?.drop();
});

const learnerFile = () => readFile(join(clone.folder, '.data/learner.json'), 'utf8');

/** Roles belong to the server, which other tests share. */
async function forgetLearner(): Promise<void> {
  const text = await learnerFile().catch(() => null);
  if (text === null) return;
  const { username } = new URL((JSON.parse(text) as LearnerFacts).analyst_url);
  const owner = openDatabase({
    url: database.ownerUrl,
    applicationName: 'test',
    connectionsMax: 1,
    onError: () => {},
  });
  await revokeAnalyst(
    { database: owner, ownerUrl: database.ownerUrl },
    username.replace('voltstream_analyst_', ''),
    learningAct,
  );
  await owner.close();
}

test('before there are learning data, psql as the learner says what makes them; without a start, as an analyst, how other accounts are opened', () => {
  expect(clone.shell('npm run -s db -- psql --as analyst')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('psql "ADDRESS", with what npm run cli -- analysts create printed'),
  });
  expect(clone.shell('npm run -s db -- psql --as learner')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'No learning data are known here: npm run learn\n',
  });
});

test('the line that npm run learn ends with asks a question of the cookbook, as an analyst', async () => {
  const learned = clone.shell('npm run -s learn');
  expect([learned.status, learned.stderr]).toEqual([0, '']);
  const line = learned.stdout.trim().split('\n').at(-1) ?? '';
  expect(line).toMatch(/^npm run -s db -- psql --as learner -f sql\/queries\/02-/);
  const answer = clone.shell(line);
  expect([answer.status, answer.stderr]).toEqual([0, '']);
  const cells = (text: string) => text.split('|').map((cell) => cell.trim());
  const shown = answer.stdout.split('\n').filter((row) => row.includes('dom_learning'));
  const [, file = ''] = /-f (\S+)/.exec(line) ?? [];
  const sample = (await readFile(join(clone.folder, file), 'utf8'))
    .split('\n')
    .filter((row) => row.startsWith('--   dom_learning'));
  expect(shown).toHaveLength(30);
  expect(shown.slice(0, sample.length).map(cells)).toEqual(sample.map((row) => cells(row.replace('--', ''))));
});

test('psql as the learner reads the views of the learning data alone, and changes nothing', () => {
  const ask = (statement: string) => clone.shell(`npm run -s db -- psql --as learner -At -c "${statement}"`);
  const who = ask('select current_user, current_schema, (select count(*) from households)');
  expect(who.stdout).toMatch(
    /^voltstream_analyst_learner_\w{10}\|analytics_org_learning0000000000000000\|6\n$/,
  );
  expect(ask('select 1 from public.households').stderr).toContain('permission denied for schema public');
  expect(ask('create view mine as select 1').stderr).toContain('read-only transaction');
});

const hasTerminal = ['script', 'env'].every((name) => spawnSync(name, ['--version']).status === 0);

test.skipIf(!hasTerminal)('at login on a terminal psql lists every view, and says how to leave', async () => {
  const typed = String.raw`printf '%s\n' '\! printenv LESS' '\q'`;
  const { status, stdout } = clone.shell(
    `${typed} | env -u LESS script -qec 'npm run -s db -- psql --as learner' /dev/null`,
  );
  expect(status).toBe(0);
  const lines = stdout.split(/\r?\n/);
  const entries = await withDatabaseClient(database.ownerUrl, readDictionary);
  for (const { name, comment } of entries.filter(({ columns }) => columns.length > 0)) {
    const line = lines.find((text) => text.startsWith(`${name} `)) ?? '';
    expect([name, line.slice(name.length).trim()]).toEqual([name, expect.stringMatching(/^\w/)]);
    expect(comment.startsWith(line.slice(name.length).trim().slice(0, 12))).toBe(true);
  }
  expect(stdout).toContain('q leads back');
  expect(lines).toContain('-SX -PsArrows scroll, q leads back to psql$');
});
