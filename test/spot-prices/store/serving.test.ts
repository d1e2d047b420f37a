import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import type { RealizedSource } from '../../../src/spot-prices/providers/index.ts';
import {
  type CrossCheckReport,
  crossCheckDay,
  hourlyMeans,
} from '../../../src/spot-prices/pull/cross-check.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { chooseSource } from '../../../src/spot-prices/store/choose-source.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, dayOf, openAlarms, openTestPrices, served } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T15:20:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

beforeEach(async () => {
  clock.set('2026-11-20T15:20:00Z');
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} });
  await prices.empty();
});

const pull = (source: RealizedSource, day = deliveryOn) => pullChunk(prices.parts, { source, days: [day] });

/** The price of an interval moved by so much. */
async function movedBy(interval: string, amount: number) {
  const [row] = await prices.rows<{ amount: string }>(
    'SELECT amount FROM spot_prices WHERE interval_start = $1',
    [interval],
  );
  return { revision: { interval, value: Math.round((Number(row?.amount) + amount) * 1000) / 1000 } };
}

describe('the served source', () => {
  test('the earlier source is complete later and agrees in every value: it takes over', async () => {
    await pull('smard');
    const values = await served(prices, deliveryOn);
    await pull('entsoe');
    expect(await dayOf(prices, deliveryOn)).toEqual({
      served_source: 'entsoe',
      state: 'complete',
      version: 2,
    });
    expect(await served(prices, deliveryOn)).toEqual(values);
    expect(await openAlarms(prices)).toEqual([]);
    await pull('smard');
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', version: 2 });
  });

  test('one value of the earlier source is off by 0.02: the served one stays, the alarm names both values', async () => {
    await pull('smard');
    feed.set({ entsoe: await movedBy('2026-11-21T08:15Z', 0.02) });
    await pull('entsoe');
    expect(await dayOf(prices, deliveryOn)).toEqual({
      served_source: 'smard',
      state: 'complete',
      version: 1,
    });
    const [alarm, ...others] = await openAlarms(prices);
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ kind: 'disagreement', source: 'entsoe/smard' });
    const [a, b] = await prices.rows<{ amount: string }>(
      'SELECT amount FROM price_revisions WHERE interval_start = $1 ORDER BY source',
      ['2026-11-21T08:15Z'],
    );
    expect(alarm?.detail).toBe(
      `2026-11-21: at 2026-11-21T08:15:00Z entsoe has ${Number(a?.amount)}, smard ${Number(b?.amount)} EUR/MWh; ` +
        '1 of 96 compared intervals differ by more than 0.01',
    );
    feed.set({ entsoe: {} });
    await pull('entsoe');
    expect(await openAlarms(prices)).toEqual([]);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', version: 2 });
  });

  test('a difference of exactly 0.01 is agreement', async () => {
    await pull('smard');
    feed.set({ entsoe: await movedBy('2026-11-21T08:15Z', 0.01) });
    await pull('entsoe');
    expect(await openAlarms(prices)).toEqual([]);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', version: 2 });
  });

  test('two origins 2,000 apart: both kept under their names, the served one unchanged, an alarm', async () => {
    await pull('smard');
    const values = await served(prices, deliveryOn);
    feed.set({ entsoe: await movedBy('2026-11-21T18:00Z', 2000) });
    await pull('entsoe');
    expect(await served(prices, deliveryOn)).toEqual(values);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'disagreement', source: 'entsoe/smard' }]);
    const kept = await prices.rows<{ source: string; count: number }>(
      'SELECT source, count(*)::int AS count FROM price_revisions GROUP BY source ORDER BY source',
    );
    expect(kept).toEqual([
      { source: 'entsoe', count: 96 },
      { source: 'smard', count: 96 },
    ]);
  });

  test('on a day on which the clocks change a difference is an alarm of its own, never a correction', async () => {
    const day = '2026-10-25';
    await pull('smard', day);
    feed.set({ entsoe: await movedBy('2026-10-25T00:15Z', 5) });
    await pull('entsoe', day);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'clock_change', source: 'entsoe/smard' }]);
    expect(await dayOf(prices, day)).toMatchObject({ served_source: 'smard', version: 1 });
    expect(await served(prices, day)).toHaveLength(100);
  });

  test('of incomplete days the one with most intervals is served, a complete one replaces it whole', async () => {
    feed.set({
      entsoe: { drop: ['2026-11-21T08:15Z', '2026-11-21T08:30Z'], curve: 'A01' },
      smard: { drop: ['2026-11-21T10:15Z'] },
      'energy-charts': { absent_days: [deliveryOn] },
    });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({
      outcome: 'partial',
      servedSource: 'smard',
    });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'partial', version: 2 });
    const bySource = 'SELECT source, count(*)::int AS count FROM spot_prices GROUP BY source';
    expect(await prices.rows(bySource)).toEqual([{ source: 'smard', count: 95 }]);
    feed.set({ 'energy-charts': {} });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({ outcome: 'complete' });
    expect(await prices.rows('SELECT DISTINCT source FROM spot_prices')).toEqual([
      { source: 'energy-charts' },
    ]);
  });

  test('a partial day whose source becomes suspect stays as it is served until somebody has more of it', () => {
    const choose = (intervalCount: number) =>
      chooseSource({
        order: ['a', 'b'],
        candidates: [
          { source: 'a', state: 'suspect', intervalCount: 96 },
          { source: 'b', state: 'partial', intervalCount },
        ],
        served: { source: 'a', complete: false, intervalCount: 64 },
        preferred: null,
        agreesWithServed: () => false,
      });
    expect([choose(50), choose(64), choose(65)]).toEqual([null, null, 'b']);
  });

  test.each([
    ['the first complete one in order', null, { b: 'complete', c: 'complete' }, null, 'b'],
    ['a suspect one never', null, { a: 'suspect', c: 'complete' }, null, 'c'],
    ['nothing usable: none', null, { a: 'suspect' }, null, null],
    ['a complete one stays before a later one', 'b', { b: 'complete', c: 'complete' }, null, 'b'],
    ['an earlier one that agrees takes over', 'b', { a: 'complete', b: 'complete' }, null, 'a'],
    ['the preferred one', 'b', { a: 'complete', b: 'complete', c: 'partial' }, 'c', 'c'],
    ['the preferred one, not while it is suspect', 'b', { b: 'complete', c: 'suspect' }, 'c', 'b'],
  ] as const)('chosen is %s', (_name, served, states, preferred, expected) => {
    const candidates = Object.entries(states).map(([source, state]) => ({
      source,
      state,
      intervalCount: 96,
    }));
    const chosen = chooseSource({
      order: ['a', 'b', 'c'],
      candidates,
      served: served === null ? null : { source: served, complete: true, intervalCount: 96 },
      preferred,
      agreesWithServed: () => true,
    });
    expect(chosen).toBe(expected);
  });
});

