import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { queuePrefix } from '../../src/platform/jobs/queue.ts';
import { registerSchedules } from '../../src/platform/jobs/reconciler.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import { deliveryDayAt } from '../../src/spot-prices/calendar.ts';
import { scheduleLines } from '../../workers/schedules.ts';
import { testEnvironment } from '../setup/api.ts';
import { type CutConnection, cutConnection } from '../setup/cut-connection.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { feedConfig, takeFeed } from '../setup/feed.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';

const feed = await takeFeed();
let database: TestDatabase;
let redis: CutConnection;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  redis = await cutConnection(await takeTestRedis());
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.kill()));
  await redis.cut();
  await redis.mend();
});

afterAll(async () => {
  await redis.close();
  await database.drop();
});

function start(changes: Record<string, string> = {}): ServiceProcess {
  const {
    APP_ENV = '',
    DATABASE_URL = '',
    DATABASE_MAINTENANCE_URL = '',
    ENCRYPTION_KEY = '',
  } = testEnvironment(database, '');
  const started = startService('workers/main.ts', {
    APP_ENV,
    DATABASE_URL,
    DATABASE_MAINTENANCE_URL,
    ENCRYPTION_KEY,
    REDIS_URL: redis.url,
    BASE_URL: 'http://127.0.0.1:1',
    WORKER_PORT: '0',
    LOG_LEVEL: 'info',
    ...feedConfig(feed),
    ...changes,
  });
  running.push(started);
  return started;
}

async function addressOf(started: ServiceProcess): Promise<string> {
  return String((await started.line('worker ready')).url);
}

async function readyz(url: string): Promise<{ status: number; reasons: string[] }> {
  const answer = await fetch(`${url}/readyz`);
  const { reasons } = (await answer.json()) as { reasons: string[] };
  return { status: answer.status, reasons };
}

/** Everything on the list done, or whatever it is, and why it failed: a line that falls due once more while the test runs changes nothing. */
const statesOfLines = () =>
  storedRows<{ line: string; states: string[]; errors: string[] }>(
    { database },
    `SELECT schedule AS line, array_agg(DISTINCT state ORDER BY state) AS states,
            coalesce(array_remove(array_agg(DISTINCT error) FILTER (WHERE state <> 'done'), NULL), '{}') AS errors
       FROM job_runs
      WHERE schedule IN ('remove-old-records', 'seal-audit-log', 'sweep-expired-rows')
      GROUP BY schedule
      ORDER BY schedule`,
  );

/**
 * A run that was begun when its worker or Redis went is taken up again after two minutes; one that met a busy database goes
 * again some minutes later.
 */
const AFTER_THE_LEASE = { timeout: 900_000 };

const everyLine = (state: string) => [
  { line: 'remove-old-records', states: [state], errors: [] },
  { line: 'seal-audit-log', states: [state], errors: [] },
  { line: 'sweep-expired-rows', states: [state], errors: [] },
];

/** As after a day without a worker. */
async function letLinesFallDue(): Promise<void> {
  const earlier = openDatabase({
    url: database.appUrl,
    applicationName: 'worker-test',
    connectionsMax: 1,
    onError: () => {},
  });
  await registerSchedules({ database: earlier, clock: systemClock() }, scheduleLines(database.appUrl));
  await earlier.close();
  await storedRows({ database }, `UPDATE schedules SET last_due_at = now() - interval '25 hours'`);
}

test('what fell due while no worker ran is done by the first one that starts', async () => {
  await letLinesFallDue();
  const url = await addressOf(start());
  await expect.poll(statesOfLines).toEqual(everyLine('done'));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^voltstream_job_runs_total{job="sweep-expired-rows",outcome="done"} [1-9]/m);
  expect(metrics).toContain('voltstream_redis_available 1');
});

test('a worker that starts fills what is missing: the prices of today are there without a line that falls due', async () => {
  /* The run in which the worker before was killed would be taken up again, but only after its two minutes. */
  await storedRows({ database }, `DELETE FROM job_runs WHERE schedule = 'fill-price-gaps'`);
  await storedRows(
    { database },
    'SET session_replication_role = replica; TRUNCATE price_fetches, price_days, price_source_days CASCADE',
  );
  const before = deliveryDayAt(Date.now());
  const url = await addressOf(start());
  /* At midnight it is the one day or the other. */
  const states = async () => {
    const rows = await storedRows<{ state: string }>(
      { database },
      'SELECT state FROM price_days WHERE delivery_on IN ($1, $2)',
      [before, deliveryDayAt(Date.now())],
    );
    return rows.map(({ state }) => state);
  };
  await expect.poll(states).toContain('complete');
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('voltstream_price_today_complete');
});

