import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedRows } from '../../setup/stored-rows.ts';
import { openSealedLog, type SealedLog } from './sealed-log.ts';

let audited: SealedLog;
beforeAll(async () => {
  audited = await openSealedLog();
});
beforeEach(() => audited.empty());
afterAll(() => audited?.close());

test('every day that is over is sealed, empty ones too, each with the hash of the day before', async () => {
  await audited.addRows(4, 3);
  await audited.addRows(2, 1);
  await audited.addRows(0, 5);
  expect(await audited.seal()).toMatchObject({ sealed: 4, broken: 0 });
  const seals = await audited.listSeals();
  expect(seals.map((row) => Number(row.rows))).toEqual([3, 0, 1, 0]);
  expect(seals.map((row) => row.previous)).toEqual([null, ...seals.slice(0, -1).map((row) => row.hash)]);
  expect(await audited.problems()).toEqual([]);
  expect(await audited.seal()).toEqual({ sealed: 0, compared: 4, broken: 0 });
});

test('after a long stop each day is sealed by itself: what is done stays done', async () => {
  await audited.addRows(20, 1);
  expect(await audited.seal()).toMatchObject({ sealed: 20 });
  const [transactions] = await audited.asAdmin<{ count: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS count FROM audit_seals',
  );
  expect(transactions?.count).toBe(20);
});

test('the head of the chain goes into the log, outside the database', async () => {
  await audited.addRows(1, 2);
  await audited.seal();
  const [head] = await audited.listSeals();
  expect(audited.logged()).toContain(head?.hash);
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
    `SET LOCAL session_replication_role = replica;
     INSERT INTO audit_log (at, act, result) SELECT at, act, result FROM audit_log LIMIT 1`,
    /3 rows were sealed, 4 are there/,
  ],
])('%s five days ago is noticed by the next night, and by the alarm', async (_what, change, expected) => {
  await audited.addRows(5, 3);
  await audited.seal();
  expect(await audited.alarm()).toBe(0);
  await audited.asAdmin(change);
  expect(await audited.seal()).toMatchObject({ broken: 1 });
  expect(audited.logged()).toContain('audit log was changed after sealing');
  expect(await audited.problems()).toEqual([
    { day: (await audited.listSeals())[0]?.day, problem: expect.stringMatching(expected) },
  ]);
  expect(await audited.alarm()).toBe(1);
});

test('the alarm lasts through nights in which the day is in no sample, and ends when its rows are as they were', async () => {
  await audited.addRows(50, 3);
  await audited.seal();
  await audited.asAdmin(`UPDATE audit_log SET result = 'refused' WHERE object_id = 'ast_2'`);
  expect(await audited.verify()).toEqual({ compared: 50, broken: 1 });
  for (let night = 0; night < 3; night++) expect(await audited.seal()).toMatchObject({ broken: 1 });
  expect(await audited.alarm()).toBe(1);
  await audited.asAdmin(`UPDATE audit_log SET result = 'done' WHERE object_id = 'ast_2'`);
  expect(await audited.seal()).toMatchObject({ broken: 0 });
  expect(await audited.alarm()).toBe(0);
});

test('a night compares 30 days and the newest at most, a week all of them', async () => {
  await audited.addRows(60, 1);
  await audited.seal();
  const { compared } = await audited.seal();
  expect(compared).toBeGreaterThanOrEqual(30);
  expect(compared).toBeLessThanOrEqual(31);
  expect(await audited.verify()).toEqual({ compared: 60, broken: 0 });
});

test('of days whose rows are past their 24 months the seals are left, and no alarm', async () => {
  await audited.addRows(760, 2);
  await audited.addRows(3, 1);
  /* By the statement of the job, which takes one day at a time: of the oldest days, some of which are younger than that. */
  await audited.asAdmin('SELECT seal_audit_days(50)');
  await audited.asAdmin(`UPDATE audit_log SET result = 'refused' WHERE object_id = 'ast_2'`);
  await audited.asAdmin(`DELETE FROM audit_log WHERE at < now() - interval '24 months'`);
  const { compared } = await audited.verify();
  expect(compared).toBeGreaterThan(0);
  expect(compared).toBeLessThan(30);
  expect(await audited.alarm()).toBe(0);
});

