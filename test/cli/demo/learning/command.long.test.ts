import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../../scripts/data-folder.mjs';
import { findOrMakeLearner } from '../../../../src/cli/demo/learning/account.ts';
import { revokeAnalyst } from '../../../../src/governance/analysts/service.ts';
import { openDatabase } from '../../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { testEnvironment } from '../../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { learningAct } from '../../../setup/learning.ts';
import { nodeEnvironment } from '../../../setup/node-environment.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ referenceData: true });
});
afterAll(() => database?.drop());

const learnNow = async (given: Record<string, string> = {}) => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(projectFolder, 'src/cli/demo/learn.ts')],
    {
      env: {
        ...nodeEnvironment(),
        ...testEnvironment(database, 'redis://127.0.0.1:1'),
        PRICES_SOURCES: 'synthetic',
        ...given,
      },
    },
  );
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n');
};

test('npm run learn stores households, prices and their sums, and says how to read them', async () => {
  const said = await learnNow();
  expect(said.slice(0, 5)).toEqual([
    'org_learning0000000000000000: 6 invented households, 2026-10-10 to 2026-11-08',
    'snapshots: 190,206 stored, 2,016 sent again and known',
    'prices: invented, for 30 days',
    'contracts: 2, invented, with leads, usage and bills',
    'sums by quarter hour: made',
  ]);
  expect(said.slice(5, 7)).toEqual([
    expect.stringMatching(/^\d+\.\d s\. An account to read it:$/),
    expect.stringContaining('analysts create learner --organization org_learning0000000000000000'),
  ]);
  /* Its account brings the views of its organization along. */
  const account = await findOrMakeLearner({ ownerUrl: database.ownerUrl, known: undefined }, learningAct);
  const { rows } = await withDatabaseClient(account, (client) =>
    client.query(
      `SELECT count(DISTINCT household)::int AS households, count(ct_kwh) > 13000 AS is_priced, bool_and(is_synthetic) AS is_synthetic
         FROM energy_cost`,
    ),
  );
  expect(rows).toEqual([{ households: 5, is_priced: true, is_synthetic: true }]);
});

test('npm run learn prints no log lines, also where prices of its days were stored before', async () => {
  await withDatabaseClient(database.adminUrl, (client) =>
    client.query(
      `UPDATE price_revisions SET amount = amount + 1 WHERE interval_start = '2026-10-12 12:00:00+02'`,
    ),
  );
  const said = await learnNow({ LOG_LEVEL: 'info' });
  expect(said[2]).toBe('prices: invented, for 30 days');
});

test('without a database it says so', async () => {
  const nowhere = learnNow({ DATABASE_URL: 'postgres://voltstream_app:x@127.0.0.1:1/voltstream' });
  await expect(nowhere).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The database cannot be reached: .*ECONNREFUSED/),
  });
});

test('the account of the learning data stays while it opens, and has a new password when it is lost', async () => {
  const { ownerUrl } = database;
  const first = await findOrMakeLearner({ ownerUrl, known: undefined }, learningAct);
  const nameOf = (url: string) => new URL(url).username;
  try {
    expect(await findOrMakeLearner({ ownerUrl, known: first }, learningAct)).toBe(first);
    const { rows } = await withDatabaseClient(first, (client) =>
      client.query('SELECT count(*)::int AS households FROM households'),
    );
    expect(rows).toEqual([{ households: 6 }]);
    const second = await findOrMakeLearner({ ownerUrl, known: undefined }, learningAct);
    expect(nameOf(second)).toBe(nameOf(first));
    await expect(withDatabaseClient(first, (client) => client.query('SELECT'))).rejects.toMatchObject({
      code: '28P01',
    });
  } finally {
    const owner = openDatabase({
      url: ownerUrl,
      applicationName: 'test',
      connectionsMax: 1,
      onError: () => {},
    });
    const name = nameOf(first).replace('voltstream_analyst_', '');
    await revokeAnalyst({ database: owner, ownerUrl }, name, learningAct);
    await owner.close();
  }
});