test.each([-1, 1])(
  'F20 a worker whose machine is %i hours off makes lines due by the database',
  async (hours) => {
    await storedRows({ database }, 'DELETE FROM job_runs');
    await storedRows({ database }, 'DELETE FROM schedules');
    const off = `Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ${hours * 3_600_000} })`;
    const started = start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(off)}` });
    await addressOf(started);
    const [decided] = await storedRows<{ lines: number; off: number; runs: number }>(
      { database },
      `SELECT count(*)::int AS lines, count(*) FILTER (WHERE abs(extract(epoch FROM last_due_at - now())) > 1800)::int AS off,
            (SELECT count(*)::int FROM job_runs WHERE abs(extract(epoch FROM due_at - now())) > 1800) AS runs
       FROM schedules`,
    );
    expect(decided?.lines).toBeGreaterThan(0);
    expect(decided).toMatchObject({ off: 0, runs: 0 });
  },
);

test('no line of its log names a member twice', async () => {
  const worker = start();
  expect(await worker.line('worker ready')).toMatchObject({ pid: worker.pid, name: 'worker' });
  expect(worker.oddLines).toEqual([]);
});

test('the worker serves its own health, and takes the next port where its own is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const url = await addressOf(start({ WORKER_PORT: String(port) }));
  expect(Number(new URL(url).port)).toBeGreaterThan(port);
  expect(await (await fetch(`${url}/livez`)).text()).toBe('OK');
  await expect.poll(() => readyz(url)).toEqual({ status: 200, reasons: [] });
  other.close();
});

test('F16 Redis goes and comes back: said once, not ready in between, then everything goes on', async () => {
  await letLinesFallDue();
  const started = start();
  const url = await addressOf(started);
  await expect.poll(() => readyz(url)).toMatchObject({ status: 200 });
  await expect.poll(statesOfLines, AFTER_THE_LEASE).toEqual(everyLine('done'));
  await redis.cut();
  await started.line(/^Redis lost/);
  await expect
    .poll(() => readyz(url))
    .toMatchObject({
      status: 503,
      reasons: ['Redis: not reachable (due work waits in the database)'],
    });
  await storedRows({ database }, `UPDATE job_runs SET state = 'queued', next_at = now()`);
  await redis.mend();
  await started.line('Redis is back');
  await expect.poll(() => readyz(url)).toMatchObject({ status: 200 });
  await expect.poll(statesOfLines, AFTER_THE_LEASE).toEqual(everyLine('done'));
  expect(started.lines.filter((line) => /^Redis lost/.test(String(line.msg)))).toHaveLength(1);
  /*
   * Alarms say that prices of today, or reference data, are not there, and on a busy machine a connection to the database may
   * take too long: that is not about Redis.
   */
  const faults = started.lines.filter(
    ({ level, msg, err }) =>
      (level === 'error' || level === 'fatal') &&
      !/^(price alarm|reference data)/.test(String(msg)) &&
      !JSON.stringify(err ?? '').includes('Connection terminated due to connection timeout'),
  );
  expect(faults).toEqual([]);
});

test('F16 started without Redis: due work waits in the database and is done when Redis is there', async () => {
  await redis.cut();
  await storedRows({ database }, 'DELETE FROM job_runs');
  await letLinesFallDue();
  await addressOf(start());
  await expect.poll(statesOfLines).toEqual(everyLine('queued'));
  await redis.mend();
  await expect.poll(statesOfLines, AFTER_THE_LEASE).toEqual(everyLine('done'));
});

/** Until the test ends no worker takes a message, as one that hangs takes none. */
async function pauseQueue(): Promise<void> {
  const connection = openRedis({
    url: redis.url,
    use: 'work',
    connectionName: 'worker-test',
    onStateChange: () => {},
  });
  const queue = new Queue('runs', { connection, prefix: queuePrefix(database.appUrl) });
  await queue.pause();
  onTestFinished(async () => {
    await queue.resume();
    await queue.close();
    connection.disconnect();
  });
}

test('a worker that gets no message from the queue works in its rounds', async () => {
  await storedRows({ database }, 'DELETE FROM job_runs');
  await letLinesFallDue();
  await pauseQueue();
  await addressOf(start());
  await expect.poll(statesOfLines).toEqual(everyLine('done'));
});

test('SIGTERM: exit 0', async () => {
  const started = start();
  await addressOf(started);
  started.child.kill('SIGTERM');
  expect(await started.ended).toEqual({ code: 0, signal: null });
});

test('SIGTERM while Redis is away: exit 0 all the same, within 25 seconds', async () => {
  const started = start();
  await addressOf(started);
  await redis.cut();
  await started.line(/^Redis lost/);
  const startedAt = performance.now();
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(25_000);
});
