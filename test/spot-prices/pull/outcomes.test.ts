import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, dayOf, openAlarms, openTestPrices, served, stored } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

const deliveryOn = '2026-11-21';
const WELL = { entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} };

beforeEach(async () => {
  clock.set('2026-11-20T12:30:00Z');
  feed.set(WELL);
  await prices.empty();
});

const requestsSince = (before: ReturnType<typeof feed.requests>) => {
  const now = feed.requests();
  return { entsoe: now.entsoe - before.entsoe, smard: now.smard - before.smard };
};

describe('what one pull comes to', () => {
  test('nothing is published anywhere: every source is asked once, nothing is served, nobody is alarmed', async () => {
    clock.set('2026-11-20T11:50:00Z');
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toEqual({
      deliveryOn,
      outcome: 'not_published',
      servedSource: null,
      attempts: ['entsoe', 'smard', 'energy-charts'].map((source) => ({
        source,
        outcome: 'not_published',
        intervals: 0,
      })),
      changed: false,
    });
    expect(await dayOf(prices, deliveryOn)).toEqual({ served_source: null, state: 'partial', version: 0 });
    expect(await openAlarms(prices)).toEqual([]);
    expect(prices.logged.filter((line) => !/"level":"(debug|info)"/.test(line))).toEqual([]);
    expect(prices.waits).toEqual([]);
  });

  test('the first source with the whole day is served, and the two instants bracket its publication', async () => {
    clock.set('2026-11-20T11:50:00Z');
    await pullDay(prices.parts, { deliveryOn });
    clock.set('2026-11-20T12:00:00Z');
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'entsoe', changed: true });
    const values = await served(prices, deliveryOn);
    expect([values.length, values[0], values.at(-1)]).toEqual([96, 94.26, 103.36]);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(10699.14, 6);
    const [day] = await prices.rows(
      'SELECT version, last_incomplete_at, first_complete_at FROM price_days WHERE delivery_on = $1',
      [deliveryOn],
    );
    expect(day).toEqual({
      version: 1,
      last_incomplete_at: new Date('2026-11-20T11:50:00Z'),
      first_complete_at: new Date('2026-11-20T12:00:00Z'),
    });
    expect(await prices.rows('SELECT version, served_source FROM price_day_changes')).toEqual([
      { version: 1, served_source: 'entsoe' },
    ]);
  });

  test('503 with an HTML page is tried twice more, then the next source has the day', async () => {
    feed.set({ entsoe: { status: 503 } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'smard' });
    expect(await attempts(prices)).toEqual([
      ...Array.from({ length: 3 }, () => ({
        source: 'entsoe',
        outcome: 'transient_failure',
        interval_count: 0,
      })),
      { source: 'smard', outcome: 'published', interval_count: 96 },
    ]);
    expect(prices.waits).toHaveLength(2);
    const [first = 0, second = 0] = prices.waits;
    expect(Math.abs(first - 5_000)).toBeLessThanOrEqual(1_000);
    expect(Math.abs(second - 20_000)).toBeLessThanOrEqual(4_000);
  });

  test('a source that recovers within the retries is served', async () => {
    feed.set({ entsoe: { reset: true, times: 2 } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'entsoe' });
    expect((await attempts(prices)).map((row) => row.outcome)).toEqual([
      'transient_failure',
      'transient_failure',
      'published',
    ]);
  });

  test('without a token ENTSO-E is not asked', async () => {
    const before = feed.requests();
    const report = await pullDay(prices.with({ PRICES_ENTSOE_TOKEN: '' }), { deliveryOn });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'smard' });
    expect(requestsSince(before)).toEqual({ entsoe: 0, smard: 2 });
  });

  test('after four minutes no retry is made, but every source is asked', async () => {
    feed.set({
      entsoe: { html_200: true },
      smard: { empty: true },
      'energy-charts': { truncate_bytes: 900 },
    });
    const slow = {
      ...prices.parts,
      wait: async (milliseconds: number) => clock.advance(milliseconds + 240_000),
    };
    const report = await pullDay(slow, { deliveryOn });
    expect(report.outcome).toBe('failed');
    expect((await attempts(prices)).map((row) => `${row.source} ${row.outcome}`)).toEqual([
      'entsoe transient_failure',
      'entsoe transient_failure',
      'smard transient_failure',
      'energy-charts transient_failure',
    ]);
  });

  test('95 intervals of the first source and 96 of the second: the second is served whole, the first kept beside', async () => {
    feed.set({ entsoe: { drop: ['2026-11-21T08:15Z'], curve: 'A01' } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report.attempts).toEqual([
      { source: 'entsoe', outcome: 'partial', intervals: 95 },
      { source: 'smard', outcome: 'published', intervals: 96 },
    ]);
    expect(await prices.rows('SELECT DISTINCT source FROM spot_prices')).toEqual([{ source: 'smard' }]);
    expect(await served(prices, deliveryOn)).toHaveLength(96);
    expect(
      await prices.rows('SELECT source, interval_count, state FROM price_source_days ORDER BY source'),
    ).toEqual([
      { source: 'entsoe', interval_count: 95, state: 'partial' },
      { source: 'smard', interval_count: 96, state: 'complete' },
    ]);
  });

  test('only the other auction is there: not published, and the next source is asked', async () => {
    feed.set({ entsoe: { only_seq2: true } });
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report.attempts).toEqual([
      { source: 'entsoe', outcome: 'not_published', intervals: 0 },
      { source: 'smard', outcome: 'published', intervals: 96 },
    ]);
    expect(await prices.rows("SELECT FROM price_revisions WHERE source = 'entsoe'")).toEqual([]);
  });

  test.each([
    ['a body of 9 MiB', { oversize: true }],
    ['a redirect to another host', { redirect: 'http://127.0.0.1:1/entsoe/api' }],
  ])(
    '%s is rejected without a retry, with an alarm, and the next source is asked',
    async (_name, switches) => {
      feed.set({ entsoe: switches });
      const report = await pullDay(prices.parts, { deliveryOn });
      expect(report).toMatchObject({ outcome: 'complete', servedSource: 'smard' });
      expect(report.attempts[0]).toEqual({ source: 'entsoe', outcome: 'rejected', intervals: 0 });
      expect(await openAlarms(prices)).toMatchObject([{ kind: 'rejected', source: 'entsoe' }]);
      expect(prices.waits).toEqual([]);
    },
  );

  test('a complete day makes no request', async () => {
    await pullDay(prices.parts, { deliveryOn });
    const before = feed.requests();
    const report = await pullDay(prices.parts, { deliveryOn });
    expect(report).toMatchObject({ outcome: 'already_complete', servedSource: 'entsoe', attempts: [] });
    expect(feed.requests()).toEqual(before);
  });

  test('of two pulls of one day the second ends without a request, and there is one set of revisions', async () => {
    feed.set({ entsoe: { slow_seconds: 0.3 } });
    const before = feed.requests();
    const reports = await Promise.all([
      pullDay(prices.parts, { deliveryOn }),
      pullDay(prices.parts, { deliveryOn }),
    ]);
    expect(reports.map((report) => report.outcome).sort()).toEqual(['busy', 'complete']);
    expect(requestsSince(before)).toEqual({ entsoe: 1, smard: 0 });
    expect(await stored(prices)).toMatchObject([{ revisions: 96, changes: 1 }]);
    expect((await pullDay(prices.parts, { deliveryOn })).outcome).toBe('already_complete');
  });

  test('a pull that is ended in the middle of an answer leaves its day free for the next one', async () => {
    feed.set({ entsoe: { slow_seconds: 20 } });
    const job = new AbortController();
    const pulled = pullDay(prices.parts, { deliveryOn, signal: job.signal });
    await expect.poll(() => feed.addresses().at(-1)).toContain('/entsoe/api');
    job.abort(new Error('the process is ending'));
    await expect(pulled).rejects.toThrow('the process is ending');
    expect(await attempts(prices)).toEqual([]);
    feed.set({ entsoe: {} });
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({ outcome: 'complete' });
  });

  test('on a Sunday before noon the week of Monday is not in the index: not published, no file is read', async () => {
    clock.set('2026-11-15T10:00:00Z');
    const before = feed.addresses().length;
    const report = await pullDay(prices.parts, { deliveryOn: '2026-11-16', sources: ['smard'] });
    expect(report).toMatchObject({ outcome: 'not_published', servedSource: null });
    expect(feed.addresses().slice(before)).toEqual([
      '/smard/app/chart_data/4169/DE-LU/index_quarterhour.json',
    ]);
    expect(prices.waits).toEqual([]);
    expect(await attempts(prices)).toMatchObject([{ source: 'smard', outcome: 'not_published' }]);
  });

  test('for a Monday the two newest week files are read', async () => {
    clock.set('2026-11-15T12:30:00Z');
    const before = feed.addresses().length;
    const report = await pullDay(prices.parts, { deliveryOn: '2026-11-16', sources: ['smard'] });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'smard' });
    expect(
      feed
        .addresses()
        .slice(before)
        .map((path) => path.split('/').at(-1)),
    ).toEqual([
      'index_quarterhour.json',
      '4169_DE-LU_quarterhour_1794178800000.json',
      '4169_DE-LU_quarterhour_1794783600000.json',
    ]);
  });

  test('in the week of the switch hourly days come from the hour file, later ones from the quarterhour file', async () => {
    for (const [day, count] of [
      ['2025-09-30', 24],
      ['2025-10-01', 96],
    ] as const) {
      const report = await pullDay(prices.parts, { deliveryOn: day, sources: ['smard'] });
      expect(report.attempts).toEqual([{ source: 'smard', outcome: 'published', intervals: count }]);
    }
    expect((await served(prices, '2025-09-30')).slice(0, 1)).toEqual([60.77]);
  });

  test('days of the zone with Austria are asked of ENTSO-E only, under that zone', async () => {
    const before = feed.requests();
    const report = await pullDay(prices.parts, { deliveryOn: '2018-09-30' });
    expect(report).toMatchObject({ outcome: 'complete', servedSource: 'entsoe' });
    expect(requestsSince(before)).toEqual({ entsoe: 1, smard: 0 });
    expect(await prices.rows('SELECT DISTINCT zone FROM spot_prices')).toEqual([{ zone: 'DE-AT-LU' }]);
  });
});
