import { expect, test } from 'vitest';
import { billPortionJob } from '../../../../src/billing/invoices/jobs.ts';
import { newId } from '../../../../src/platform/ids.ts';
import { enqueueEach } from '../../../../src/platform/jobs/enqueue.ts';
import { counting, JobFixture } from '../../../platform/jobs/fixture.ts';

const jobs = new JobFixture();

async function newOrganization(): Promise<string> {
  const id = newId('org');
  await jobs.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [id]);
  return id;
}

/** As a run does: one request for each portion of its contracts. */
async function askForPortions(organization: string, count: number): Promise<void> {
  const run = newId('brun');
  const runAt = jobs.clock.now().toISOString();
  const portions = Array.from({ length: count }, () => {
    const contract = newId('sub');
    return { payload: { run, first: contract, last: contract }, key: `${run} ${contract}`, runAt };
  });
  await jobs.database.inOrganization({ organization }, (connection) =>
    enqueueEach(connection, billPortionJob, portions),
  );
}

async function atWork(): Promise<(string | null)[]> {
  const runs = await jobs.listRuns();
  return runs.filter(({ state }) => state === 'running').map(({ organization_id }) => organization_id);
}

test('a long run of one organization leaves room: a portion of another one begins beside it and keeps its turn', async () => {
  const [large, small] = [await newOrganization(), await newOrganization()];
  await askForPortions(large, 40);
  const ends: (() => void)[] = [];
  const portions = counting(() => new Promise<void>((resolve) => ends.push(resolve)));
  const workers = [
    jobs.processorOf('one', portions, { job: billPortionJob }),
    jobs.processorOf('two', portions, { job: billPortionJob, database: jobs.second }),
  ];
  /* As many as both processes may begin, with nobody else there yet. */
  const beginAll = async () => (await Promise.all(workers.map((worker) => worker.begin(10)))).flat();
  const begun = await beginAll();
  expect(await atWork()).toEqual([large, large, large]);
  jobs.clock.advance(1_000);
  await askForPortions(small, 2);
  begun.push(...(await beginAll()));
  expect(await atWork()).toEqual([large, large, large, small]);
  /* A place that becomes free goes to who has less at work, however long the others wait. */
  await expect.poll(() => ends.length).toBe(4);
  ends[0]?.();
  await begun[0]?.ended;
  begun.push(...(await beginAll()));
  expect(await atWork()).toEqual([large, large, small, small]);
  await expect.poll(() => ends.length).toBe(5);
  for (const end of ends) end();
  expect(await Promise.all(begun.map(({ ended }) => ended))).toEqual(begun.map(() => 'done'));
});
