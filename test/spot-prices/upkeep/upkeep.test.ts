import { beforeEach, expect, test } from 'vitest';
import { addDays, daysBetween, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import type { RealizedSource } from '../../../src/spot-prices/providers/index.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { preferSource } from '../../../src/spot-prices/store/operator-choice.ts';
import { priceGauges } from '../../../src/spot-prices/upkeep/gauges.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T10:00:00Z' });
const TODAY = '2026-11-20';

beforeEach(async () => {
  await run.empty();
  run.clock.set('2026-11-20T08:20:00Z');
});

const recheck = () =>
  run.runJob('recheck-spot-prices', run.deps.clock.now().toISOString(), { from: '-7', to: '-1' });

test('the re-check asks every feed for all seven days and stores what was corrected as revisions only', async () => {
  run.feed.set({ smard: { quarters_flat: ['2026-11-17'] }, entsoe: { absent_days: ['2026-11-17'] } });
  await pullDay(run.deps, { deliveryOn: '2026-11-17' });
  const others = daysBetween(addDays(TODAY, -7), addDays(TODAY, -1)).filter((day) => day !== '2026-11-17');
  await pullChunk(run.deps, { source: 'entsoe', days: others });
  expect(await run.servedCents('2026-11-17')).not.toEqual(formulaCents('2026-11-17'));
  run.feed.set({ smard: {} });
  const result = await recheck();
  expect(result).toMatchObject({ from: '2026-11-13', to: '2026-11-19', changed: ['2026-11-17'] });
  expect(result.outcomes).toMatchObject({
    entsoe: { published: 6, not_published: 1 },
    smard: { published: 7 },
    'energy-charts': { published: 7 },
  });
  expect(await run.servedCents('2026-11-17')).toEqual(formulaCents('2026-11-17'));
  const revised = await run.rows<{ source: string; day: string }>(
    `SELECT DISTINCT source, (interval_start AT TIME ZONE 'Europe/Berlin')::date::text AS day
       FROM price_revisions WHERE revision > 1`,
  );
  expect(revised).toEqual([{ source: 'smard', day: '2026-11-17' }]);
  expect(await recheck()).toMatchObject({ changed: [] });
});

test('a tenfold revision of a served day is held, and another origin is asked about it at once', async () => {
  const day = '2026-11-19';
  run.feed.set({ entsoe: { status: 503 } });
  for (const before of daysBetween(addDays(day, -7), day))
    await pullChunk(run.deps, { source: 'smard', days: [before] });
  await run.runJob('cross-check-spot-prices', '2026-11-18T15:20:00.000Z', { day: '1' });
  const before = await run.servedCents(day);
  const revision = startsOf(gridOf(day)).map((start, index) => ({
    interval: `${new Date(start).toISOString().slice(0, 16)}Z`,
    value: (before[index] ?? 0) / 10,
  }));
  const tenfold = { revision };
  run.feed.set({ smard: tenfold, entsoe: { status: 503 } });
  expect(await recheck()).toMatchObject({ changed: [], compared: expect.arrayContaining([day]) });
  expect(await run.servedCents(day)).toEqual(before);
  run.feed.set({ smard: tenfold, entsoe: { status: 503 }, awattar: tenfold });
  await recheck();
  expect(await run.servedCents(day)).toEqual(before.map((cents) => cents * 10));
});

test('a re-check of feeds that fail, or have less than before, takes nothing away', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  run.feed.set({
    entsoe: { drop: ['2026-11-19T10:00Z'] },
    smard: { empty: true },
    'energy-charts': { status: 503 },
  });
  expect((await recheck()).changed).not.toContain('2026-11-19');
  expect(await run.servedCents('2026-11-19')).toEqual(formulaCents('2026-11-19'));
});

