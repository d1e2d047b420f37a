import { expect, test } from 'vitest';
import { openJobQueue, openQueueWorker, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { closeWithin } from '../../workers/closing.ts';
import { type Counting, counting, everyMinute, JobFixture } from '../platform/jobs/fixture.ts';

/** Whoever waits for it out fails by the time of the test. */
const LONGER_THAN_A_TEST = 600_000;

const jobs = new JobFixture();

/** One run is under way in a worker on the real queue when the worker is told to close. */
async function closeDuring(
  counted: Counting,
  begun: Promise<void>,
  runningMilliseconds: number,
): Promise<void> {
  const prefix = queuePrefix(jobs.databaseUrl);
  const queue = openJobQueue({ connect: () => jobs.redis, prefix, clock: jobs.clock, onError: () => {} });
  const work = jobs.openRedis('work');
  const processor = jobs.processorOf('ending', counted);
  const worker = await openQueueWorker({
    redis: work,
    prefix,
    concurrency: 1,
    work: processor.work,
    onError: () => {},
  });
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  await queue.sendRound();
  void worker.run().catch(() => {});
  await begun;
  await closeWithin({ queue, worker }, [processor], runningMilliseconds);
  work.disconnect();
}

test('a job that ends in time is waited for', async () => {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const counted = counting(() => {
    begun.resolve();
    setImmediate(ending.resolve);
    return ending.promise;
  });
  await closeDuring(counted, begun.promise, LONGER_THAN_A_TEST);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 1 });
});

test('a job that may stop anywhere is stopped at once and goes to another worker', async () => {
  const begun = Promise.withResolvers<void>();
  const counted = counting((run) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      run.closing.addEventListener('abort', () => reject(run.closing.reason));
    });
  });
  await closeDuring(counted, begun.promise, LONGER_THAN_A_TEST);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'queued', fence: 1 });
  expect(await jobs.processorOf('other', counting(), { database: jobs.second }).next()).toBe('done');
});

test('a job that heeds its signal is stopped and goes to another worker at once', async () => {
  const begun = Promise.withResolvers<void>();
  const counted = counting((run) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      run.signal.addEventListener('abort', () => reject(run.signal.reason));
    });
  });
  await closeDuring(counted, begun.promise, 10);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'queued', fence: 1 });
  expect(await jobs.processorOf('other', counting(), { database: jobs.second }).next()).toBe('done');
});

test('a job that heeds nothing is given back all the same, and its late end is left out', async () => {
  const begun = Promise.withResolvers<void>();
  const stuck = Promise.withResolvers<void>();
  const counted = counting(() => {
    begun.resolve();
    return stuck.promise;
  });
  await closeDuring(counted, begun.promise, 10);
  expect(await jobs.processorOf('other', counting(), { database: jobs.second }).next()).toBe('done');
  stuck.resolve();
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 2, result: { worker: 'other' } });
});
