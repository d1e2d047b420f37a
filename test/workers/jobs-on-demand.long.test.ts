import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { recordEvents } from '../../src/events/record.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { newId } from '../../src/platform/ids.ts';
import { type JobQueue, openJobQueue, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import { testEnvironment } from '../setup/api.ts';
import { type CutConnection, cutConnection } from '../setup/cut-connection.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { happened } from '../setup/events.ts';
import { feedConfig, takeFeed } from '../setup/feed.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';

/* A worker process of its own; the test is a process that changes something and asks for runs. */
const feed = await takeFeed();
const organization = newId('org');
let testDatabase: TestDatabase;
let redisUrl: string;
/** Between the test and Redis: what the asking process sees of it. */
let way: CutConnection;
let redis: ReturnType<typeof openRedis>;
let queue: JobQueue;
let database: Database;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  redisUrl = await takeTestRedis();
  way = await cutConnection(redisUrl);
  await rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [organization]);
});

beforeEach(async () => {
  /* What the worker before was killed in would be taken up again, but only after its minute of silence. */
  await rows('DELETE FROM job_runs');
  redis = openRedis({ url: way.url, use: 'commands', connectionName: 'asking', onStateChange: () => {} });
  const clock = systemClock();
  const prefix = queuePrefix(testDatabase.appUrl);
  queue = openJobQueue({ connect: () => redis, prefix, clock, onError: () => {} });
  database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'asking',
    connectionsMax: 2,
    onError: () => {},
    onEnqueued: queue.nudge,
  });
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.kill()));
  redis.disconnect();
  await database.close();
  await way.cut();
  await way.mend();
});

afterAll(async () => {
  await way.close();
  await testDatabase.drop();
});

const rows = <Row>(text: string, values: unknown[] = []) =>
  storedRows<Row>({ database: testDatabase }, text, values);

async function startWorker(): Promise<{ started: ServiceProcess; url: string }> {
  const {
    APP_ENV = '',
    DATABASE_URL = '',
    DATABASE_MAINTENANCE_URL = '',
    ENCRYPTION_KEY = '',
  } = testEnvironment(testDatabase, '');
  const started = startService('workers/main.ts', {
    APP_ENV,
    DATABASE_URL,
    DATABASE_MAINTENANCE_URL,
    ENCRYPTION_KEY,
    REDIS_URL: redisUrl,
    BASE_URL: 'http://127.0.0.1:1',
    WORKER_PORT: '0',
    LOG_LEVEL: 'info',
    ...feedConfig(feed),
  });
  running.push(started);
  const url = String((await started.line('worker ready')).url);
  /* The first round is over when its message has been taken: what comes now comes by a nudge or by the next round. */
  await expect.poll(() => rows(`SELECT FROM job_runs WHERE state IN ('queued', 'running')`)).toEqual([]);
  return { started, url };
}

async function changeSomething(): Promise<void> {
  await database.inOrganization({ organization }, (connection) =>
    recordEvents(connection, organization, [happened(subscriptionTopics.created, new Date().toISOString())]),
  );
}

interface Run {
  state: string;
  seconds: number;
}

/** The newest fan-out, and how long after its commit it was started. */
async function newestRun(): Promise<Run | undefined> {
  const [run] = await rows<Run>(
    `SELECT state, extract(epoch FROM started_at - queued_at)::float8 AS seconds
       FROM job_runs WHERE job = 'fan-out-event' ORDER BY id DESC LIMIT 1`,
  );
  return run;
}

test('a committed change has its run started at once, long before the next round', async () => {
  await startWorker();
  await changeSomething();
  await expect.poll(newestRun).toMatchObject({ state: 'done' });
  /* Rounds are 30 s apart; a busy machine needs seconds. */
  expect((await newestRun())?.seconds).toBeLessThan(25);
});

test('a change that commits while Redis is away has its run started by the round', async () => {
  await startWorker();
  await way.cut();
  await expect.poll(() => redis.status).not.toBe('ready');
  await changeSomething();
  await expect.poll(newestRun).toMatchObject({ state: 'done' });
});

test('a worker that is killed in mid-run leaves it to another one', async () => {
  const { started } = await startWorker();
  await withDatabaseClient(testDatabase.adminUrl, async (client) => {
    await client.query('BEGIN; LOCK TABLE event_deliveries');
    await changeSomething();
    await expect.poll(newestRun, { interval: 10 }).toMatchObject({ state: 'running' });
    await started.kill();
    await client.query('COMMIT');
  });
  /* As if a minute had passed since its last sign of life. */
  await rows(
    `UPDATE job_runs SET heartbeat_at = heartbeat_at - interval '61 seconds' WHERE state = 'running'`,
  );
  await startWorker();
  const [run] = await rows(
    `SELECT state, fence, attempts FROM job_runs WHERE job = 'fan-out-event' ORDER BY id DESC LIMIT 1`,
  );
  expect(run).toEqual({ state: 'done', fence: 2, attempts: 2 });
});

test('metrics tell how many runs were given up and how many wait, by job', async () => {
  await rows(
    `INSERT INTO job_runs (job, organization_id, state, due_at, next_at, finished_at)
     VALUES ('fan-out-event', $1, 'failed', now(), now(), now())`,
    [organization],
  );
  const { url } = await startWorker();
  const metrics = async () => await (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain('voltstream_job_runs_dead{job="fan-out-event"} 1');
  expect(await metrics()).toContain('voltstream_job_runs_waiting{job="fan-out-event"} 0');
});
