import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { job } from '../../../src/platform/jobs/jobs.ts';
import { counting, JobFixture, line } from './fixture.ts';

const jobs = new JobFixture();

/* The round of a minute later would find the next tick: one tick in an hour leaves the tests one run. */
const everyHour = [line('0 2 * * * *', 'all')];

async function oneDueRun(): Promise<void> {
  await jobs.register(everyHour);
  jobs.clock.advance(60_000);
  expect(await jobs.reconcile()).toBe(1);
}

test('a processor that wakes after its fence was passed cannot write its end', async () => {
  await oneDueRun();
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
    .next();
  await begun.promise;

  jobs.clock.advance(61_000);
  await jobs.reconcile();
  expect(await jobs.processorOf('second', counting(), { database: jobs.second }).next()).toBe('done');
  asleep.resolve();
  expect(await first).toBe('passed');
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 2, result: { worker: 'second' } });
});

test('a job that throws is tried again later, then counts as failed', async () => {
  await oneDueRun();
  const failing = jobs.processorOf(
    'one',
    counting(() => Promise.reject(new Error('no feed'))),
  );
  expect(await failing.next()).toBe('returned');
  jobs.clock.advance(59_000);
  expect(await failing.next()).toBe('nothing');
  jobs.clock.advance(1_000);
  expect(await failing.next()).toBe('returned');
  jobs.clock.advance(119_000);
  expect(await failing.next()).toBe('nothing');
  jobs.clock.advance(1_000);
  expect(await failing.next()).toBe('failed');
  expect(await jobs.onlyRun()).toMatchObject({ state: 'failed', fence: 3, error: 'no feed' });
  expect(await failing.next()).toBe('nothing');
});

async function findDiskFull(): Promise<void> {
  await jobs.rows(`DO $$ BEGIN RAISE 'No space left on device' USING ERRCODE = 'disk_full'; END $$`);
}

test('F07 a run that finds the disk of the database full is tried for hours, and done when there is room', async () => {
  await oneDueRun();
  const full = jobs.processorOf('one', counting(findDiskFull));
  for (let hour = 0; hour < 4; hour += 1) {
    expect(await full.next()).toBe('returned');
    jobs.clock.advance(3_600_000);
  }
  expect(await jobs.onlyRun()).toMatchObject({
    state: 'queued',
    attempts: 4,
    error: 'No space left on device',
  });
  expect(await jobs.processorOf('one', counting()).next()).toBe('done');
});

test('F07 it is given up in the end where there is never room, and where an error names the full disk as its cause, or as one of several', async () => {
  await oneDueRun();
  const work = async () => {
    const full = await findDiskFull().catch((error: unknown) => error);
    const cause = new AggregateError([new Error('no lock'), full], 'Not removed: leads, quotes');
    throw new Error('For 2 organizations nothing was done', { cause });
  };
  await jobs.rows('UPDATE job_runs SET attempts = 11');
  expect(await jobs.processorOf('one', counting(work)).next()).toBe('returned');
  jobs.clock.advance(3_600_000);
  expect(await jobs.processorOf('one', counting(work)).next()).toBe('failed');
});

test('F31 a worker killed in mid-job, once and twice: the run goes on to another worker', async () => {
  await oneDueRun();
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
    void lost.next();
    await begun.promise;
    jobs.clock.advance(61_000);
    await jobs.reconcile();
  }
  const counted = counting();
  expect(await jobs.processorOf('alive', counted).next()).toBe('done');
  expect(counted.runs).toHaveLength(1);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', fence: 3 });
});

test('whoever looks after all runs passes over one that somebody holds, and so never waits in a circle', async () => {
  await jobs.register(everyHour);
  jobs.clock.advance(7_200_000);
  await jobs.rows(`INSERT INTO job_runs (job, payload, due_at, next_at, state, heartbeat_at, started_at)
                   SELECT 'count', '{}', '2026-03-01', '2026-03-01', 'running', '2026-03-01', '2026-03-01'
                     FROM generate_series(1, 2)`);
  await jobs.second.asService(async (connection) => {
    await sql`SELECT FROM job_runs WHERE id = (SELECT min(id) FROM job_runs) FOR UPDATE`.execute(connection);
    await jobs.reconcile();
  });
  const stateOf = async () => (await jobs.listRuns()).map(({ state }) => state);
  expect((await stateOf()).filter((state) => state === 'running')).toHaveLength(1);
  await jobs.reconcile();
  expect(await stateOf()).not.toContain('running');
});

test('a run that ends its process every time is given up in the end', async () => {
  await oneDueRun();
  await jobs.rows('UPDATE job_runs SET attempts = 13');
  expect(await jobs.processorOf('one', counting()).next()).toBe('failed');
  expect((await jobs.onlyRun()).error).toMatch(/14 times/);
});

test('a run whose job this version does not know waits an hour for one that does, then fails with the reason', async () => {
  await oneDueRun();
  const other = job({
    name: 'another-job',
    when: 'when the test asks',
    does: 'nothing else',
    payload: z.object({}),
    attempts: 1,
    retrySeconds: 1,
  });
  const older = jobs.processorOf('older', counting(), { job: other });
  expect(await older.next()).toBe('nothing');
  jobs.clock.advance(3_600_000);
  expect(await older.next()).toBe('failed');
  expect((await jobs.onlyRun()).error).toMatch(/count-ticks/);
});

test('a process that ends gives its running jobs back at once', async () => {
  await oneDueRun();
  const begun = Promise.withResolvers<void>();
  const stubborn = jobs.processorOf(
    'ending',
    counting(() => {
      begun.resolve();
      return new Promise<void>(() => {});
    }),
  );
  void stubborn.next();
  await begun.promise;
  await stubborn.giveBack();
  expect(await jobs.processorOf('other', counting(), { database: jobs.second }).next()).toBe('done');
});

test('a run that is given back and then stops by itself was begun no time less than it was', async () => {
  await oneDueRun();
  const begun = Promise.withResolvers<void>();
  const obedient = jobs.processorOf(
    'ending',
    counting(({ signal }) => {
      begun.resolve();
      return new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    }),
  );
  const ended = obedient.next();
  await begun.promise;
  await obedient.giveBack();
  expect(await ended).toBe('returned');
  expect(await jobs.onlyRun()).toMatchObject({ state: 'queued', attempts: 0 });
});
