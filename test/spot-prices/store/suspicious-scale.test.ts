import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import {
  addDays,
  type DeliveryDay,
  daysBetween,
  gridOf,
  startsOf,
} from '../../../src/spot-prices/calendar.ts';
import { backfill } from '../../../src/spot-prices/pull/backfill.ts';
import { confirmSuspect, crossCheckDay } from '../../../src/spot-prices/pull/cross-check.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { publicationOf } from '../../../src/spot-prices/service.ts';
import { preferSource, releaseDay } from '../../../src/spot-prices/store/operator-choice.ts';
import { scaleSuspicion } from '../../../src/spot-prices/store/suspicion.ts';
import { fillGaps, judgeAgain } from '../../../src/spot-prices/upkeep/gaps.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { dayOf, openAlarms, openTestPrices, served } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T15:00:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, { ...feedConfig(feed), PRICES_ENTSOE_TOKEN: '' });
afterAll(() => prices.close());

const HELD = { served_source: null, state: 'suspect', version: 0 };

/** Every price of the day times this, as one feed would write them in another unit. */
function times(day: DeliveryDay, factor: number) {
  const cents = pricesOf(day);
  const revision = startsOf(gridOf(day)).map((start, index) => ({
    interval: `${new Date(start).toISOString().slice(0, 16)}Z`,
    value: Math.round((cents[index] ?? 0) * factor) / 100,
  }));
  return { revision };
}

/** A windy day: next to nothing all day long, below zero at noon, and some dear hours in the evening. */
function windy(day: DeliveryDay) {
  const grid = gridOf(day);
  const revision = startsOf(grid).map((start, index) => ({
    interval: `${new Date(start).toISOString().slice(0, 16)}Z`,
    value: index >= (grid.count * 3) / 4 ? 95 : index % 2 === 0 ? 1.2 : -3.1,
  }));
  return { revision };
}

const releaseAct = () => ({
  ...{ staff: 'anna', reason: 'the exchange says so', command: 'prices release' },
  now: clock.now().toISOString(),
});

async function history(days: number, before = deliveryOn): Promise<void> {
  const all = daysBetween(addDays(before, -days), addDays(before, -1));
  await pullChunk(prices.parts, { source: 'smard', days: all });
}

beforeEach(async () => {
  clock.set('2026-11-20T15:00:00Z');
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} });
  await prices.empty();
});

describe('a lone origin whose day is off by a factor', () => {
  test('is held back, also when a feed of the same origin and the next re-check say the same', async () => {
    await history(14);
    feed.set({ smard: times(deliveryOn, 10), 'energy-charts': times(deliveryOn, 10) });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({
      outcome: 'suspect',
      servedSource: null,
    });
    expect(await dayOf(prices, deliveryOn)).toEqual(HELD);
    expect(await openAlarms(prices)).toMatchObject([
      { kind: 'suspect', source: 'energy-charts' },
      { kind: 'suspect', source: 'smard', detail: expect.stringMatching(/median of [\d.]+ EUR\/MWh/) },
    ]);
    clock.set('2026-11-22T08:20:00Z');
    await pullChunk(prices.parts, { source: 'smard', days: [deliveryOn], recheck: true });
    expect(await dayOf(prices, deliveryOn)).toEqual(HELD);
    expect(await served(prices, deliveryOn)).toEqual([]);
  });

  test('is served when another origin agrees, which is asked at once', async () => {
    await history(7);
    feed.set({ smard: times(deliveryOn, 10), awattar: times(deliveryOn, 10) });
    const pulled = await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await confirmSuspect(prices.parts, pulled)).toMatchObject({
      outcome: 'complete',
      servedSource: 'smard',
      changed: true,
    });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('stays held back where the other origin differs, and an operator may release it', async () => {
    await history(7);
    feed.set({ smard: times(deliveryOn, 10) });
    const pulled = await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await confirmSuspect(prices.parts, pulled)).toMatchObject({ outcome: 'suspect' });
    expect(await releaseDay(prices.parts, deliveryOn, releaseAct())).toMatchObject({ state: 'complete' });
  });

  test('does not stop a second origin with ordinary prices from being served', async () => {
    await history(7);
    feed.set({ smard: times(deliveryOn, 10) });
    const withToken = prices.with({ PRICES_ENTSOE_TOKEN: 'demo', PRICES_SOURCES: 'smard,entsoe' });
    expect(await pullDay(withToken, { deliveryOn })).toMatchObject({
      outcome: 'complete',
      servedSource: 'entsoe',
    });
  });

  test('is not judged where fewer than seven of the days before have prices', async () => {
    await history(6);
    feed.set({ smard: times(deliveryOn, 10) });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({ outcome: 'complete' });
  });

  test('of an old day is compared by the gap sweep and by a backfill', async () => {
    const old = '2026-11-19';
    clock.set('2026-11-20T03:30:00Z');
    await history(9);
    await prices.rows(`DELETE FROM spot_prices WHERE delivery_on = '${old}'`);
    await prices.rows(`DELETE FROM price_day_changes WHERE delivery_on = '${old}'`);
    for (const table of ['price_days', 'price_source_days']) {
      await prices.rows(`DELETE FROM ${table} WHERE delivery_on = '${old}'`);
    }
    feed.set({ smard: times(old, 10), 'energy-charts': times(old, 10) });
    expect(await fillGaps(prices.parts, { today: '2026-11-20' })).toMatchObject({ still_open: [old] });
    expect(await dayOf(prices, old)).toEqual(HELD);
    feed.set({ awattar: times(old, 10) });
    const report = await backfill(prices.parts, { from: old, to: addDays(old, 1) });
    expect(report.missing).toEqual([]);
    expect(await dayOf(prices, old)).toMatchObject({ state: 'complete' });
  });
});

