import { beforeEach, expect, test } from 'vitest';
import { addDays, daysBetween, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { fillGaps } from '../../../src/spot-prices/upkeep/gaps.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T10:00:00Z' });
const TODAY = '2026-11-20';
const UNWELL = { status: 503 } as const;
const allUnwell = { entsoe: UNWELL, smard: UNWELL, 'energy-charts': UNWELL };

beforeEach(async () => {
  await run.empty();
  run.clock.set('2026-11-20T10:00:00Z');
});

const fill = () => run.runJob('fill-price-gaps', run.deps.clock.now().toISOString());
const stored = async () =>
  (
    await run.rows<{ day: string }>('SELECT DISTINCT delivery_on::text AS day FROM spot_prices ORDER BY 1')
  ).map((row) => row.day);
const pulled = (deliveryOn: string) => pullDay(run.deps, { deliveryOn });

test('a fresh installation asks for today only', async () => {
  expect(await fill()).toMatchObject({ today: TODAY, open: 1, filled: [TODAY], unreached: 0 });
  expect(await stored()).toEqual([TODAY]);
  expect(await run.servedCents(TODAY)).toEqual(formulaCents(TODAY));
});

test('every day since the oldest one is filled, oldest first, at the pace of the feeds; tomorrow is not its business', async () => {
  run.clock.set('2026-10-28T10:00:00Z');
  await pulled('2026-10-24');
  await pulled('2026-10-26');
  run.waits.length = 0;
  const all = daysBetween('2026-10-24', '2026-10-28');
  const days = all.filter((day) => !['2026-10-24', '2026-10-26'].includes(day));
  expect(await fill()).toMatchObject({ open: days.length, filled: days, still_open: [] });
  expect(await stored()).toEqual(all);
  expect(run.waits).toEqual(days.slice(1).map(() => 1_000));
  for (const day of ['2026-10-25', '2026-10-28'])
    expect(await run.servedCents(day)).toEqual(formulaCents(day));
  const before = run.requests();
  expect(await fill()).toMatchObject({ open: 0 });
  expect(run.requests()).toBe(before);
});

test('at most 400 days back', async () => {
  await pulled('2024-01-10');
  run.feed.set(allUnwell);
  await expect(fill()).rejects.toThrow(/No feed could be reached for 401 delivery days/);
});

test('no feed answers: the run fails to be repeated, and the repetition fills everything', async () => {
  await pulled('2026-11-17');
  run.feed.set(allUnwell);
  await expect(fill()).rejects.toThrow('No feed could be reached for 3 delivery days; 0 were filled');
  run.feed.set({ entsoe: {}, smard: {}, 'energy-charts': {} });
  run.clock.advance(3_600_000);
  expect(await fill()).toMatchObject({ open: 3, unreached: 0, still_open: [] });
  expect(await stored()).toEqual(daysBetween('2026-11-17', TODAY));
});

test('a day that no feed has for good is asked for once a week; a young one every time', async () => {
  const absent = { absent_days: ['2026-11-12', '2026-11-18'] };
  run.feed.set({ entsoe: absent, smard: absent, 'energy-charts': absent });
  await pulled('2026-11-11');
  expect(await fill()).toMatchObject({ still_open: ['2026-11-12', '2026-11-18'] });
  for (let night = 1; night <= 6; night += 1) {
    run.clock.set(`${addDays(TODAY, night)}T02:30:00Z`);
    const report = await fill();
    expect(report).toMatchObject({ given_up: night <= 5 ? 1 : 2 });
    expect(report.still_open).toEqual(night <= 5 ? ['2026-11-18'] : []);
  }
  run.clock.set(`${addDays(TODAY, 7)}T09:30:00Z`);
  run.feed.set({ smard: {} });
  expect(await fill()).toMatchObject({ given_up: 1, filled: expect.arrayContaining(['2026-11-12']) });
  expect(await run.servedCents('2026-11-12')).toEqual(formulaCents('2026-11-12'));
});

test('a day whose feed failed is not given up', async () => {
  const absent = { absent_days: ['2026-11-12'] };
  run.feed.set({ entsoe: absent, smard: absent, 'energy-charts': UNWELL });
  await pulled('2026-11-11');
  await fill();
  run.clock.advance(24 * 3_600_000);
  expect(await fill()).toMatchObject({ given_up: 0, still_open: ['2026-11-12'] });
});

test('a stop in the middle leaves what was stored, and the next run goes on', async () => {
  await pulled('2026-11-15');
  const stopping = new AbortController();
  let waits = 0;
  const parts = {
    ...run.deps,
    wait: async () => {
      waits += 1;
      if (waits === 3) stopping.abort(new Error('stop'));
    },
  };
  await expect(fillGaps(parts, { today: TODAY, signal: stopping.signal })).rejects.toThrow('stop');
  expect(await stored()).toHaveLength(4);
  await fill();
  expect(await stored()).toEqual(daysBetween('2026-11-15', TODAY));
});

test('a nightly run serves days whose suspicion is over before it asks anybody', async () => {
  const [suspect, before] = ['2026-11-19', daysBetween('2026-11-12', '2026-11-18')];
  const dear = before.flatMap((day) =>
    startsOf(gridOf(day)).map((start, index) => ({
      interval: `${new Date(start).toISOString().slice(0, 16)}Z`,
      value: (formulaCents(day)[index] ?? 0) / 10,
    })),
  );
  run.feed.set({ smard: { revision: dear } });
  for (const days of [before, [suspect]]) await pullChunk(run.deps, { source: 'smard', days });
  expect(await stored()).not.toContain(suspect);
  run.feed.set({ smard: {} });
  await pullChunk(run.deps, { source: 'smard', days: before, recheck: true });
  run.feed.set(allUnwell);
  await expect(fill()).rejects.toThrow('No feed could be reached for 1 delivery days');
  expect(await run.servedCents(suspect)).toEqual(formulaCents(suspect));
});
