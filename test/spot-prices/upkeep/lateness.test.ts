import { beforeEach, expect, test } from 'vitest';
import { latenessAt } from '../../../src/spot-prices/upkeep/lateness.ts';
import { PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T11:50:00Z' });
const UNPUBLISHED = { absent_days: ['2026-11-21'] };
const unpublished = { entsoe: UNPUBLISHED, smard: UNPUBLISHED, 'energy-charts': UNPUBLISHED };

beforeEach(() => run.empty());

async function pullAt(instant: string, day: '+1' | '0') {
  run.clock.set(instant);
  return await run.runJob('pull-spot-prices', instant, { day });
}

const alarms = () =>
  run.rows<{ kind: string; delivery_on: string; resolved: boolean }>(
    `SELECT kind, delivery_on::text, resolved_at IS NOT NULL AS resolved FROM price_alarms ORDER BY id`,
  );
const said = (level: string) => run.lines.filter((line) => line.level === level).map((line) => line.msg);

test('nothing published: silent at 12:50, a warning at 15:05, an alarm at 00:10 of the day, resolved when it is there', async () => {
  run.feed.set(unpublished);
  expect(await pullAt('2026-11-20T11:50:00.000Z', '+1')).toMatchObject({
    outcome: 'not_published',
    changed: false,
    lateness: 'normal',
  });
  expect([...said('warn'), ...said('error')]).toEqual([]);
  expect(await run.rows('SELECT FROM spot_prices')).toEqual([]);

  expect(await pullAt('2026-11-20T14:05:00.000Z', '+1')).toMatchObject({ lateness: 'warning' });
  expect(said('warn')).toEqual(['tomorrow is not complete yet']);
  expect(await alarms()).toEqual([]);

  expect(await pullAt('2026-11-20T23:10:00.000Z', '0')).toMatchObject({
    delivery_on: '2026-11-21',
    lateness: 'alarm',
  });
  await pullAt('2026-11-21T00:10:00.000Z', '0');
  expect(said('error')).toHaveLength(1);
  expect(await alarms()).toEqual([{ kind: 'late', delivery_on: '2026-11-21', resolved: false }]);
  expect(await run.rows('SELECT detail FROM price_alarms')).toEqual([
    { detail: 'Prices of 2026-11-21 are missing although delivery has begun' },
  ]);

  run.feed.set({ entsoe: {} });
  expect(await pullAt('2026-11-21T01:10:00.000Z', '0')).toMatchObject({
    outcome: 'complete',
    lateness: 'in_time',
  });
  expect(await alarms()).toEqual([{ kind: 'late', delivery_on: '2026-11-21', resolved: true }]);
});

test('an alarm of a day that became complete by another way is resolved by the next look', async () => {
  run.feed.set(unpublished);
  await pullAt('2026-11-21T08:10:00.000Z', '0');
  expect(await alarms()).toMatchObject([{ resolved: false }]);
  run.feed.set({ smard: {} });
  await run.rows(`UPDATE price_sources SET paused_until = NULL`);
  await run.runJob('fill-price-gaps', '2026-11-21T08:20:00.000Z');
  expect(await alarms()).toMatchObject([{ resolved: true }]);
});

test.each([
  ['2026-11-21', '2026-11-20T13:59:59Z', 'normal'],
  ['2026-11-21', '2026-11-20T14:00:00Z', 'warning'],
  ['2026-11-21', '2026-11-20T22:59:59Z', 'warning'],
  ['2026-11-21', '2026-11-20T23:00:00Z', 'alarm'],
  ['2026-07-02', '2026-07-01T12:59:59Z', 'normal'],
  ['2026-07-02', '2026-07-01T13:00:00Z', 'warning'],
  ['2026-03-29', '2026-03-28T23:00:00Z', 'alarm'],
  ['2026-10-26', '2026-10-25T14:00:00Z', 'warning'],
])('%s not complete at %s: %s', (deliveryOn, instant, expected) => {
  expect(latenessAt(deliveryOn, Date.parse(instant))).toBe(expected);
});