describe('a revision of a served day that is off by a factor', () => {
  const tenfold = times(deliveryOn, 10);
  const recheck = async () => {
    clock.set('2026-11-22T08:20:00Z');
    for (const source of ['smard', 'energy-charts'] as const)
      await pullChunk(prices.parts, { source, days: [deliveryOn], recheck: true });
  };
  const serve = async () => {
    await history(7);
    for (const source of ['smard', 'energy-charts'] as const)
      await pullChunk(prices.parts, { source, days: [deliveryOn] });
    return await served(prices, deliveryOn);
  };
  const UNTOUCHED = { served_source: 'smard', state: 'complete', version: 1 };

  test('is held back with an alarm, what was served stays, and the corrected values end the alarm', async () => {
    const before = await serve();
    expect(before).toHaveLength(96);
    feed.set({ smard: tenfold, 'energy-charts': tenfold });
    await recheck();
    expect(await judgeAgain(prices.parts)).toEqual([]);
    expect(await served(prices, deliveryOn)).toEqual(before);
    expect(await dayOf(prices, deliveryOn)).toEqual(UNTOUCHED);
    expect(await openAlarms(prices)).toMatchObject([
      { kind: 'suspect', source: 'smard', detail: expect.stringMatching(/what was served before stays$/) },
    ]);
    expect(
      await prices.rows("SELECT FROM price_revisions WHERE source = 'smard' AND revision = 2"),
    ).not.toEqual([]);
    feed.set({ smard: {}, 'energy-charts': {} });
    await recheck();
    expect(await openAlarms(prices)).toEqual([]);
    expect(await served(prices, deliveryOn)).toEqual(before);
  });

  test('is not taken from a feed of the same origin that stands before it', async () => {
    const parts = prices.with({ PRICES_SOURCES: 'energy-charts,smard' });
    await history(7);
    await pullChunk(parts, { source: 'smard', days: [deliveryOn] });
    feed.set({ smard: tenfold, 'energy-charts': tenfold });
    for (const source of ['energy-charts', 'smard'] as const)
      await pullChunk(parts, { source, days: [deliveryOn], recheck: true });
    expect(await dayOf(prices, deliveryOn)).toEqual(UNTOUCHED);
  });

  test('is served when another origin says the same', async () => {
    const before = await serve();
    feed.set({ smard: tenfold, awattar: tenfold });
    await recheck();
    await crossCheckDay(prices.parts, deliveryOn);
    expect(await served(prices, deliveryOn)).not.toEqual(before);
    expect((await openAlarms(prices)).map(({ kind }) => kind)).toEqual(['disagreement']);
  });

  test('is served when an operator releases it', async () => {
    await serve();
    feed.set({ smard: tenfold });
    await recheck();
    expect(await releaseDay(prices.parts, deliveryOn, releaseAct())).toMatchObject({
      changed: true,
      version: 2,
    });
  });

  test('is declined when an operator prefers the served source, until it sends another one', async () => {
    const before = await serve();
    feed.set({ smard: tenfold });
    await recheck();
    expect((await openAlarms(prices)).map(({ kind }) => kind)).toContain('suspect');
    const act = { ...releaseAct(), command: 'prices prefer' };
    expect(await preferSource(prices.parts, { deliveryOn, source: 'smard' }, act)).toMatchObject({
      ...{ servedSource: 'smard', state: 'complete', version: 1, changed: false },
    });
    const night = async () => {
      await judgeAgain(prices.parts);
      await recheck();
      return (await openAlarms(prices)).map(({ kind, source }) => `${kind} ${source}`);
    };
    expect(await night()).toEqual([]);
    feed.set({ smard: times(deliveryOn, 20) });
    expect(await night()).toContain('suspect smard');
    expect(await night()).toContain('suspect smard');
    expect(await served(prices, deliveryOn)).toEqual(before);
    feed.set({ smard: {} });
    expect(await night()).toEqual([]);
  });

  test('that corrects such a mistake is taken at once', async () => {
    await history(6);
    feed.set({ smard: tenfold });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({ outcome: 'complete' });
    await history(14);
    feed.set({ smard: {} });
    await recheck();
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 2 });
    expect(await openAlarms(prices)).toEqual([]);
  });
});