test('bodies go after 90 days, except behind a rejection, an alarm or a revision', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-18' });
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  run.feed.set({ entsoe: { revision: { interval: '2026-11-19T11:00Z', value: 41.5 } } });
  await pullDay(run.deps, { deliveryOn: '2026-11-19', recheck: true, sources: ['entsoe'] });
  run.feed.set({ entsoe: { currency: 'SEK' } });
  await pullDay(run.deps, { deliveryOn: '2026-11-20', sources: ['entsoe'] });
  const kept = async () =>
    (
      await run.rows<{ why: string }>(
        `SELECT exchange.outcome || ' ' || exchange.delivery_from AS why
           FROM price_payloads AS body JOIN price_fetches AS exchange USING (payload_hash) ORDER BY exchange.id`,
      )
    ).map((row) => row.why);
  expect(await kept()).toEqual([
    'published 2026-11-18',
    'published 2026-11-19',
    'published 2026-11-19',
    'rejected 2026-11-20',
  ]);
  const sweep = () => run.runJob('sweep-price-payloads', run.deps.clock.now().toISOString());
  run.clock.advance(89 * 24 * 3_600_000);
  expect(await sweep()).toEqual({ removed: 0 });
  run.clock.advance(2 * 24 * 3_600_000);
  await sweep();
  expect(await kept()).toEqual(expect.arrayContaining(['published 2026-11-19', 'rejected 2026-11-20']));
  expect(await kept()).not.toContain('published 2026-11-18');
});

test('of a day that once had an alarm all that its sources said stays', async () => {
  const pull = (source: RealizedSource, deliveryOn: string) =>
    pullChunk(run.deps, { source, days: [deliveryOn] });
  const [day, other] = ['2026-11-19', '2026-11-18'];
  await pull('energy-charts', other);
  await pull('smard', day);
  run.feed.set({ entsoe: { revision: { interval: `${day}T11:00Z`, value: 41.5 } } });
  await pull('entsoe', day);
  const act = {
    staff: 'anna',
    reason: 'asked',
    command: 'prices prefer',
    now: run.clock.now().toISOString(),
  };
  await preferSource(run.deps, { deliveryOn: day, source: 'smard' }, act);
  run.clock.advance(91 * 24 * 3_600_000);
  await run.runJob('sweep-price-payloads', run.deps.clock.now().toISOString());
  expect(
    await run.rows(
      `SELECT DISTINCT source, delivery_from::text AS day
         FROM price_payloads JOIN price_fetches AS exchange USING (payload_hash) ORDER BY source`,
    ),
  ).toEqual([
    { source: 'entsoe', day },
    { source: 'smard', day },
  ]);
});

test('metrics say whether today and tomorrow are there, how old the newest day is, and which alarms stand', async () => {
  const refresh = priceGauges(run.deps);
  const values = async () => {
    await refresh();
    const lines = (await run.deps.metrics.text())
      .split('\n')
      .filter((line) => /^voltstream_price_/.test(line));
    return Object.fromEntries(lines.map((line) => line.split(' ').slice(0, 2)));
  };
  expect(await values()).toMatchObject({
    voltstream_price_today_complete: '0',
    voltstream_price_tomorrow_complete: '0',
  });
  /* In winter 15:00 in Berlin is 14:00 UTC. */
  for (const [instant, late] of [
    ['2026-11-20T13:59:59Z', '0'],
    ['2026-11-20T14:00:00Z', '1'],
    ['2026-11-20T22:59:59Z', '1'],
    ['2026-11-20T23:00:00Z', '0'],
  ] as const) {
    run.clock.set(instant);
    expect(await values()).toMatchObject({ voltstream_price_tomorrow_late: late });
  }

  run.feed.set({ smard: { status: 403 }, entsoe: { status: 401 } });
  run.clock.set('2026-11-20T13:00:00Z');
  for (const deliveryOn of [TODAY, '2026-11-21']) await pullDay(run.deps, { deliveryOn });
  expect(await values()).toMatchObject({
    voltstream_price_today_complete: '1',
    voltstream_price_tomorrow_complete: '1',
    voltstream_price_tomorrow_late: '0',
    voltstream_price_newest_complete_day_age_seconds: String(-(10 + 24) * 3_600),
    'voltstream_price_alarms_open{kind="denied"}': '2',
  });

  run.feed.set({ smard: {}, entsoe: {} });
  run.clock.set('2026-11-22T13:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-23' });
  await pullDay(run.deps, { deliveryOn: '2026-11-23', recheck: true });
  expect(await values()).toMatchObject({
    voltstream_price_today_complete: '0',
    voltstream_price_tomorrow_complete: '1',
    'voltstream_price_alarms_open{kind="denied"}': '0',
  });
});
