import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, openAlarms, openTestPrices } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const MINUTE = 60_000;
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

beforeEach(async () => {
  clock.set('2026-11-20T12:30:00Z');
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} });
  await prices.empty();
});

/** Requests that a pull of that day made of each source. */
async function callsOf(day = deliveryOn, parts = prices.parts): Promise<Record<string, number>> {
  const before = feed.requests();
  await pullDay(parts, { deliveryOn: day, recheck: true });
  const now = feed.requests();
  return {
    entsoe: now.entsoe - before.entsoe,
    'energy-charts': now['energy-charts'] - before['energy-charts'],
  };
}

describe('pauses', () => {
  test('429 of ENTSO-E without a header: no retry, left alone for 10 minutes, then asked again', async () => {
    feed.set({ entsoe: { status: 429 } });
    expect(await callsOf()).toMatchObject({ entsoe: 1 });
    expect((await attempts(prices))[0]).toMatchObject({ source: 'entsoe', outcome: 'throttled' });
    feed.set({ entsoe: {} });
    clock.advance(10 * MINUTE - 1000);
    expect(await callsOf()).toMatchObject({ entsoe: 0 });
    clock.advance(1000);
    expect(await callsOf()).toMatchObject({ entsoe: 1 });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('429 of Energy-Charts with Retry-After 120: left alone for 120 seconds', async () => {
    feed.set({ 'energy-charts': { status: 429, retry_after: 120 } });
    expect(await callsOf()).toMatchObject({ 'energy-charts': 1 });
    feed.set({ 'energy-charts': {} });
    clock.advance(119_000);
    expect(await callsOf()).toMatchObject({ 'energy-charts': 0 });
    clock.advance(1000);
    expect(await callsOf()).toMatchObject({ 'energy-charts': 1 });
  });

  test('a pause that a source asks for ends after an hour at most, and for ENTSO-E after ten minutes at least', async () => {
    feed.set({
      entsoe: { status: 429, retry_after: 5 },
      'energy-charts': { status: 429, retry_after: 86_400 },
    });
    await callsOf();
    const rows = await prices.rows<{ source: string; seconds: number }>(
      `SELECT source, extract(epoch FROM paused_until - $1::timestamptz)::int AS seconds
         FROM price_sources WHERE paused_until IS NOT NULL ORDER BY source`,
      [clock.now().toISOString()],
    );
    expect(rows).toEqual([
      { source: 'energy-charts', seconds: 3600 },
      { source: 'entsoe', seconds: 600 },
    ]);
  });

  test('401 of ENTSO-E: no retry, an alarm, the next source, left alone for six hours', async () => {
    feed.set({ entsoe: { status: 401 } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({
      outcome: 'complete',
      servedSource: 'smard',
      attempts: [
        { source: 'entsoe', outcome: 'denied' },
        { source: 'smard', outcome: 'published' },
      ],
    });
    expect(prices.waits).toEqual([]);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'denied', source: 'entsoe' }]);
    expect(prices.logged.filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
    feed.set({ entsoe: {} });
    clock.advance(6 * 60 * MINUTE - 1000);
    expect(await callsOf()).toMatchObject({ entsoe: 0 });
    clock.advance(1000);
    expect(await callsOf()).toMatchObject({ entsoe: 1 });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('another token ends the pause after a refusal, but not the one after 429', async () => {
    const other = prices.with({ PRICES_ENTSOE_TOKEN: 'another-token' });
    expect(await callsOf(deliveryOn, other)).toMatchObject({ entsoe: 1 });
    expect(await callsOf(deliveryOn, other)).toMatchObject({ entsoe: 0 });
    feed.set({ entsoe: { status: 429 } });
    expect(await callsOf()).toMatchObject({ entsoe: 1 });
    feed.set({ entsoe: {} });
    expect(await callsOf(deliveryOn, other)).toMatchObject({ entsoe: 0 });
  });

  test('five failed jobs in a row pause a source for 15 minutes; a good answer ends the count', async () => {
    feed.set({ entsoe: { reset: true } });
    const pull = () => callsOf();
    for (let job = 1; job <= 4; job += 1) expect(await pull()).toMatchObject({ entsoe: 3 });
    feed.set({ entsoe: {} });
    expect(await pull()).toMatchObject({ entsoe: 1 });
    feed.set({ entsoe: { reset: true } });
    for (let job = 1; job <= 5; job += 1) expect(await pull()).toMatchObject({ entsoe: 3 });
    expect(await pull()).toMatchObject({ entsoe: 0 });
    clock.advance(15 * MINUTE);
    expect(await pull()).toMatchObject({ entsoe: 3 });
    expect(await pull()).toMatchObject({ entsoe: 0 });
  });

  test('an hour without any usable source is an alarm, which the first good answer ends', async () => {
    feed.set({ entsoe: { status: 503 }, smard: { status: 500 }, 'energy-charts': { reset: true } });
    const task = { deliveryOn, retries: 'none' as const };
    await pullDay(prices.parts, task);
    clock.advance(59 * MINUTE);
    await pullDay(prices.parts, task);
    expect(await openAlarms(prices)).toEqual([]);
    clock.advance(2 * MINUTE);
    await pullDay(prices.parts, task);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'unusable', source: '' }]);
    feed.set({ smard: {} });
    await pullDay(prices.parts, task);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('an hour without one source is no such alarm while another one has not failed', async () => {
    feed.set({ entsoe: { status: 503 }, smard: { status: 503 } });
    const task = { deliveryOn, sources: ['entsoe', 'smard'], retries: 'none' } as const;
    await pullDay(prices.parts, task);
    clock.advance(61 * MINUTE);
    await pullDay(prices.parts, task);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('a source that answers for an hour with days that are refused is no usable one', async () => {
    const parts = prices.with({ PRICES_SOURCES: 'entsoe' });
    const kinds = async () => {
      await pullDay(parts, { deliveryOn });
      return (await openAlarms(prices)).map(({ kind }) => kind);
    };
    feed.set({ entsoe: { unit: 'KWH' } });
    expect(await kinds()).toEqual(['rejected']);
    clock.advance(61 * MINUTE);
    expect((await kinds()).toSorted()).toEqual(['rejected', 'unusable']);
    feed.set({ entsoe: {} });
    expect(await kinds()).toEqual([]);
  });

  test('a refused answer is an alarm with its body kept; a good one of that day ends it', async () => {
    feed.set({ 'energy-charts': { unit: 'EUR/kWh' } });
    const task = { deliveryOn, sources: ['energy-charts'] as const };
    const report = await pullDay(prices.parts, task);
    expect(report).toMatchObject({ outcome: 'failed', attempts: [{ outcome: 'rejected' }] });
    expect(prices.waits).toEqual([]);
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'rejected', source: 'energy-charts' }]);
    const kept = `SELECT FROM price_payloads JOIN price_fetches USING (payload_hash) WHERE outcome = 'rejected'`;
    expect(await prices.rows(kept)).toHaveLength(1);
    feed.set({ 'energy-charts': {} });
    await pullDay(prices.parts, task);
    expect(await openAlarms(prices)).toEqual([]);
  });
});
