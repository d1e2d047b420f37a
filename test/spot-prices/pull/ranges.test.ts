import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startFeed } from '../../../src/cli/demo/feed/server.ts';
import { daysBetween } from '../../../src/spot-prices/calendar.ts';
import { entsoe } from '../../../src/spot-prices/providers/entsoe.ts';
import { pullChunk } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, openTestPrices, type TestPrices } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
let prices: TestPrices;

beforeAll(async () => {
  prices = await openTestPrices(clock, feedConfig(feed));
});
afterAll(() => prices.close());
beforeEach(() => feed.set({ entsoe: {}, smard: {}, 'energy-charts': {} }));

const newest = (count: number) => feed.addresses().slice(-count);

describe('many days of one source', () => {
  test('an answer with exactly 100 TimeSeries is followed by the next page, and both are one', async () => {
    const days = daysBetween('2026-05-01', '2026-08-10');
    const parsed = vi.spyOn(SaxesParser.prototype, 'close');
    let before: number;
    let answer: Awaited<ReturnType<typeof entsoe.ask>>;
    /* On a busy machine one of the two may take longer than an answer may: then a pull asks again. */
    do {
      parsed.mockClear();
      before = feed.requests().entsoe;
      answer = await entsoe.ask(prices.parts, { zone: 'DE-LU', days });
    } while (answer.days === null);
    /* Counting the series and judging all pages together need no further look at the bytes. */
    expect(parsed).toHaveBeenCalledTimes(2);
    parsed.mockRestore();
    expect(feed.requests().entsoe - before).toBe(2);
    expect(newest(2).map((path) => new URLSearchParams(path.split('?')[1]).get('offset'))).toEqual([
      null,
      '100',
    ]);
    expect(answer.days.map((day) => [day.deliveryOn, day.points.length, day.outcome])).toEqual(
      days.map((day) => [day, 96, 'published']),
    );
  });

  test('what ENTSO-E is asked: the zone twice, day-ahead, the first auction, Berlin midnights in UTC, no curve type', async () => {
    await entsoe.ask(prices.parts, { zone: 'DE-LU', days: ['2026-11-21'] });
    expect(Object.fromEntries(new URLSearchParams(newest(1)[0]?.split('?')[1]))).toEqual({
      securityToken: 'demo',
      documentType: 'A44',
      in_Domain: '10Y1001A1001A82H',
      out_Domain: '10Y1001A1001A82H',
      'contract_MarketAgreement.type': 'A01',
      'classificationSequence_AttributeInstanceComponent.position': '1',
      periodStart: '202611202300',
      periodEnd: '202611212300',
    });
  });

  test('more than 45 days of ENTSO-E are asked for in pieces of at most 45', async () => {
    /* Days with hourly prices: a quarter of the values. */
    const days = daysBetween('2025-01-01', '2025-02-19');
    const reports = await pullChunk(prices.parts, { source: 'entsoe', days });
    expect(reports.map((report) => report.outcome)).toEqual(days.map(() => 'complete'));
    expect(newest(2).map((path) => new URLSearchParams(path.split('?')[1]).get('periodEnd'))).toEqual([
      '202502142300',
      '202502192300',
    ]);
  });

  test('404 for three days of which the middle one exists: day by day, one day stored', async () => {
    feed.set({ 'energy-charts': { range_404: true, absent_days: ['2026-09-01', '2026-09-03'] } });
    const days = daysBetween('2026-09-01', '2026-09-03');
    const reports = await pullChunk(prices.parts, { source: 'energy-charts', days });
    expect(reports.map((report) => [report.deliveryOn, report.outcome])).toEqual([
      ['2026-09-01', 'not_published'],
      ['2026-09-02', 'complete'],
      ['2026-09-03', 'not_published'],
    ]);
    expect(newest(4)).toEqual([
      '/energy-charts/price?bzn=DE-LU&start=2026-09-01&end=2026-09-03',
      '/energy-charts/price?bzn=DE-LU&start=2026-09-01&end=2026-09-01',
      '/energy-charts/price?bzn=DE-LU&start=2026-09-02&end=2026-09-02',
      '/energy-charts/price?bzn=DE-LU&start=2026-09-03&end=2026-09-03',
    ]);
    expect((await attempts(prices)).slice(-4).map((row) => row.outcome)).toEqual([
      'not_published',
      'not_published',
      'published',
      'not_published',
    ]);
  });

  test('a range whose end is not published is shorter: the first day complete, the second one missing', async () => {
    clock.set('2026-11-20T11:00:00Z');
    const days = ['2026-11-20', '2026-11-21'];
    const reports = await pullChunk(prices.parts, { source: 'energy-charts', days });
    expect(reports.map((report) => report.outcome)).toEqual(['complete', 'not_published']);
  });

  test('the second host of ENTSO-E is asked after a 5xx of the first, not after a refusal', async () => {
    const [first, second] = [await takeOwn({ status: 503 }), await takeOwn({})];
    const parts = prices.with({ PRICES_ENTSOE_URL: `${first.url}/entsoe, ${second.url}/entsoe` });
    const answer = await entsoe.ask(parts, { zone: 'DE-LU', days: ['2026-11-10'] });
    expect(answer.exchanges.map((exchange) => exchange.outcome)).toEqual(['transient_failure', 'published']);
    first.set({ entsoe: { status: 401 } });
    const refused = await entsoe.ask(parts, { zone: 'DE-LU', days: ['2026-11-10'] });
    expect(refused.exchanges.map((exchange) => exchange.outcome)).toEqual(['denied']);
    first.set({ entsoe: { reset: true } });
    const reset = await entsoe.ask(parts, { zone: 'DE-LU', days: ['2026-11-10'] });
    expect(reset.exchanges.map((exchange) => exchange.outcome)).toEqual(['transient_failure', 'published']);
    await Promise.all([first.close(), second.close()]);
  });

  test('a backfill run twice, or stopped in the middle and repeated, ends as one run does', async () => {
    const days = daysBetween('2026-10-01', '2026-10-06');
    await pullChunk(prices.parts, { source: 'entsoe', days: days.slice(0, 3) });
    await pullChunk(prices.parts, { source: 'entsoe', days });
    const state = () =>
      prices.rows(
        `SELECT (SELECT count(*)::int FROM price_revisions WHERE interval_start BETWEEN '2026-09-30T22:00Z' AND '2026-10-06T21:45Z') AS revisions,
                array_agg(version ORDER BY delivery_on) AS versions
           FROM price_days WHERE delivery_on BETWEEN '2026-10-01' AND '2026-10-06'`,
      );
    const once = await state();
    expect(once).toEqual([{ revisions: 6 * 96, versions: days.map(() => 1) }]);
    const again = await pullChunk(prices.parts, { source: 'entsoe', days, recheck: true });
    expect(again.every((report) => report.outcome === 'complete' && !report.changed)).toBe(true);
    expect(await state()).toEqual(once);
  });
});

async function takeOwn(switches: { status?: 503 }) {
  return await startFeed({ now: () => clock.nowMilliseconds(), switches: { entsoe: switches } });
}
