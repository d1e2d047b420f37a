import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { crossCheckDay } from '../../../src/spot-prices/pull/cross-check.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { looksUnpublished } from '../../../src/spot-prices/store/suspicion.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { dayOf, openAlarms, openTestPrices, served } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, { ...feedConfig(feed), PRICES_ENTSOE_TOKEN: '' });
afterAll(() => prices.close());

beforeEach(async () => {
  clock.set('2026-11-20T12:30:00Z');
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} });
  await prices.empty();
});

const SUSPECT = { served_source: null, state: 'suspect', version: 0 };

describe('zeros', () => {
  test('zeros are suspect, stay suspect when the same origin agrees, and are served when another one does', async () => {
    feed.set({
      smard: { zeros: true },
      'energy-charts': { zeros: true, delay_minutes: 5 },
      awattar: { zeros: true },
    });
    clock.set('2026-11-20T12:20:00Z');
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({
      outcome: 'suspect',
      servedSource: null,
    });
    expect(await dayOf(prices, deliveryOn)).toEqual(SUSPECT);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'suspect', source: 'smard' }]);

    clock.set('2026-11-20T12:30:00Z');
    const both = await pullDay(prices.parts, { deliveryOn });
    expect(both.attempts).toMatchObject([{ outcome: 'published' }, { outcome: 'published' }]);
    expect(await dayOf(prices, deliveryOn)).toEqual(SUSPECT);
    expect(await openAlarms(prices)).toHaveLength(2);

    clock.set('2026-11-20T15:20:00Z');
    const checked = await crossCheckDay(prices.parts, deliveryOn);
    expect(checked.means).toEqual({ outcome: 'published', compared: 24, differing: 0 });
    expect(await dayOf(prices, deliveryOn)).toEqual({
      served_source: 'smard',
      state: 'complete',
      version: 1,
    });
    expect(new Set(await served(prices, deliveryOn))).toEqual(new Set([0]));
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('zeros that another stored origin gives as well are served', async () => {
    feed.set({ smard: { zeros: true }, entsoe: { zeros: true } });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    const withToken = prices.with({ PRICES_ENTSOE_TOKEN: 'demo' });
    await pullChunk(withToken, { source: 'entsoe', days: [deliveryOn] });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', state: 'complete' });
  });

  test('an hourly mean that differs leaves them suspect', async () => {
    feed.set({ smard: { zeros: true } });
    clock.set('2026-11-20T15:20:00Z');
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    const checked = await crossCheckDay(prices.parts, deliveryOn);
    expect(checked.means?.differing).toBe(24);
    expect(await dayOf(prices, deliveryOn)).toEqual(SUSPECT);
  });

  test('the re-check of the next day that finds them unchanged serves them, one on the same day does not', async () => {
    feed.set({ smard: { zeros: true } });
    const again = { source: 'smard' as const, days: [deliveryOn], recheck: true };
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    clock.set('2026-11-20T22:30:00Z');
    await pullChunk(prices.parts, again);
    expect(await dayOf(prices, deliveryOn)).toEqual(SUSPECT);
    clock.set('2026-11-21T08:20:00Z');
    await pullChunk(prices.parts, { ...again, recheck: false });
    expect(await dayOf(prices, deliveryOn)).toEqual(SUSPECT);
    await pullChunk(prices.parts, again);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'smard', state: 'complete' });
  });

  test.each([
    ['released', { smard: { zeros: true } }],
    ['replaced by real prices', { smard: {} }],
  ])('that are %s leave the bracket of the publication true', async (how, next) => {
    const bracket = async () => {
      const [row] = await prices.rows<{ last: Date | null; first: Date | null }>(
        'SELECT last_incomplete_at AS last, first_complete_at AS first FROM price_days',
      );
      return [row?.last?.toISOString() ?? null, row?.first?.toISOString() ?? null];
    };
    const pullAt = async (at: string) => {
      clock.set(at);
      await pullDay(prices.parts, { deliveryOn, sources: ['smard', 'energy-charts'] });
    };
    feed.set({ smard: { absent_days: [deliveryOn] }, 'energy-charts': { absent_days: [deliveryOn] } });
    await pullAt('2026-11-20T12:20:00Z');
    feed.set({ smard: { zeros: true } });
    await pullAt('2026-11-20T12:30:00Z');
    await pullAt('2026-11-20T12:35:00Z');
    expect(await bracket()).toEqual(['2026-11-20T12:20:00.000Z', null]);
    feed.set({ ...next, awattar: { zeros: true } });
    clock.set('2026-11-20T15:20:00Z');
    if (how === 'released') await crossCheckDay(prices.parts, deliveryOn);
    else await pullAt('2026-11-20T15:20:00Z');
    const completeAt = how === 'released' ? '2026-11-20T12:30:00.000Z' : '2026-11-20T15:20:00.000Z';
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete' });
    expect(await bracket()).toEqual(['2026-11-20T12:20:00.000Z', completeAt]);
  });

  test('zeros that came in the night are not served by a re-check of the same night', async () => {
    const evening = startsOf(gridOf(deliveryOn))
      .slice(72)
      .map((start) => new Date(start).toISOString());
    const hours = evening.map((start) => `${start.slice(0, 16)}Z`);
    feed.set({ smard: { drop: hours } });
    const again = { source: 'smard' as const, days: [deliveryOn], recheck: true };
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'partial', version: 1 });
    feed.set({ smard: { zeros: hours } });
    clock.set('2026-11-20T23:10:00Z');
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    clock.set('2026-11-20T23:30:00Z');
    await pullChunk(prices.parts, again);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'partial', version: 1 });
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'suspect', source: 'smard' }]);
    clock.set('2026-11-22T08:20:00Z');
    await pullChunk(prices.parts, again);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ state: 'complete', version: 2 });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('real prices after zeros are served at once', async () => {
    feed.set({ smard: { zeros: true } });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    feed.set({ smard: {} });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    expect(await dayOf(prices, deliveryOn)).toEqual({
      served_source: 'smard',
      state: 'complete',
      version: 1,
    });
    expect((await served(prices, deliveryOn))[0]).toBe(94.26);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('a suspect source is not asked to fill in for one that has the day', async () => {
    feed.set({ smard: { zeros: true } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'energy-charts' });
    expect(await openAlarms(prices)).toMatchObject([
      { kind: 'disagreement', source: 'energy-charts/smard' },
      { kind: 'suspect', source: 'smard' },
    ]);
  });

  test.each([
    ['two hours at the end', 8, 0, true],
    ['an hour and three quarters at the end', 7, 0, false],
    ['eight hours inside', 32, 20, false],
    ['the whole day', 96, 0, true],
  ])('%s of exact zeros: suspect %s', (_name, zeros, behind, expected) => {
    const grid = gridOf(deliveryOn);
    const starts = startsOf(grid);
    const values = new Map(
      starts.map((start, index) => {
        const fromEnd = starts.length - index;
        return [start, fromEnd > behind && fromEnd <= behind + zeros ? '0' : '0.01'] as const;
      }),
    );
    expect(looksUnpublished(grid, values)).toBe(expected);
  });
});
