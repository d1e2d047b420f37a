import { beforeEach, expect, test } from 'vitest';
import { deliveryDayOf } from '../../../src/spot-prices/jobs.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T22:59:50Z' });

beforeEach(() => run.empty());

test('a job due at 23:59:50 that runs at 00:00:10 pulls the day after the one on which it was due', async () => {
  const dueAt = '2026-11-20T22:59:50.000Z';
  run.clock.set('2026-11-20T23:00:10Z');
  const result = await run.runJob('pull-spot-prices', dueAt, { day: '+1' });
  expect(result).toMatchObject({ delivery_on: '2026-11-21', outcome: 'complete' });
  expect(await run.servedCents('2026-11-21')).toEqual(formulaCents('2026-11-21'));
  expect(await run.servedCents('2026-11-22')).toEqual([]);
});

test.each([
  ['2026-03-28T22:59:59.999Z', 1, '2026-03-29'],
  ['2026-03-28T23:00:00.000Z', 1, '2026-03-30'],
  ['2026-10-25T22:59:59.000Z', 0, '2026-10-25'],
  ['2026-10-25T23:00:00.000Z', 0, '2026-10-26'],
  ['2026-11-21T08:20:00.123456Z', -7, '2026-11-14'],
])('due at %s, %i days on: delivery day %s', (dueAt, days, expected) => {
  expect(deliveryDayOf(dueAt, days)).toBe(expected);
});

test('a pull of a day that is complete makes no request', async () => {
  run.clock.set('2026-11-20T14:00:00Z');
  await run.runJob('pull-spot-prices', '2026-11-20T14:00:00.000Z', { day: '+1' });
  const before = run.requests();
  const again = await run.runJob('pull-spot-prices', '2026-11-20T14:05:00.000Z', { day: '+1' });
  expect(again).toMatchObject({ outcome: 'already_complete', lateness: 'in_time' });
  expect(run.requests()).toBe(before);
});

test('a result that comes after the daily comparison is compared by its own pull', async () => {
  run.feed.set({
    entsoe: { delay_minutes: 240 },
    smard: { delay_minutes: 240 },
    'energy-charts': { delay_minutes: 240 },
  });
  run.clock.set('2026-11-20T15:20:00Z');
  expect(
    await run.runJob('cross-check-spot-prices', '2026-11-20T15:20:00.000Z', { day: '+1' }),
  ).toMatchObject({
    delivery_on: '2026-11-21',
  });
  const calls = run.feed.requests().awattar;
  run.clock.set('2026-11-20T16:30:00Z');
  const result = await run.runJob('pull-spot-prices', '2026-11-20T16:30:00.000Z', { day: '+1' });
  expect(result).toMatchObject({ outcome: 'complete', compared: { deliveryOn: '2026-11-21' } });
  expect(run.feed.requests().awattar).toBeGreaterThan(calls);
});
