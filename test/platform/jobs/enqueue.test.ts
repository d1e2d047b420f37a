import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { newId } from '../../../src/platform/ids.ts';
import { enqueue, enqueueEach } from '../../../src/platform/jobs/enqueue.ts';
import { job } from '../../../src/platform/jobs/jobs.ts';
import { counting, JobFixture } from './fixture.ts';

const jobs = new JobFixture();
const organization = newId('org');
const customer = newId('cus');
const greet = job({
  name: 'greet-somebody',
  when: 'with each greeting',
  does: 'greets',
  payload: z.object({
    customer: z.string().regex(/^cus_/, 'needs the id of a customer'),
    on: z.iso.date().optional(),
  }),
  attempts: 3,
  retrySeconds: 60,
});
const payload = { customer };

beforeAll(() => jobs.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [organization]));

const now = (laterMilliseconds = 0) =>
  new Date(jobs.clock.nowMilliseconds() + laterMilliseconds).toISOString();
const ask = (request: { key?: string; runAt?: string } = {}, database = jobs.database) =>
  database.inOrganization({ organization }, (connection) =>
    enqueue(connection, greet, payload, { runAt: now(), ...request }),
  );

test('a run that was asked for leaves with the commit: the job sees payload, organization and instant', async () => {
  expect(await ask()).toBe(true);
  const counted = counting();
  expect(await jobs.processorOf('one', counted, { job: greet }).next()).toBe('done');
  expect(counted.runs).toMatchObject([{ payload, organization, dueAt: now() }]);
  expect(await jobs.onlyRun()).toMatchObject({ state: 'done', organization_id: organization });
});

test('rolled back: no run, and nobody is told', async () => {
  const told: string[] = [];
  const database = openDatabase({
    url: jobs.databaseUrl,
    applicationName: 'jobs-test',
    connectionsMax: 1,
    onError: () => {},
    onEnqueued: (runAt) => told.push(...runAt),
  });
  const change = database.inOrganization({ organization }, async (connection) => {
    await enqueue(connection, greet, payload, { runAt: now() });
    throw new Error('The change was refused');
  });
  await expect(change).rejects.toThrow('The change was refused');
  expect([await jobs.listRuns(), told]).toEqual([[], []]);
  await ask({}, database);
  expect([(await jobs.listRuns()).length, told]).toEqual([1, [now()]]);
  await database.close();
});

test('a key makes it once: while it waits, when it is done, when it was given up', async () => {
  expect([await ask({ key: 'a' }), await ask({ key: 'a' })]).toEqual([true, false]);
  const processor = jobs.processorOf('one', counting(), { job: greet });
  expect([await processor.next(), await processor.next()]).toEqual(['done', 'nothing']);
  expect([await ask({ key: 'a' }), await ask({ key: 'b' })]).toEqual([false, true]);
  await jobs.rows(`UPDATE job_runs SET state = 'failed'`);
  expect(await ask({ key: 'b' })).toBe(false);
  expect(await jobs.listRuns()).toHaveLength(2);
});

test('a key makes it once for two transactions at the same time, whichever of them commits', async () => {
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const losing = jobs.database.inOrganization({ organization }, async (connection) => {
    await enqueue(connection, greet, payload, { key: 'a', runAt: now() });
    begun.resolve();
    await first.promise;
    throw new Error('The change was refused');
  });
  await begun.promise;
  const second = ask({ key: 'a' }, jobs.second);
  const third = ask({ key: 'a' }, jobs.second);
  first.resolve();
  await expect(losing).rejects.toThrow('The change was refused');
  expect((await Promise.all([second, third])).filter(Boolean)).toHaveLength(1);
  expect(await jobs.listRuns()).toHaveLength(1);
});

test('the same key in another organization is another run, and none tells that it is there', async () => {
  const other = newId('org');
  await jobs.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [other]);
  await ask({ key: 'a' });
  const there = (connection: Parameters<typeof enqueue>[0]) =>
    enqueue(connection, greet, payload, { key: 'a', runAt: now() });
  expect(await jobs.database.inOrganization({ organization: other }, there)).toBe(true);
  expect(await jobs.database.asService(there)).toBe(true);
  expect((await jobs.listRuns()).map((run) => run.organization_id)).toEqual([organization, other, null]);
});

test('who acts for a customer asks for a run and sees none', async () => {
  const tenant = { organization, customer };
  const count = await jobs.database.inOrganization(tenant, (connection) =>
    enqueueEach(connection, greet, [
      { payload, key: 'b', runAt: now() },
      { payload, key: 'a', runAt: now() },
      { payload, key: 'b', runAt: now() },
    ]),
  );
  expect(count).toBe(2);
  const seen = await jobs.database.inOrganization(tenant, (connection) =>
    connection.selectFrom('job_runs').select('id').execute(),
  );
  expect(seen).toEqual([]);
});

test('a bad payload is refused when it is asked for, with field and rule, and nothing is written', async () => {
  const refused = jobs.database.inOrganization({ organization }, (connection) =>
    enqueueEach(connection, greet, [
      { payload, runAt: now() },
      { payload: { customer: 'sub_1', on: 'tomorrow' }, runAt: now() },
    ]),
  );
  await expect(refused).rejects.toThrow(
    /^Payload of greet-somebody: customer: needs the id of a customer; on: Invalid ISO date$/,
  );
  expect(await jobs.listRuns()).toEqual([]);
});

test('a bad payload in a row is refused when it runs, and not tried again', async () => {
  await ask();
  await jobs.rows(`UPDATE job_runs SET payload = '{"customer":7}'`);
  const counted = counting();
  expect(await jobs.processorOf('one', counted, { job: greet }).next()).toBe('failed');
  expect(counted.runs).toEqual([]);
  expect((await jobs.onlyRun()).error).toMatch(/^Payload of greet-somebody: customer: /);
});

test('a run for later waits for its instant, in rounds and over a clock that is looked after', async () => {
  await ask({ runAt: now(5 * 3_600_000) });
  const processor = jobs.processorOf('one', counting(), { job: greet });
  await jobs.reconcile();
  expect(await processor.next()).toBe('nothing');
  jobs.clock.advance(5 * 3_600_000 - 1_000);
  await jobs.reconcile();
  expect(await processor.next()).toBe('nothing');
  jobs.clock.advance(1_000);
  expect(await processor.next()).toBe('done');
});

test('a run that is tried again says when, so that the queue comes back to it', async () => {
  await ask();
  const told: string[] = [];
  const failing = jobs.processorOf(
    'one',
    counting(() => Promise.reject(new Error('no answer'))),
    {
      job: greet,
      nudge: (at) => told.push(...at),
    },
  );
  expect(await failing.next()).toBe('returned');
  expect(told).toEqual([now(), now(60_000)]);
});

test.each(['suspended', 'deleted'])(
  'I18 jobs of an organization that is %s wait until it is back',
  async (standing) => {
    await ask();
    const stand = (as: string) =>
      jobs.rows('UPDATE organizations SET standing = $2 WHERE id = $1', [organization, as]);
    await stand(standing);
    const processor = jobs.processorOf('one', counting(), { job: greet });
    expect(await processor.next()).toBe('nothing');
    await stand('in_order');
    expect(await processor.next()).toBe('done');
  },
);