describe('the cross-check', () => {
  test('origins that have not given the day are asked, and hourly means are compared', async () => {
    await pull('smard');
    const report = await crossCheckDay(prices.parts, deliveryOn);
    expect(report).toEqual({
      deliveryOn,
      attempts: [{ source: 'entsoe', outcome: 'published', intervals: 96 }],
      means: { outcome: 'published', compared: 24, differing: 0 },
      changed: true,
    });
    expect((await attempts(prices)).map((row) => row.source)).toEqual(['smard', 'entsoe', 'awattar']);
    expect(await openAlarms(prices)).toEqual([]);
    expect(await prices.rows("SELECT FROM price_revisions WHERE source = 'awattar'")).toEqual([]);
  });

  test.each([
    ['0.02 EUR/MWh in a quarter, 0.005 in the mean', 0.02, false],
    ['0.08 EUR/MWh in a quarter, 0.02 in the mean', 0.08, true],
  ])('%s: alarm %s', async (_name, amount, isAlarm) => {
    await pull('entsoe');
    feed.set({ awattar: await movedBy('2026-11-21T08:15Z', amount) });
    await crossCheckDay(prices.parts, deliveryOn);
    const alarms = await openAlarms(prices);
    expect(alarms.map((alarm) => `${alarm.kind} ${alarm.source}`)).toEqual(
      isAlarm ? ['disagreement entsoe/awattar'] : [],
    );
    feed.set({ awattar: {} });
    await crossCheckDay(prices.parts, deliveryOn);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test.each([
    ['an ordinary day', '2026-11-21', '2026-11-21T08:00Z', 'disagreement'],
    ['a day on which the clocks change', '2026-10-25', '2026-10-25T00:00Z', 'clock_change'],
  ])('on %s an alarm stands until its hour is compared again', async (_name, day, hour, kind) => {
    await pull('entsoe', day);
    feed.set({ awattar: await movedBy(hour, 20) });
    await crossCheckDay(prices.parts, day);
    const standing = [{ kind, source: 'entsoe/awattar' }];
    expect(await openAlarms(prices)).toMatchObject(standing);
    for (const awattar of [{ absent_days: [day] }, { drop: [hour] }]) {
      feed.set({ awattar });
      expect((await crossCheckDay(prices.parts, day)).means).toMatchObject({ differing: 0 });
      expect(await openAlarms(prices)).toMatchObject(standing);
    }
    feed.set({ awattar: {} });
    await crossCheckDay(prices.parts, day);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('a source that another pull of the day is asking is not asked a second time', async () => {
    feed.set({ smard: { absent_days: [deliveryOn] }, entsoe: { status: 503, times: 1 } });
    let report: CrossCheckReport | undefined;
    const wait = async () => {
      report = await crossCheckDay(prices.parts, deliveryOn);
    };
    const before = feed.requests();
    await pullDay({ ...prices.parts, wait }, { deliveryOn, sources: ['entsoe'] });
    expect(report?.attempts).toEqual([]);
    const { smard, awattar } = feed.requests();
    expect({ smard, awattar }).toEqual({ smard: before.smard, awattar: before.awattar + 1 });
  });

  test('an hour that one side lacks is not compared', async () => {
    feed.set({ entsoe: { drop: ['2026-11-21T08:15Z'], curve: 'A01' }, smard: { absent_days: [deliveryOn] } });
    feed.set({ 'energy-charts': { absent_days: [deliveryOn] }, awattar: { drop: ['2026-11-21T12:00Z'] } });
    await pullDay(prices.parts, { deliveryOn });
    const { means } = await crossCheckDay(prices.parts, deliveryOn);
    expect(means).toMatchObject({ compared: 22, differing: 0 });
  });

  test('a wrong unit of the hourly means is a rejected attempt and stops nothing else', async () => {
    await pull('entsoe');
    feed.set({ awattar: { unit: 'Eur/kWh' } });
    const report = await crossCheckDay(prices.parts, deliveryOn);
    expect(report.means).toEqual({ outcome: 'rejected', compared: 0, differing: 0 });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 1 });
  });

  test('the mean of an hour is exact and needs all four quarters', () => {
    const grid = gridOf(deliveryOn);
    const starts = startsOf(grid);
    const values = new Map([
      ...starts
        .slice(0, 4)
        .map((start, index) => [start, ['0.1', '0.2', '0.3', '-0.01'][index] ?? ''] as const),
      ...starts.slice(4, 7).map((start) => [start, '1'] as const),
    ]);
    expect(hourlyMeans(grid, values)).toEqual(new Map([[grid.from, '0.1475']]));
  });
});