test('a windy day of a lone origin is served: its median alone is near zero', async () => {
  await history(7);
  feed.set({ smard: windy(deliveryOn) });
  expect(await pullDay(prices.parts, { deliveryOn, sources: ['smard'] })).toMatchObject({
    outcome: 'complete',
    servedSource: 'smard',
  });
  expect(await openAlarms(prices)).toEqual([]);
});

describe.each(['another origin', 'an operator'])('a day off by a factor that %s released', (by) => {
  beforeEach(async () => {
    await history(7);
    feed.set({ smard: times(deliveryOn, 10) });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    if (by === 'an operator') await releaseDay(prices.parts, deliveryOn, releaseAct());
    else {
      feed.set({ awattar: times(deliveryOn, 10) });
      await crossCheckDay(prices.parts, deliveryOn);
    }
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 1 });
    clock.set('2026-11-22T08:20:00Z');
  });

  test.each([10, 0.01])('is held back again when its source sends other values, times %d', async (factor) => {
    const before = await served(prices, deliveryOn);
    feed.set({ smard: times(deliveryOn, 10 * factor) });
    await pullChunk(prices.parts, { source: 'smard', days: [deliveryOn], recheck: true });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 1 });
    expect(await served(prices, deliveryOn)).toEqual(before);
    expect((await openAlarms(prices)).map(({ kind }) => kind)).toEqual(['suspect']);
    expect(await releaseDay(prices.parts, deliveryOn, releaseAct())).toMatchObject({ version: 2 });
  });

  test('is served with a corrected quarter, and with ordinary prices', async () => {
    const [first, ...rest] = times(deliveryOn, 10).revision;
    const corrected = { interval: first?.interval ?? '', value: (first?.value ?? 0) + 1 };
    for (const [index, smard] of [{ revision: [corrected, ...rest] }, {}].entries()) {
      feed.set({ smard });
      await pullChunk(prices.parts, { source: 'smard', days: [deliveryOn], recheck: true });
      expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 2 + index });
    }
    expect(await openAlarms(prices)).toEqual([]);
  });
});

describe('a part of a day', () => {
  const starts = startsOf(gridOf(deliveryOn));
  const textOf = (start: number) => `${new Date(start).toISOString().slice(0, 16)}Z`;
  const isNoon = (index: number) => index >= 44 && index < 60;
  const around = starts.filter((_, index) => !isNoon(index)).map(textOf);
  const sunny = starts.map((start, index) => ({
    interval: textOf(start),
    value: isNoon(index) ? -1.2 : index % 2 === 0 ? 3.1 : 95,
  }));

  beforeEach(async () => {
    await history(7);
    feed.set({ smard: { revision: sunny, drop: around } });
    expect(await pullDay(prices.parts, { deliveryOn, sources: ['smard'] })).toMatchObject({
      outcome: 'partial',
      servedSource: 'smard',
    });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('is served as it is, however low its hours are, and the whole day with it', async () => {
    feed.set({ smard: { revision: sunny } });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 2 });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test.each(['pull', 'backfill'])(
    'stays while the whole day is held back; a %s asks another origin',
    async (by) => {
      feed.set({ smard: times(deliveryOn, 10), awattar: { absent_days: [deliveryOn] } });
      const pulled = await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
      expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'partial', version: 1 });
      expect(await openAlarms(prices)).toMatchObject([{ kind: 'suspect', source: 'smard' }]);
      const publication = () => publicationOf(prices.parts.database, deliveryOn, clock.nowMilliseconds());
      expect(await publication()).toBe('held_back');
      feed.set({ awattar: times(deliveryOn, 10), 'energy-charts': { absent_days: [deliveryOn] } });
      if (by === 'pull') await confirmSuspect(prices.parts, pulled);
      else await backfill(prices.parts, { from: deliveryOn, to: addDays(deliveryOn, 1) });
      expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 2 });
      expect(await openAlarms(prices)).toEqual([]);
      expect(await publication()).toBe('stored');
    },
  );
});

