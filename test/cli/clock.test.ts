import { afterAll, beforeAll, expect, test } from 'vitest';
import { testEnvironment } from '../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { runCommandProcess } from './command-process.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** Runs before the command: its machine then is an hour behind. */
const HOUR_BEHIND = `--import=data:text/javascript,${encodeURIComponent(`
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin - 3_600_000 });
  console.error(Date.now());
`)}`;

test('a command on a machine whose clock is an hour behind writes the time of the database', async () => {
  const environment = { ...testEnvironment(database, 'redis://127.0.0.1:1'), NODE_OPTIONS: HOUR_BEHIND };
  const create = ['organizations', 'create', '--name', 'A', '--reason', 'ticket 17', '--staff', 'ada'];
  const { exitCode, stderr } = await runCommandProcess(environment, create);
  expect(exitCode).toBe(0);
  /* The machine's own time, as the command saw it. */
  expect(Date.now() - Number.parseInt(stderr, 10)).toBeGreaterThan(3_599_000);
  const [row] = await storedRows<{ seconds: number }>(
    { database },
    'SELECT abs(extract(epoch FROM clock_timestamp() - updated_at))::float8 AS seconds FROM organizations',
  );
  expect(row?.seconds).toBeLessThan(600);
});
