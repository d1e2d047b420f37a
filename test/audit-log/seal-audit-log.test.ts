import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealAuditLog } from '../../src/audit-log/seal.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let lines: string[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'seal-test',
    connectionsMax: 2,
    onError: () => {},
  });
  lines = [];
});

afterEach(async () => {
  await database.close();
  await testDatabase.drop();
});

async function asAdmin<Row>(text: string): Promise<Row[]> {
  return withDatabaseClient(
    testDatabase.adminUrl,
    async (client) => (await client.query(text)).rows as Row[],
  );
}

async function addRows(daysAgo: number, count: number): Promise<void> {
  await asAdmin(`INSERT INTO audit_log (at, act, object_id, result)
                 SELECT date_trunc('day', now() - interval '10 minutes', 'UTC') - interval '${daysAgo} days' + interval '10 hours', 'asset.create',
                        'ast_' || number, 'done' FROM generate_series(1, ${count}) AS number`);
}

async function seal() {
  const log = createLogger({
    level: 'info',
    name: 'seal',
    destination: { write: (line) => void lines.push(line) },
  });
  return sealAuditLog(
    { database, metrics: createMetrics({ runtime: false }) },
    { log, signal: new AbortController().signal },
  );
}

interface SealRow {
  day: string;
  rows: string;
  hash: string;
  previous: string | null;
}

const listSeals = () =>
  asAdmin<SealRow>(`SELECT day::text, rows, encode(hash, 'hex') AS hash, encode(previous_hash, 'hex') AS previous
                      FROM audit_seals ORDER BY day`);

const problems = () =>
  asAdmin<{ problem: string }>(`SELECT problem FROM audit_seal_problems('2000-01-01', '2100-01-01')`);

test('every day that is over is sealed, empty ones too, each with the hash of the day before', async () => {
  await addRows(4, 3);
  await addRows(2, 1);
  await addRows(0, 5);
  expect(await seal()).toMatchObject({ sealed: 4, broken: 0 });
  const seals = await listSeals();
  expect(seals.map((row) => Number(row.rows))).toEqual([3, 0, 1, 0]);
  expect(seals.map((row) => row.previous)).toEqual([null, ...seals.slice(0, -1).map((row) => row.hash)]);
  expect(await problems()).toEqual([]);
  expect(await seal()).toEqual({ sealed: 0, broken: 0 });
});

test('after a long stop each day is sealed by itself: what is done stays done', async () => {
  await addRows(40, 1);
  expect(await seal()).toMatchObject({ sealed: 40 });
  const [transactions] = await asAdmin<{ count: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS count FROM audit_seals',
  );
  expect(transactions?.count).toBe(40);
});

test('the head of the chain goes into the log, outside the database', async () => {
  await addRows(1, 2);
  await seal();
  const [head] = await listSeals();
  expect(lines.join('')).toContain(head?.hash);
});

test.each([
  [
    'a row that was changed',
    `UPDATE audit_log SET result = 'refused' WHERE object_id = 'ast_2'`,
    /not those/,
  ],
  [
    'a row that was removed',
    `DELETE FROM audit_log WHERE object_id = 'ast_2'`,
    /3 rows were sealed, 2 are there/,
  ],
  [
    'a row that was added later',
    `INSERT INTO audit_log (at, act, result) SELECT at, act, result FROM audit_log LIMIT 1`,
    /3 rows were sealed, 4 are there/,
  ],
])('%s is noticed before the next seal is put on top', async (_what, change, expected) => {
  await addRows(1, 3);
  await seal();
  await asAdmin(change);
  expect(await seal()).toMatchObject({ broken: 1 });
  expect(lines.join('')).toContain('audit log was changed after sealing');
  expect((await problems())[0]?.problem).toMatch(expected);
});

test('rows and seal changed together break the chain to the next day', async () => {
  await addRows(3, 2);
  await seal();
  await asAdmin(`DELETE FROM audit_log WHERE object_id = 'ast_1'`);
  await asAdmin(`UPDATE audit_seals AS seal SET rows = now_there.rows, hash = now_there.hash
                   FROM audit_seals AS old CROSS JOIN LATERAL audit_day_hash(old.day, old.previous_hash) AS now_there
                  WHERE seal.day = old.day AND old.rows = 2`);
  expect((await problems()).map((row) => row.problem)).toEqual([
    'does not continue the seal of the day before',
  ]);
});

test('two seal jobs at once make each seal once', async () => {
  await addRows(9, 1);
  const results = await Promise.all([seal(), seal()]);
  expect(results.reduce((sum, result) => sum + Number(result.sealed), 0)).toBe(9);
  expect(await listSeals()).toHaveLength(9);
});

test('the service can neither read rows nor change seals', async () => {
  await addRows(1, 1);
  await seal();
  for (const text of [
    'SELECT audit_day_hash(current_date, NULL)',
    'DELETE FROM audit_seals',
    'SELECT 1 FROM audit_log',
  ]) {
    await expect(database.withClient((client) => client.query(text))).rejects.toMatchObject({
      code: '42501',
    });
  }
});
