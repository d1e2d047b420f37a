import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { dispatch } from '../../src/platform/jobs/dispatcher.ts';
import { counting, everyMinute, JobFixture, lossyQueue } from './job-fixture.ts';

const jobs = new JobFixture();

/** Hands over to a queue that loses everything; the tests play the workers themselves. */
const handOver = () => dispatch({ database: jobs.database, clock: jobs.clock, queue: lossyQueue });

async function oneDueRun(): Promise<number> {
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  await jobs.reconcile();
  await handOver();
  return (await jobs.onlyRun()).id;
}

test('a processor that wakes after its fence was passed cannot write its end', async () => {
  const id = await oneDueRun();
  const asleep = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const first = jobs
    .processorOf(
      'first',
      counting(() => {
        begun.resolve();
        return asleep.promise;
      }),
    )
    .process(id);
  await begun.promise;

  jobs.clock.advance(61_000);
  expect(await handOver()).toBe(1);
  expect(await jobs.processorOf('second', counting(), everyMinute, jobs.second).process(id)).toBe('done');
  asleep.resolve();
  expect(await first).toBe('passed');
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 2, result: { worker: 'second' } });
});

test('a job that throws is tried again later, then counts as failed', async () => {
  const id = await oneDueRun();
  const failing = jobs.processorOf(
    'one',
    counting(() => Promise.reject(new Error('no feed'))),
  );
  expect(await failing.process(id)).toBe('returned');
  expect(await handOver()).toBe(0);
  jobs.clock.advance(60_000);
  expect(await handOver()).toBe(1);
  expect(await failing.process(id)).toBe('returned');
  jobs.clock.advance(120_000);
  expect(await handOver()).toBe(1);
  expect(await failing.process(id)).toBe('failed');
  expect(await jobs.onlyRun()).toMatchObject({ state: 'failed', fence: 3, error: 'no feed' });
  expect(await failing.process(id)).toBe('nothing');
});

test('F31 a worker killed in mid-job, once and twice: the run goes on to another worker', async () => {
  const id = await oneDueRun();
  for (let killed = 0; killed < 2; killed += 1) {
    const never = new Promise<void>(() => {});
    const begun = Promise.withResolvers<void>();
    /* A killed process writes no more signs of life: its promise is simply left behind. */
    const lost = jobs.processorOf(
      'killed',
      counting(() => {
        begun.resolve();
        return never;
      }),
    );
    void lost.process(id);
    await begun.promise;
    jobs.clock.advance(61_000);
    expect(await handOver()).toBe(1);
  }
  const counted = counting();
  expect(await jobs.processorOf('alive', counted).process(id)).toBe('done');
  expect(counted.runs).toHaveLength(1);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 3 });
});

test('a run that ends its process every time is given up in the end', async () => {
  const id = await oneDueRun();
  await jobs.database.asService((connection) => sql`UPDATE job_runs SET fence = 13`.execute(connection));
  expect(await jobs.processorOf('one', counting()).process(id)).toBe('failed');
  expect((await jobs.onlyRun()).error).toMatch(/14 times/);
});

test('a run of a schedule that this version does not know fails with the reason', async () => {
  const id = await oneDueRun();
  expect(await jobs.processorOf('one', counting(), []).process(id)).toBe('failed');
  expect((await jobs.onlyRun()).error).toMatch(/count-ticks/);
});

test('a process that ends gives its running jobs back at once', async () => {
  const id = await oneDueRun();
  const begun = Promise.withResolvers<void>();
  const stubborn = jobs.processorOf(
    'ending',
    counting(() => {
      begun.resolve();
      return new Promise<void>(() => {});
    }),
  );
  void stubborn.process(id);
  await begun.promise;
  await stubborn.giveBack();
  expect(await handOver()).toBe(1);
  expect(await jobs.processorOf('other', counting(), everyMinute, jobs.second).process(id)).toBe('done');
});
