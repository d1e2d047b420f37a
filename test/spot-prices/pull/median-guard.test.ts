import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pricesOf } from '../../../src/demo/feed/formula.ts';
import {
  addDays,
  type DeliveryDay,
  daysBetween,
  gridOf,
  startsOf,
} from '../../../src/spot-prices/calendar.ts';
import { backfill } from '../../../src/spot-prices/pull/backfill.ts';
import { confirmSuspect } from '../../../src/spot-prices/pull/confirm-suspect.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { misplacedMedian } from '../../../src/spot-prices/store/median-guard.ts';
import { releaseDay } from '../../../src/spot-prices/store/operator-choice.ts';
import { fillGaps } from '../../../src/spot-prices/upkeep/gaps.ts';
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

async function history(days: number): Promise<void> {
  for (const day of daysBetween(addDays(deliveryOn, -days), addDays(deliveryOn, -1))) {
    await pullChunk(prices.parts, { source: 'smard', days: [day] });
  }
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
    await history(14);
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
    await history(14);
    feed.set({ smard: times(deliveryOn, 10) });
    const pulled = await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await confirmSuspect(prices.parts, pulled)).toMatchObject({ outcome: 'suspect' });
    const act = {
      ...{ staff: 'anna', reason: 'the exchange says so', command: 'prices release' },
      now: clock.now().toISOString(),
    };
    expect(await releaseDay(prices.parts, deliveryOn, act)).toMatchObject({ state: 'complete' });
  });

  test('does not stop a second origin with ordinary prices from being served', async () => {
    await history(14);
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
    await history(14);
    await prices.rows(`DELETE FROM spot_prices WHERE delivery_on = '${old}'`);
    await prices.rows(`DELETE FROM price_day_changes WHERE delivery_on = '${old}'`);
    for (const table of ['price_days', 'price_source_days']) {
      await prices.rows(`DELETE FROM ${table} WHERE delivery_on = '${old}'`);
    }
    feed.set({ smard: times(old, 10), 'energy-charts': times(old, 10) });
    expect(await fillGaps(prices.parts, { today: '2026-11-20' })).toMatchObject({ still_open: [old] });
    expect(await dayOf(prices, old)).toEqual(HELD);
    feed.set({ awattar: times(old, 10) });
    const report = await backfill(prices.parts, { from: old, to: old });
    expect(report.missing).toEqual([]);
    expect(await dayOf(prices, old)).toMatchObject({ state: 'complete' });
  });
});

test.each([
  ['five times', '500', '100', null],
  ['more than five times', '501', '100', '501'],
  ['a fifth', '20', '100', null],
  ['less than a fifth', '19', '100', '19'],
  ['less than a fifth and near', '5', '54', null],
  ['below zero and far', '-60', '10', '-60'],
  ['ten times and near', '50', '5', null],
])('%s of the days before', (_name, median, reference, expected) => {
  expect(misplacedMedian(new Map([[0, median]]), reference)).toBe(expected);
});
