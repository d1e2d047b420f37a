import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Database } from '../../../src/platform/database/db.ts';
import { createReadiness, databaseProbe, openProbeDatabase } from '../../../src/platform/http/readiness.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

const log = createLogger({ level: 'silent', name: 'readiness-test' });
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openProbeDatabase(testDatabase.appUrl, 'readiness-test');
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

test('a database that answers and clocks that agree: ready', async () => {
  const readiness = createReadiness(log, [databaseProbe(database, systemClock())]);
  expect(await readiness.reasons()).toEqual([]);
});

describe('F20 the clock', () => {
  test.each([5, -5])(
    '%i minutes apart: not ready, and the time used is that of the database',
    async (minutes) => {
      const wall = () => Date.now() + minutes * 60_000;
      const clock = systemClock(wall);
      const readiness = createReadiness(log, [databaseProbe(database, clock, wall)]);
      expect(await readiness.reasons()).toEqual([expect.stringMatching(/^Clock: .*differ by -?\d+\.\d s/)]);
      /* Half of the way to the database and back is the uncertainty, on a busy machine seconds. */
      expect(Math.abs(clock.nowMilliseconds() - Date.now())).toBeLessThan(30_000);
      expect(Math.abs(clock.offsetMilliseconds() + minutes * 60_000)).toBeLessThan(30_000);
    },
  );

  test('a difference within the uncertainty of the measurement moves nothing', async () => {
    let calls = 0;
    /* 400 ms on the way to the database, 200 ms on the way back: its clock seems to be 100 ms behind, and is not. */
    const slow = () => Date.now() + (calls++ === 0 ? -400 : 200);
    const clock = systemClock(slow);
    await databaseProbe(database, clock).problems();
    expect(clock.offsetMilliseconds()).toBe(0);
  });

  test.each([3_600_000, -3_600_000])(
    'F21 that somebody sets by %i ms: not ready, and every rule has the time as before',
    async (step) => {
      const clock = systemClock();
      const now = Date.now.bind(Date);
      const set = vi.spyOn(Date, 'now').mockImplementation(() => now() + step);
      try {
        expect(Math.abs(clock.nowMilliseconds() - now())).toBeLessThan(30_000);
        const [problem] = await databaseProbe(database, clock).problems();
        expect(problem).toMatch(/^Clock: .*differ by -?\d+\.\d s/);
        expect(Math.abs(clock.nowMilliseconds() - now())).toBeLessThan(30_000);
      } finally {
        set.mockRestore();
      }
    },
  );
});

test('no database: the reason names no host and no password', async () => {
  const away = openProbeDatabase('postgres://app:canary@127.0.0.1:1/none', 'readiness-test');
  const readiness = createReadiness(log, [databaseProbe(away, systemClock())]);
  expect(await readiness.reasons()).toEqual(['Database: not reachable (ECONNREFUSED)']);
  await away.close();
});

test('F06 a database that hangs: not ready within a second', async () => {
  const readiness = createReadiness(log, [
    { name: 'Database', cacheSeconds: 2, problems: () => new Promise(() => {}) },
  ]);
  const startedAt = performance.now();
  expect(await readiness.reasons()).toEqual(['Database: no answer within 1 s']);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('a thousand callers at once ask the database once', async () => {
  let calls = 0;
  const readiness = createReadiness(log, [
    {
      name: 'Database',
      cacheSeconds: 2,
      problems: async () => {
        calls += 1;
        return [];
      },
    },
  ]);
  await Promise.all(Array.from({ length: 1_000 }, () => readiness.reasons()));
  expect(calls).toBe(1);
});

test('a closing process is not ready, whatever else is well', async () => {
  const readiness = createReadiness(log, []);
  readiness.startClosing();
  expect(await readiness.reasons()).toEqual(['The process is closing']);
});

test('the readiness connection does without the rights of anybody else', async () => {
  const { rows } = await database.withClient((client) => client.query('SELECT session_user AS role'));
  expect(rows).toEqual([{ role: 'voltstream_app' }]);
});
