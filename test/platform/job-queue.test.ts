import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { beforeEach, expect, test } from 'vitest';
import { dispatch } from '../../src/platform/jobs/dispatcher.ts';
import type { Processor } from '../../src/platform/jobs/processor.ts';
import { openQueue, openQueueWorker, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import { counting, everyMinute, JobFixture } from './job-fixture.ts';

const jobs = new JobFixture();
let queue: Queue;
let work: Redis;
let queueWorker: Worker | undefined;

beforeEach(() => {
  queue = openQueue(jobs.redis, queuePrefix(jobs.databaseUrl), () => {});
  work = jobs.openRedis('work');
  return async () => {
    await queueWorker?.close();
    queueWorker = undefined;
    await queue.close();
    work.disconnect();
  };
});

const handOver = (to = queue) => dispatch({ database: jobs.database, clock: jobs.clock, queue: to });

/** Takes messages until `count` of them are through. */
async function workOff(processor: Processor, count: number): Promise<void> {
  queueWorker = openQueueWorker({
    redis: work,
    prefix: queuePrefix(jobs.databaseUrl),
    concurrency: 4,
    process: processor.process,
    onError: () => {},
  });
  let through = 0;
  const done = new Promise<void>((resolve, reject) => {
    queueWorker?.on('completed', () => {
      through += 1;
      if (through === count) resolve();
    });
    queueWorker?.on('failed', (_message, error) => reject(error));
  });
  const running = queueWorker.run();
  await done;
  await queueWorker.close();
  await running;
}

test('every due run is done once, with the instant it was due for', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(180_000);
  await jobs.reconcile();
  expect(await handOver()).toBe(3);
  expect(await handOver()).toBe(0);
  const counted = counting();
  await workOff(jobs.processorOf('one', counted), 3);
  expect(counted.runs.map((run) => run.dueAt).sort()).toEqual([
    '2026-11-05T06:02:00.000Z',
    '2026-11-05T06:03:00.000Z',
    '2026-11-05T06:04:00.000Z',
  ]);
  for (const run of await jobs.listRuns())
    expect(run).toMatchObject({ state: 'done', fence: 1, attempts: 1 });
});

test('F18 FLUSHALL in the middle: lost runs go out again after two minutes, new ticks in the next round', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  expect(await handOver()).toBe(1);
  await jobs.redis.flushdb();

  jobs.clock.advance(60_000);
  await jobs.reconcile();
  expect(await handOver()).toBe(1);
  jobs.clock.advance(60_000);
  expect(await handOver()).toBe(1);
  const counted = counting();
  await workOff(jobs.processorOf('one', counted), 2);
  expect(counted.runs).toHaveLength(2);
  const runs = await jobs.listRuns();
  expect(runs.map((run) => [run.state, run.attempts])).toEqual([
    ['done', 2],
    ['done', 1],
  ]);
});

test('a message that comes twice does its work once', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  await handOver();
  const { id } = await jobs.onlyRun();
  await queue.add('run', { run: id }, { jobId: `run-${id}-again` });
  const counted = counting();
  await workOff(jobs.processorOf('one', counted), 2);
  expect(counted.runs).toHaveLength(1);
});

test('F16 while Redis is away the round fails at once and the runs stay due', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  const away = openRedis({
    url: 'redis://127.0.0.1:1',
    use: 'commands',
    connectionName: 'away',
    onStateChange: () => {},
  });
  const deadQueue = openQueue(away, 'away', () => {});
  const startedAt = performance.now();
  await expect(handOver(deadQueue)).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  away.disconnect();
  expect(await handOver()).toBe(1);
});

test('two databases behind one Redis have queues of their own', () => {
  const one = queuePrefix('postgres://app:x@db-1:5432/voltstream');
  expect(queuePrefix('postgres://other:y@db-1:5432/voltstream')).toBe(one);
  expect(queuePrefix('postgres://app:x@db-2:5432/voltstream')).not.toBe(one);
  expect(queuePrefix('postgres://app:x@db-1:5432/staging')).not.toBe(one);
});
