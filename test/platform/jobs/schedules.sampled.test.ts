import { expect, test } from 'vitest';
import { reconcile, registerSchedules } from '../../../src/platform/jobs/reconciler.ts';
import { isLongTier, runs } from '../../setup/tier.ts';
import { counting, everyMinute, JobFixture, line } from './fixture.ts';

const HOUR = 3_600_000;
const jobs = new JobFixture();

test.each([
  ['all', 12],
  ['last', 1],
  ['skip', 0],
] as const)('three hours down over twelve ticks: %s leaves %i runs', async (catchUp, expected) => {
  await jobs.register([line('0 */15 * * * *', catchUp)]);
  jobs.clock.advance(3 * HOUR);
  expect(await jobs.reconcile()).toBe(expected);
  expect(await jobs.reconcile()).toBe(0);
  expect(await jobs.listRuns()).toHaveLength(expected);
});

const ROUNDS = runs(20);

test(`two reconcilers at once, ${ROUNDS} rounds: every tick is there, none twice`, async () => {
  await jobs.register([line('0 * * * * *', 'all'), line('30 * * * * *', 'all', 'half')]);
  for (let round = 0; round < ROUNDS; round += 1) {
    jobs.clock.advance(20_000);
    await Promise.all([jobs.reconcile(), reconcile({ database: jobs.second, clock: jobs.clock })]);
  }
  await jobs.reconcile();
  const found = await jobs.listRuns();
  expect(found).toHaveLength(2 * Math.floor((ROUNDS * 20) / 60) + 1);
  expect(new Set(found.map((run) => run.due_at)).size).toBe(found.length);
});

test('F21 a clock that is set back by ten minutes makes no tick run twice', async () => {
  await jobs.register(everyMinute);
  jobs.clock.advance(HOUR / 2);
  await jobs.reconcile();
  const before = await jobs.listRuns();
  jobs.clock.advance(-600_000);
  expect(await jobs.reconcile()).toBe(0);
  jobs.clock.advance(600_000 + 60_000);
  expect(await jobs.reconcile()).toBe(1);
  expect(await jobs.listRuns()).toHaveLength(before.length + 1);
});

test.each([
  ['goes on by itself', false],
  ['goes on with a new start of the worker', true],
])('after a clock that ran ahead for a while the schedule %s', async (_how, restarts) => {
  const clock = jobs.clock.nowMilliseconds();
  const lastOnly = [line('0 * * * * *', 'last')];
  await jobs.register(lastOnly);
  jobs.clock.advance(400 * 24 * HOUR);
  await jobs.reconcile();
  jobs.clock.set(new Date(clock).toISOString());
  const ahead = (await jobs.listRuns()).length;
  if (restarts) await jobs.register(lastOnly);
  expect(await jobs.reconcile()).toBe(0);
  jobs.clock.advance(60_000);
  expect(await jobs.reconcile()).toBe(1);
  expect(await jobs.listRuns()).toHaveLength(ahead + 1);
});

test('a run that a clock ahead has queued is started by the right clock', async () => {
  await jobs.register(everyMinute);
  const clock = new Date(jobs.clock.nowMilliseconds()).toISOString();
  jobs.clock.advance(400 * 24 * HOUR);
  await jobs.register([line('0 * * * * *', 'last')]);
  await jobs.reconcile();
  jobs.clock.set(clock);
  expect(await jobs.processorOf('one', counting()).next()).toBe('nothing');
  await jobs.reconcile();
  expect(await jobs.processorOf('one', counting()).next()).toBe('done');
});

test('a pattern that changes: what was due under the old one still runs, the new one begins now', async () => {
  await jobs.register([line('0 */15 * * * *', 'all')]);
  jobs.clock.advance(HOUR);
  await jobs.register([line('0 */5 * * * *', 'all')]);
  expect((await jobs.listRuns()).map((run) => run.due_at.slice(11, 16))).toEqual([
    '06:15',
    '06:30',
    '06:45',
    '07:00',
  ]);
  jobs.clock.advance(600_000);
  await jobs.reconcile();
  expect((await jobs.listRuns()).map((run) => run.due_at.slice(11, 16)).slice(4)).toEqual(['07:05', '07:10']);
});

test('a line that also runs at the start is due when a worker starts, once, however many start', async () => {
  const lines = [{ ...line('0 30 3 * * *', 'skip'), atStart: true }];
  await Promise.all([
    jobs.register(lines),
    registerSchedules({ database: jobs.second, clock: jobs.clock }, lines),
  ]);
  expect(await jobs.listRuns()).toMatchObject([{ due_at: '2026-11-05T06:01:40.000Z', state: 'queued' }]);
  const asleep = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const counted = counting(() => {
    begun.resolve();
    return asleep.promise;
  });
  const running = jobs.processorOf('one', counted).next();
  await begun.promise;
  jobs.clock.advance(1_000);
  await jobs.register(lines);
  expect(await jobs.listRuns()).toHaveLength(1);
  asleep.resolve();
  expect(await running).toBe('done');
  await jobs.register(lines);
  expect((await jobs.listRuns()).map((run) => run.state)).toEqual(['done', 'queued']);
});

test('a line that starts anew makes no past ticks, one that is gone makes no more', async () => {
  await jobs.register([line('0 * * * * *', 'all'), line('0 * * * * *', 'all', 'other')]);
  expect(await jobs.reconcile()).toBe(0);
  await jobs.register(everyMinute);
  jobs.clock.advance(60_000);
  expect(await jobs.reconcile()).toBe(1);
});

const ROUND_SECONDS = isLongTier ? 30 : 120;

test.each([
  ['spring', '2027-03-28T00:50:00Z'],
  ['autumn', '2027-10-30T23:50:00Z'],
])(`the %s day on which the clocks change, in rounds of ${ROUND_SECONDS} seconds`, async (_name, start) => {
  jobs.clock.set(start);
  await jobs.register([line('0 */15 * * * *', 'all'), line('0 30 3 * * *', 'last', 'daily')]);
  for (let round = 0; round < (4 * 3_600) / ROUND_SECONDS; round += 1) {
    jobs.clock.advance(ROUND_SECONDS * 1_000);
    await jobs.reconcile();
  }
  const found = await jobs.listRuns();
  expect(found).toHaveLength(4 * 4 + 1);
  expect(new Set(found.map((run) => run.due_at)).size).toBe(16);
});
