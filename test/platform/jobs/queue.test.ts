import { Queue, type Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import {
  type JobQueue,
  openJobQueue,
  openQueueWorker,
  queuePrefix,
} from '../../../src/platform/jobs/queue.ts';
import { openRedis } from '../../../src/platform/redis/redis.ts';
import { counting, everyMinute, JobFixture } from './fixture.ts';

const jobs = new JobFixture();
let queue: JobQueue;
/** The same queue, looked into. */
let messages: Queue;
let work: Redis;
let queueWorker: Worker | undefined;

beforeEach(() => {
  const prefix = queuePrefix(jobs.databaseUrl);
  queue = openJobQueue({ connect: () => jobs.redis, prefix, clock: jobs.clock, onError: () => {} });
  messages = new Queue('runs', { connection: jobs.redis, prefix });
  work = jobs.openRedis('work');
  return async () => {
    await queueWorker?.close();
    queueWorker = undefined;
    await queue.close();
    await messages.close();
    work.disconnect();
  };
});

/** Takes messages and works, as a worker process does. */
async function startWorker(does: () => Promise<void>): Promise<void> {
  queueWorker = await openQueueWorker({
    redis: work,
    prefix: queuePrefix(jobs.databaseUrl),
    concurrency: 4,
    work: does,
    onError: () => {},
  });
  void queueWorker.run().catch(() => {});
}

const states = async () => (await jobs.listRuns()).map(({ state }) => state);
const now = () => jobs.clock.now().toISOString();

test('every due run is done once, with the instant it was due for', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(180_000);
  await jobs.reconcile();
  const counted = counting();
  await startWorker(jobs.processorOf('one', counted, { nudge: queue.nudge }).work);
  await queue.sendRound();
  await expect.poll(states).toEqual(['done', 'done', 'done']);
  expect(counted.runs.map((run) => run.dueAt).sort()).toEqual([
    '2026-11-05T06:02:00.000Z',
    '2026-11-05T06:03:00.000Z',
    '2026-11-05T06:04:00.000Z',
  ]);
  for (const run of await jobs.listRuns()) expect(run).toMatchObject({ fence: 1, attempts: 1 });
});

test('F18 FLUSHALL: what lost its message is done in the next round, with the new ticks', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  await queue.sendRound();
  await jobs.redis.flushdb();
  await startWorker(jobs.processorOf('one', counting(), { nudge: queue.nudge }).work);

  jobs.clock.advance(60_000);
  await jobs.reconcile();
  await queue.sendRound();
  await expect.poll(states).toEqual(['done', 'done']);
});

test('messages that come twice, or for nothing, do the work once', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  const counted = counting();
  let through = 0;
  const { work: does } = jobs.processorOf('one', counted);
  await startWorker(async () => {
    await does();
    through += 1;
  });
  for (let index = 0; index < 3; index += 1) await messages.add('due', {});
  await expect.poll(() => through).toBe(3);
  expect(counted.runs).toHaveLength(1);
});

test('a thousand nudges leave one message, and one that comes while work goes on leaves another', async () => {
  for (let index = 0; index < 1_000; index += 1) queue.nudge([now()]);
  await expect.poll(() => messages.getWaitingCount()).toBe(1);
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let looks = 0;
  await startWorker(() => {
    looks += 1;
    begun.resolve();
    return ending.promise;
  });
  await begun.promise;
  queue.nudge([now()]);
  try {
    await expect.poll(() => looks).toBe(2);
  } finally {
    ending.resolve();
  }
});

test('a nudge for later comes at its second', async () => {
  queue.nudge([new Date(jobs.clock.nowMilliseconds() + 1_500).toISOString()]);
  await expect.poll(() => messages.getDelayedCount()).toBe(1);
  let looks = 0;
  await startWorker(async () => {
    looks += 1;
  });
  expect(looks).toBe(0);
  await expect.poll(() => looks).toBe(1);
});

test('F16 while Redis is away the round fails at once, and a nudge is kept until it is back', async () => {
  const away = openRedis({
    url: 'redis://127.0.0.1:1',
    use: 'commands',
    connectionName: 'away',
    onStateChange: () => {},
  });
  const dead = openJobQueue({ connect: () => away, prefix: 'away', clock: jobs.clock, onError: () => {} });
  const startedAt = performance.now();
  await expect(dead.sendRound()).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  away.disconnect();

  const late = jobs.openRedis('commands');
  const kept = openJobQueue({
    connect: () => late,
    prefix: queuePrefix(jobs.databaseUrl),
    clock: jobs.clock,
    onError: () => {},
  });
  kept.nudge([now()]);
  expect(late.status).not.toBe('ready');
  await expect.poll(() => messages.getWaitingCount()).toBe(1);
  await kept.close();
  late.disconnect();
});

test('two databases behind one Redis have queues of their own', () => {
  const prefix = queuePrefix('postgres://app:x@db-1:5432/voltstream');
  expect(queuePrefix('postgres://other:y@db-1:5432/voltstream')).toBe(prefix);
  expect(queuePrefix('postgres://app:x@db-2:5432/voltstream')).not.toBe(prefix);
  expect(queuePrefix('postgres://app:x@db-1:5432/staging')).not.toBe(prefix);
});
