import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Database } from '../../../src/platform/database/db.ts';
import { createReadiness, databaseProbe, openProbeDatabase } from '../../../src/platform/http/readiness.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { fakeClock } from '../../setup/clock.ts';
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
  test.each([
    [1_500, []],
    [-1_500, []],
    [2_500, [expect.stringMatching(/^Clock: .*differ by 2\.5 s, at most 2 s/)]],
    [-2_500, [expect.stringMatching(/^Clock: .*differ by -2\.5 s, at most 2 s/)]],
  ])('of the database %i ms ahead, told without delay', async (ahead, problems) => {
    const clock = fakeClock('2026-11-20T10:00:00.000Z');
    const now = clock.nowMilliseconds();
    const query = async () => ({ rows: [{ now: now + ahead }] });
    const withClient = (work: (client: unknown) => unknown) => work({ query });
    const probe = databaseProbe({ withClient } as unknown as Database, clock, () => now);
    expect(await probe.problems()).toEqual(problems);
  });

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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let reasons: readonly string[] | undefined;
    void readiness.reasons().then((found) => {
      reasons = found;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(reasons).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(reasons).toEqual(['Database: no answer within 1 s']);
  } finally {
    vi.useRealTimers();
  }
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