test('a part of a day is no measure of the next days', async () => {
  await history(6, addDays(deliveryOn, -1));
  const before = addDays(deliveryOn, -1);
  feed.set({ smard: { drop: [`${before}T10:00Z`] } });
  await pullChunk(prices.parts, { source: 'smard', days: [before] });
  feed.set({ smard: times(deliveryOn, 10) });
  expect(await pullDay(prices.parts, { deliveryOn, sources: ['smard'] })).toMatchObject({
    outcome: 'complete',
  });
});

test.each([10, 1000])('a lone origin whose prices are divided by %i is held back', async (divisor) => {
  await history(7);
  feed.set({ smard: times(deliveryOn, 1 / divisor) });
  expect(await pullDay(prices.parts, { deliveryOn, sources: ['smard'] })).toMatchObject({
    outcome: 'suspect',
  });
  expect(await openAlarms(prices)).toMatchObject([
    { kind: 'suspect', detail: expect.stringMatching(/95 % of its prices within [\d.]+ EUR\/MWh of zero/) },
  ]);
});

test('days that are kept as suspect are judged again, however old, and nobody is asked for them', async () => {
  const old = '2024-11-21';
  const [before, next] = [daysBetween(addDays(old, -7), addDays(old, -1)), addDays(old, 1)];
  /* The days before are wrongly ten times as dear: beside them a right day looks too cheap. */
  feed.set({ smard: { revision: before.flatMap((day) => times(day, 10).revision) } });
  await history(7, old);
  for (const day of [old, next]) await pullChunk(prices.parts, { source: 'smard', days: [day] });
  expect(await dayOf(prices, old)).toEqual(HELD);
  expect(await judgeAgain(prices.parts)).toEqual([]);
  expect(await openAlarms(prices)).toMatchObject([{ kind: 'suspect' }, { kind: 'suspect' }]);

  feed.set({ smard: {} });
  await pullChunk(prices.parts, { source: 'smard', days: before, recheck: true });
  const { smard: calls } = feed.requests();
  expect(await judgeAgain(prices.parts)).toEqual([old, next]);
  expect(feed.requests().smard).toBe(calls);
  expect(await dayOf(prices, old)).toMatchObject({ served_source: 'smard', state: 'complete', version: 1 });
  expect(await openAlarms(prices)).toEqual([]);
  expect(await judgeAgain(prices.parts)).toEqual([]);
});

test.each([
  ['five times', ['500'], null],
  ['more than five times', ['501'], /^has a median of 501 EUR\/MWh, .* is 100$/],
  ['a fifth', ['20'], null],
  ['less than a fifth', ['19'], /^has 95 % of its prices within 19 EUR\/MWh of zero, .* within 100$/],
  ['less than a fifth for 19 of 20 prices', [...Array(19).fill('19'), '400'], /within 19 EUR/],
  ['less than a fifth for 18 of 20 prices', [...Array(18).fill('0'), '90', '400'], null],
  ['below zero and far', ['-60'], null],
  ['below zero and near to it', ['-9'], /within 9 EUR/],
])('%s of the days before', (_name, amounts: string[], expected) => {
  const found = scaleSuspicion(amounts, { median: '100', reach: '100' });
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatch(expected);
});

test.each([
  ['5', { median: '54', reach: '54' }],
  ['50', { median: '5', reach: '5' }],
])('%s EUR/MWh is believed within 50 of the days before', (amount, reference) => {
  expect(scaleSuspicion([amount], reference)).toBeNull();
});
