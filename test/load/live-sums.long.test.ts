import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withLiveSums } from '../../load/growth/live-sums.ts';
import { answerOf, cookbook } from '../../scripts/cookbook.ts';
import { LEARNING_ORGANIZATION, LEARNING_SPAN } from '../../src/cli/demo/learning/households.ts';
import { Accounts } from '../governance/analysts/account.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { storeLearningData, sumLearningData } from '../setup/learning.ts';

/** Of a household, of a day, and what is missing: the others compute a hundred thousand quarter hours. */
const ASKED = /^(02|06|11|15)-/;

let database: TestDatabase;
let accounts: Accounts;
let admin: pg.Client;
let analyst: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await storeLearningData(database);
  await sumLearningData(database);
  accounts = new Accounts(database);
  analyst = await accounts.connect((await accounts.make(LEARNING_ORGANIZATION.id)).address);
});
afterAll(async () => {
  await accounts?.close();
  await admin?.end();
  await database?.drop();
});

test('questions have the same answer from kept sums and from snapshots alone', {
  timeout: 300_000,
}, async () => {
  const queries = (await cookbook()).filter(({ name }) => ASKED.test(name));
  const answers = async () => {
    const found: Record<string, unknown> = {};
    for (const query of queries) found[query.name] = await answerOf(analyst, query);
    return found;
  };
  const kept = await answers();
  const begins = new Date(LEARNING_SPAN.begins * 1000).toISOString();
  const live = await withLiveSums(admin, begins, async () => {
    /* What is computed while it is read needs no sums. */
    await admin.query('DELETE FROM asset_quarter_hours');
    return await answers();
  });
  expect(live).toEqual(kept);
  expect(await answers()).not.toEqual(kept);
});
