import { beforeEach, expect, test } from 'vitest';
import { feedDay } from '../../../../src/cli/demo/feed/days.ts';
import { pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, askJson } from './ask.ts';

/* Energy-Charts and aWATTar. */

const feed = await takeFeed();
beforeEach(() => feed.set({ now: '2026-11-20T14:00+01:00', 'energy-charts': {}, awattar: {} }));

interface Charts {
  license_info: string;
  unix_seconds: number[];
  price: number[];
  unit: string;
  deprecated: boolean;
}
interface Hours {
  object: string;
  data: { start_timestamp: number; end_timestamp: number; marketprice: number; unit: string }[];
  url: string;
}

const charts = (start: string, end: string) => `/energy-charts/price?bzn=DE-LU&start=${start}&end=${end}`;
const hours = (day: string) => {
  const { from, to } = feedDay(day);
  return `/awattar/v1/marketdata?start=${from}&end=${to}`;
};
const cents = (prices: number[]) => prices.map((price) => Math.round(price * 100));

test('parallel arrays of local days, the end inclusive', async () => {
  const body = await askJson<Charts>(feed, charts('2026-10-24', '2026-10-25'));
  expect(body.unix_seconds).toEqual(
    ['2026-10-24', '2026-10-25'].flatMap((day) => feedDay(day).starts.map((start) => start / 1000)),
  );
  expect(cents(body.price)).toEqual([...pricesOf('2026-10-24'), ...pricesOf('2026-10-25')]);
  expect([body.unit, body.deprecated]).toEqual(['EUR / MWh', false]);
});

test('the licence says that the data are synthetic', async () => {
  const { license_info } = await askJson<Charts>(feed, charts('2026-11-20', '2026-11-20'));
  expect(license_info).toMatch(/^Synthetic data/);
});

test('every fortieth number carries the noise of binary floats, and some whole ones a decimal point', async () => {
  const { text } = await ask(feed, charts('2026-11-21', '2026-11-21'));
  const literals = /"price":\[([^\]]*)\]/.exec(text)?.[1]?.split(',') ?? [];
  expect([literals.length, literals[0]]).toEqual([96, '94.2600000000001']);
  const noisy = literals.flatMap((literal, index) => (literal.length > 12 ? [index] : []));
  expect(noisy).toEqual([0, 40, 80]);
});

test('a range that is published in part is shorter, one that is not at all is 404', async () => {
  expect((await askJson<Charts>(feed, charts('2026-11-21', '2026-11-22'))).price).toHaveLength(96);
  expect((await ask(feed, charts('2026-11-22', '2026-11-24'))).status).toBe(404);
  expect((await ask(feed, charts('2026-11-20', '2026-11-20').replace('DE-LU', 'AT'))).status).toBe(404);
});

test('without both dates there is today', async () => {
  for (const path of ['/energy-charts/price?bzn=DE-LU', '/energy-charts/price?bzn=DE-LU&start=2026-11-18']) {
    const { unix_seconds } = await askJson<Charts>(feed, path);
    expect([unix_seconds[0], unix_seconds.length]).toEqual([feedDay('2026-11-20').from / 1000, 96]);
  }
});

test('a range is 404 where a switch says so, its days one by one are not', async () => {
  feed.set({ 'energy-charts': { range_404: true, absent_days: ['2026-07-01'] } });
  const statuses = [];
  for (const [start, end] of [
    ['2026-06-30', '2026-07-02'],
    ['2026-06-30', '2026-06-30'],
    ['2026-07-01', '2026-07-01'],
  ] as const) {
    statuses.push((await ask(feed, charts(start, end))).status);
  }
  expect(statuses).toEqual([404, 200, 404]);
});

test('hours are the means of their quarters', async () => {
  const body = await askJson<Hours>(feed, hours('2026-11-21'));
  expect([body.object, body.url, body.data.length]).toEqual(['list', '/de/v1/marketdata', 24]);
  expect(new Set(body.data.map(({ unit }) => unit))).toEqual(new Set(['Eur/MWh']));
  const prices = [...pricesOf('2026-11-21')];
  for (const [index, row] of body.data.entries()) {
    const mean = prices.slice(index * 4, index * 4 + 4).reduce((sum, price) => sum + price, 0) / 400;
    expect([row.marketprice, row.end_timestamp - row.start_timestamp]).toEqual([mean, 3_600_000]);
  }
});

test('the clock-change days have 23 and 25 hours, and hours are prices themselves before the quarters', async () => {
  const count = async (day: string) => (await askJson<Hours>(feed, hours(day))).data.length;
  expect([await count('2026-03-29'), await count('2026-10-25')]).toEqual([23, 25]);
  const { data } = await askJson<Hours>(feed, hours('2025-09-30'));
  expect(data.map(({ marketprice }) => Math.round(marketprice * 100))).toEqual([...pricesOf('2025-09-30')]);
});

test('what is not published is an empty list; without a window come the next 24 hours', async () => {
  expect((await askJson<Hours>(feed, hours('2026-11-22'))).data).toEqual([]);
  const { data } = await askJson<Hours>(feed, '/awattar/v1/marketdata');
  expect([data.length, data[0]?.start_timestamp]).toEqual([24, Date.parse('2026-11-20T13:00:00Z')]);
});
