import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../../src/platform/ids.ts';
import { enqueue } from '../../../src/platform/jobs/enqueue.ts';
import { type JobDefinition, job, worker } from '../../../src/platform/jobs/jobs.ts';
import { createProcessor, type Processor } from '../../../src/platform/jobs/processor.ts';
import { countRuns } from '../../../src/platform/jobs/queries.ts';
import { createRunPool } from '../../../src/platform/jobs/run-pool.ts';
import { placeRuns, takeWaitingRuns } from '../../../src/platform/jobs/waiting-runs.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { type Counting, counting, JobFixture } from './fixture.ts';

const jobs = new JobFixture();

const payload = z.object({ thing: z.string() });
const common = { when: 'when the test asks', does: 'works', payload, attempts: 3, retrySeconds: 60 };
const many = { concurrency: 100, concurrencyPerOrganization: 100 };
const quick = job({ ...common, ...many, name: 'do-quickly' });
const hanging = job({ ...common, ...many, name: 'ask-others', pool: 'requests' });
const narrow = job({
  ...common,
  name: 'ask-few',
  pool: 'requests',
  concurrency: 5,
  concurrencyPerOrganization: 2,
});

async function newOrganization(): Promise<string> {
  const id = newId('org');
  await jobs.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [id]);
  return id;
}

const now = () => jobs.clock.now().toISOString();
const later = (seconds: number) => new Date(jobs.clock.nowMilliseconds() + seconds * 1000).toISOString();

function ask(organization: string, definition: JobDefinition<typeof payload>, runAt = now(), thing = 'one') {
  return jobs.database.inOrganization({ organization }, (connection) =>
    enqueue(connection, definition, { thing }, { runAt }),
  );
}

/* A pool looks for more behind the last run of a test, and would take the runs of the next one. */
const opened: Processor[] = [];
afterEach(async () => {
  for (const processor of opened.splice(0)) {
    processor.startClosing();
    await processor.idle();
  }
});

function processorOf(pool: JobDefinition['pool'], counted: Counting): Processor {
  const run = async (_deps: null, begun: Counting['runs'][number]) => {
    counted.runs.push(begun);
    await counted.work(begun);
    return {};
  };
  const processor = createProcessor({
    database: jobs.database,
    clock: jobs.clock,
    log: createLogger({ level: 'silent', name: 'jobs-test' }),
    metrics: createMetrics({ runtime: false }),
    nudge: () => {},
    workers: [quick, hanging, narrow].map((definition) => worker(definition, run)),
    pool,
    deps: null,
  });
  opened.push(processor);
  return processor;
}

test('runs that wait for others fill their own slots, and everything else goes on beside them', async () => {
  const organization = await newOrganization();
  for (let count = 0; count < 40; count += 1) await ask(organization, hanging);
  const ending = Promise.withResolvers<void>();
  const hung = counting(() => ending.promise);
  const requests = processorOf('requests', hung);
  createRunPool(requests, { slots: 30, onError: () => {} }).wake();
  await expect.poll(() => hung.runs.length).toBe(30);
  const done = counting();
  await ask(organization, quick);
  expect(await processorOf('own', done).next()).toBe('done');
  /* Ten of the others still wait: the pool of everything else leaves them alone, however old they are. */
  jobs.clock.advance(2 * 3_600_000);
  expect(await processorOf('own', done).next()).toBe('nothing');
  expect(done.runs).toHaveLength(1);
  ending.resolve();
  await expect.poll(() => hung.runs.length).toBe(40);
  await requests.idle();
});

test('one claim starts what many would have started: by turns of organizations, within the limits of the job', async () => {
  const organizations = [await newOrganization(), await newOrganization(), await newOrganization()];
  for (const organization of organizations) {
    for (let count = 0; count < 8; count += 1) await ask(organization, narrow);
  }
  const ending = Promise.withResolvers<void>();
  const counted = counting(() => ending.promise);
  const processor = processorOf('requests', counted);
  expect(await processor.begin(4)).toHaveLength(4);
  const first = counted.runs.map((run) => run.organization);
  expect(new Set(first)).toEqual(new Set(organizations));
  expect(await processor.begin(16)).toHaveLength(1);
  expect(await processor.begin(16)).toHaveLength(0);
  const each = organizations.map(
    (organization) => counted.runs.filter((run) => run.organization === organization).length,
  );
  expect(each.toSorted()).toEqual([1, 2, 2]);
  ending.resolve();
  await processor.idle();
});

test('a pool with room starts a hundred runs of one organization with a dozen claims', async () => {
  const organization = await newOrganization();
  for (let count = 0; count < 100; count += 1) await ask(organization, hanging);
  const ending = Promise.withResolvers<void>();
  const counted = counting(() => ending.promise);
  const processor = processorOf('requests', counted);
  let claims = 0;
  const begin = (runsMax: number) => {
    claims += 1;
    return processor.begin(runsMax);
  };
  createRunPool({ begin }, { slots: 100, onError: () => {} }).wake();
  await expect.poll(() => counted.runs.length).toBe(100);
  expect(claims).toBeLessThanOrEqual(12);
  ending.resolve();
  await processor.idle();
});