test.each([
  [
    'the oldest seal',
    'DELETE FROM audit_seals WHERE day = (SELECT min(day) FROM audit_seals)',
    'its seal is missing',
    1,
  ],
  [
    'all seals but the newest',
    'DELETE FROM audit_seals WHERE day < (SELECT max(day) FROM audit_seals)',
    'its seal is missing',
    3,
  ],
  [
    'a seal between others',
    'DELETE FROM audit_seals WHERE day = (SELECT min(day) + 2 FROM audit_seals)',
    'its seal is missing',
    1,
  ],
  [
    'the oldest seal together with the day on which the chain begins',
    `DELETE FROM audit_seals WHERE day = (SELECT min(day) FROM audit_seals);
     UPDATE audit_chain SET first_day = first_day + 1`,
    'it is not the first one of the chain',
    1,
  ],
  [
    'the day on which the chain begins',
    'DELETE FROM audit_chain',
    'where the chain begins is not there any more',
    1,
  ],
])('%s is missed when it was removed', async (_what, change, problem, count) => {
  await audited.addRows(4, 2);
  await audited.seal();
  await audited.asAdmin(change);
  expect((await audited.problems()).map((row) => row.problem)).toEqual(Array(count).fill(problem));
  expect(await audited.alarm()).toBe(count);
});

test('rows and seal changed together break the chain to the next day', async () => {
  await audited.addRows(3, 2);
  await audited.seal();
  await audited.asAdmin(`DELETE FROM audit_log WHERE object_id = 'ast_1'`);
  await audited.asAdmin(`UPDATE audit_seals AS seal SET rows = now_there.rows, hash = now_there.hash
                   FROM audit_seals AS old CROSS JOIN LATERAL audit_day_hash(old.day, old.previous_hash) AS now_there
                  WHERE seal.day = old.day AND old.rows = 2`);
  expect((await audited.problems()).map((row) => row.problem)).toEqual([
    'does not continue the seal of the day before',
  ]);
});

describe('the service writes rows of this instant only', () => {
  const insert = `INSERT INTO audit_log (at, act, result) VALUES ('2026-01-01T00:00Z', 'forged', 'done')`;
  const written = `SELECT at >= $1 AND at <= clock_timestamp() AS now FROM audit_log WHERE act = 'forged'`;
  const instant = async () =>
    (await audited.asAdmin<{ at: string }>('SELECT clock_timestamp() AS at'))[0]?.at;

  test('whatever instant it names', async () => {
    const before = await instant();
    await audited.database.withClient((client) => client.query(insert));
    expect(await storedRows({ database: audited.testDatabase }, written, [before])).toEqual([{ now: true }]);
  });

  test('also in a transaction that was begun long before', async () => {
    await audited.database.withClient(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT now()');
      const before = await instant();
      await client.query(insert);
      await client.query('COMMIT');
      expect(await storedRows({ database: audited.testDatabase }, written, [before])).toEqual([
        { now: true },
      ]);
    });
  });
});

test('two seal jobs at once make each seal once', async () => {
  await audited.addRows(9, 1);
  const results = await Promise.all([audited.seal(), audited.seal()]);
  expect(results.reduce((sum, result) => sum + Number(result.sealed), 0)).toBe(9);
  expect(await audited.listSeals()).toHaveLength(9);
});

test('the service can neither read rows nor change seals', async () => {
  await audited.addRows(1, 1);
  await audited.seal();
  for (const text of [
    'SELECT audit_day_hash(current_date, NULL)',
    'DELETE FROM audit_seals',
    'SELECT 1 FROM audit_log',
    'UPDATE audit_seals SET problem = NULL',
    'UPDATE audit_chain SET first_day = first_day',
    'ALTER TABLE audit_log DISABLE TRIGGER set_audit_instant',
    'SET session_replication_role = replica',
  ]) {
    await expect(audited.database.withClient((client) => client.query(text))).rejects.toMatchObject({
      code: '42501',
    });
  }
});
