import { expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../../src/platform/ids.ts';
import { enqueueEach } from '../../../src/platform/jobs/enqueue.ts';
import { type JobDefinition, job } from '../../../src/platform/jobs/jobs.ts';
import type { Processor } from '../../../src/platform/jobs/processor.ts';
import { claimRuns } from '../../../src/platform/jobs/queries.ts';
import { CountedPages } from '../../lists/many-rows.ts';
import { counting, JobFixture } from './fixture.ts';

const jobs = new JobFixture();

const definition = (concurrency: number, concurrencyPerOrganization: number) =>
  job({
    name: 'count-turns',
    when: 'when the test asks',
    does: 'counts turns',
    payload: z.object({}),
    attempts: 3,
    retrySeconds: 60,
    concurrency,
    concurrencyPerOrganization,
  });

async function newOrganization(): Promise<string> {
  const id = newId('org');
  await jobs.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [id]);
  return id;
}

async function ask(organization: string, job: JobDefinition, count: number): Promise<void> {
  const runAt = jobs.clock.now().toISOString();
  await jobs.database.inOrganization({ organization }, (connection) =>
    enqueueEach(
      connection,
      job,
      Array.from({ length: count }, () => ({ payload: {}, runAt })),
    ),
  );
}

/** Starts as many as may work at the same time, in two processes at once or in turn, and says for whom. */
async function startAll(job: JobDefinition, when: 'at once' | 'in turn' = 'at once'): Promise<string[]> {
  const ending = Promise.withResolvers<void>();
  const counted = counting(() => ending.promise);
  const processors: Processor[] = [
    jobs.processorOf('one', counted, { job }),
    jobs.processorOf('two', counted, { job, database: jobs.second }),
  ];
  const starts: Promise<unknown>[] = [];
  let refused = 0;
  const untilAllBegan = () => expect.poll(() => refused + counted.runs.length).toBe(starts.length);
  for (let index = 0; index < 12; index += 1) {
    const start = processors[index % 2]?.next();
    void start?.then((outcome) => (refused += outcome === 'nothing' ? 1 : 0));
    starts.push(Promise.resolve(start));
    if (when === 'in turn') await untilAllBegan();
  }
  await untilAllBegan();
  const started = counted.runs.map((run) => run.organization ?? '');
  ending.resolve();
  await Promise.all(starts);
  return started;
}

test('no more runs of a job work at the same time than it says, in all processes together', async () => {
  const three = definition(3, 10);
  const organization = await newOrganization();
  await ask(organization, three, 20);
  expect(await startAll(three)).toHaveLength(3);
});

test('no more runs of a job work for one organization than it says, and another one has its own', async () => {
  const two = definition(10, 2);
  const [a, b] = [await newOrganization(), await newOrganization()];
  await ask(a, two, 20);
  await ask(b, two, 20);
  expect((await startAll(two)).sort()).toEqual([a, a, b, b].sort());
});

test('one organization asks for a thousand runs, then another for two: they take turns', async () => {
  const job = definition(10, 10);
  const [a, b] = [await newOrganization(), await newOrganization()];
  await ask(a, job, 1_000);
  jobs.clock.advance(1_000);
  await ask(b, job, 2);
  const counted = counting();
  const processor = jobs.processorOf('one', counted, { job });
  for (let turn = 0; turn < 6; turn += 1) {
    jobs.clock.advance(1_000);
    expect(await processor.next()).toBe('done');
  }
  expect(counted.runs.map((run) => (run.organization === a ? 'a' : 'b')).join('')).toBe('ababaa');
});

test('an organization with runs under way waits for one that has none', async () => {
  const job = definition(10, 10);
  const [a, b] = [await newOrganization(), await newOrganization()];
  await ask(a, job, 4);
  await ask(b, job, 4);
  const started = await startAll(job, 'in turn');
  expect(started).toHaveLength(8);
  for (let pair = 0; pair < 8; pair += 2) expect(new Set(started.slice(pair, pair + 2)).size).toBe(2);
});

test('a claim looks at the lanes that wait, not at the runs in them', async () => {
  const job = definition(100, 100);
  await ask(await newOrganization(), job, 10_000);
  await jobs.rows('VACUUM ANALYZE job_runs');
  const counted = await CountedPages.open(jobs.testDatabase);
  const now = jobs.clock.nowMilliseconds();
  const claim = () =>
    claimRuns(counted.connection, [job], { nowMilliseconds: now, unknownBeforeMilliseconds: 0 });
  try {
    /* The first call of a function on a connection reads the catalog; a vacuum beside it lets it be read once more. */
    const pages: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      const before = counted.pages;
      await claim();
      pages.push(counted.pages - before);
    }
    /* 10,000 runs stand on 150 pages. */
    expect(Math.min(...pages)).toBeLessThan(100);
    expect((await jobs.listRuns()).filter(({ state }) => state === 'running')).toHaveLength(4);
  } finally {
    await counted.close();
  }
});