test('a run that ends makes room, and the last one of many is begun without another message', async () => {
  const organization = await newOrganization();
  for (let count = 0; count < 25; count += 1) await ask(organization, hanging);
  const counted = counting();
  const processor = processorOf('requests', counted);
  createRunPool(processor, { slots: 2, onError: () => {} }).wake();
  await expect.poll(() => counted.runs.length).toBe(25);
  await processor.idle();
});

test('a run that a transaction holds keeps no other one waiting', async () => {
  const [a, b] = [await newOrganization(), await newOrganization()];
  await ask(a, quick);
  await ask(b, quick);
  const counted = counting();
  await jobs.second.inOrganization({ organization: a }, async (connection) => {
    const parts = { runsMax: 10, nowMilliseconds: jobs.clock.nowMilliseconds() };
    expect(await takeWaitingRuns(connection, a, quick, parts)).toEqual([{ thing: 'one' }]);
    expect(await processorOf('own', counted).next()).toBe('done');
    expect(await processorOf('own', counted).next()).toBe('nothing');
  });
  expect(counted.runs.map((run) => run.organization)).toEqual([b]);
  expect((await jobs.listRuns()).map(({ state }) => state)).toEqual(['done', 'done']);
});

test('what is taken along is due, of that job and that organization, and waits again after a rollback', async () => {
  const [a, b] = [await newOrganization(), await newOrganization()];
  await ask(a, quick, now(), 'due');
  await ask(a, quick, later(60), 'later');
  await ask(a, hanging, now(), 'other job');
  await ask(b, quick, now(), 'other organization');
  const take = (fails: boolean) =>
    jobs.database.inOrganization({ organization: a }, async (connection) => {
      const parts = { runsMax: 10, nowMilliseconds: jobs.clock.nowMilliseconds() };
      const taken = await takeWaitingRuns(connection, a, quick, parts);
      if (fails) throw new Error('Rolled back');
      return taken;
    });
  await expect(take(true)).rejects.toThrow('Rolled back');
  expect(await take(false)).toEqual([{ thing: 'due' }]);
  expect(await take(false)).toEqual([]);
});

test('what is taken along leaves out a payload that the job refuses: only its own run is given up', async () => {
  const organization = await newOrganization();
  for (const thing of ['one', 'of before', 'two']) await ask(organization, quick, now(), thing);
  await jobs.rows(`UPDATE job_runs SET payload = '{"thing": 1}' WHERE payload ->> 'thing' = 'of before'`);
  const parts = { runsMax: 10, nowMilliseconds: jobs.clock.nowMilliseconds() };
  const taken = await jobs.database.inOrganization({ organization }, (connection) =>
    takeWaitingRuns(connection, organization, quick, parts),
  );
  expect(taken).toEqual([{ thing: 'one' }, { thing: 'two' }]);
  const counted = counting();
  const processor = processorOf('own', counted);
  expect([await processor.next(), await processor.next()]).toEqual(['failed', 'nothing']);
  expect(counted.runs).toEqual([]);
  const runs = await jobs.rows('SELECT state, attempts, fence FROM job_runs ORDER BY id');
  expect(runs).toEqual([
    { state: 'done', attempts: 1, fence: 1 },
    { state: 'failed', attempts: 1, fence: 2 },
    { state: 'done', attempts: 1, fence: 1 },
  ]);
});

test('what waits for an organization that is switched off is counted when it is back', async () => {
  const [off, on] = [await newOrganization(), await newOrganization()];
  await ask(off, quick);
  await ask(on, quick);
  const waiting = () =>
    jobs.database.asService(async (connection) => {
      const counts = await countRuns(connection, jobs.clock.nowMilliseconds());
      return counts.map(({ job, waiting }) => [job, waiting]);
    });
  await jobs.rows(`UPDATE organizations SET standing = 'suspended' WHERE id = $1`, [off]);
  expect(await waiting()).toEqual([['do-quickly', 1]]);
  await jobs.rows(`UPDATE organizations SET standing = 'past_due' WHERE id = $1`, [off]);
  expect(await waiting()).toEqual([['do-quickly', 2]]);
});

test('a thing that is asked for again and again has one run, at the earliest of the instants', async () => {
  const organization = await newOrganization();
  const place = (before: number | null, runAt: string, definition = hanging) =>
    jobs.database.inOrganization({ organization }, async (connection) => {
      const [id] = await placeRuns(connection, organization, [
        { definition, payload: { thing: 'one' }, runAt, before },
      ]);
      return id ?? null;
    });
  const first = await place(null, later(3_600));
  expect(await place(first, later(60), quick)).toBe(first);
  expect(await place(first, later(120), quick)).toBe(first);
  expect(await jobs.rows('SELECT job, next_at FROM job_runs')).toEqual([
    { job: 'do-quickly', next_at: new Date(later(60)) },
  ]);
  jobs.clock.advance(60_000);
  const counted = counting(async () => {
    /* It works already: whoever asks now relies on it. */
    expect(await place(first, now())).toBe(first);
  });
  expect(await processorOf('own', counted).next()).toBe('done');
  expect(counted.runs.map(({ id }) => id)).toEqual([first]);
  const next = await place(first, now());
  expect(next).not.toBe(first);
  expect((await jobs.listRuns()).map(({ state }) => state)).toEqual(['done', 'queued']);
});
