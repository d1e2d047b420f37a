import { beforeEach, expect, test } from 'vitest';
import { feedDay, shiftDate } from '../../../src/cli/demo/feed/days.ts';
import { forecastPrice, pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import type { SourceSwitches } from '../../../src/cli/demo/feed/switches.ts';
import { type ReadableSource, sources } from '../../../src/spot-prices/providers/index.ts';
import { readSmardIndex } from '../../../src/spot-prices/providers/smard.wire.ts';
import type { PricePoint, WireAnswer } from '../../../src/spot-prices/series.ts';
import { ask, entsoePath } from '../../cli/demo/feed/ask.ts';
import { takeFeed } from '../../setup/feed.ts';
import { sampled } from '../../setup/tier.ts';

/*
 * The feed writes, the wire files read; they share no code. What comes out must be what the formula says, to the last
 * digit and at the right instant.
 */

const feed = await takeFeed();
beforeEach(() => {
  feed.set({ now: '2027-06-01T14:00+02:00' });
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {}, energyforecast: {} });
});

const CLOCK_CHANGES = [2024, 2025, 2026].flatMap((year) => [
  lastSundayOf(`${year}-03-31`),
  lastSundayOf(`${year}-10-31`),
]);
/** Beside each clock change its neighbours, the week of the switch, the first days of the zone, year's ends, flat tails. */
const DAYS = [
  ...CLOCK_CHANGES.flatMap((day) => [shiftDate(day, -1), day, shiftDate(day, 1)]),
  ...Array.from({ length: 7 }, (_, index) => shiftDate('2025-09-29', index)),
  ...['2018-10-01', '2018-10-02', '2024-02-29', '2025-12-31', '2026-01-01', '2026-05-17', '2026-11-21'],
];

function lastSundayOf(lastOfMonth: string): string {
  let day = lastOfMonth;
  while (new Date(`${day}T12:00:00Z`).getUTCDay() !== 0) day = shiftDate(day, -1);
  return day;
}

/** EUR/MWh as the service writes it: no trailing zeros. */
const amount = (cents: number) => String(cents / 100);

function expected(day: string): PricePoint[] {
  const prices = pricesOf(day);
  return feedDay(day).starts.map((start, index) => ({ start, eurMwh: amount(prices[index] ?? Number.NaN) }));
}

async function read(
  source: ReadableSource,
  path: string,
  days: readonly string[] | null,
): Promise<WireAnswer> {
  const { status, text } = await ask(feed, path);
  expect(status).toBe(200);
  return sources[source].read(Buffer.from(text), { zone: 'DE-LU', days });
}

function pointsOf(answer: WireAnswer, day: string): readonly PricePoint[] | undefined {
  if (answer.status !== 'read') throw new Error(JSON.stringify(answer));
  return answer.days.find(({ deliveryOn }) => deliveryOn === day)?.points;
}

const utc = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/[-T:]/g, '').slice(0, 12);
const entsoe = (first: string, last: string, sequence: 1 | null = 1) =>
  entsoePath(utc(feedDay(first).from), utc(feedDay(last).to), sequence);

/** By `npm test` every day is asked for in one of these ways. */
const DOCUMENTS = (['A03', 'A01'] as const).flatMap((curve) =>
  ([1, null] as const).map((sequence) => ({ curve, sequence })),
);

test.for(DAYS)('ENTSO-E, %s: both curves, both auctions in one document', async (day) => {
  for (const { curve, sequence } of sampled(DOCUMENTS, DOCUMENTS.length, DAYS.indexOf(day))) {
    feed.set({ entsoe: { curve } });
    expect(pointsOf(await read('entsoe', entsoe(day, day, sequence), [day]), day)).toEqual(expected(day));
  }
});

test('ENTSO-E: 45 days over a clock change and the switch in one document', async () => {
  for (const first of ['2025-09-10', '2026-03-01']) {
    const days = Array.from({ length: 45 }, (_, index) => shiftDate(first, index));
    const answer = await read('entsoe', entsoe(first, days.at(-1) ?? first, null), days);
    for (const day of days) expect(pointsOf(answer, day)).toEqual(expected(day));
  }
});

test.for<SourceSwitches>([{ namespace: '7:0' }, { namespace_prefix: 'ns2' }, { fresh_mrid: true }])(
  'ENTSO-E, %j: the same values and the same hash of the content',
  async (switches) => {
    const plain = await read('entsoe', entsoe('2026-05-17', '2026-05-17'), ['2026-05-17']);
    feed.set({ entsoe: switches });
    const other = await read('entsoe', entsoe('2026-05-17', '2026-05-17'), ['2026-05-17']);
    expect(pointsOf(other, '2026-05-17')).toEqual(expected('2026-05-17'));
    if (switches.fresh_mrid === true && plain.status === 'read' && other.status === 'read') {
      expect(other.contentHash).toBe(plain.contentHash);
      expect(other.sourceStamp).not.toBe(plain.sourceStamp);
    }
  },
);

test('ENTSO-E: intervals that the feed drops are missing, nothing else changes', async () => {
  const drop = ['2026-05-16T22:00Z', '2026-05-17T10:15Z', '2026-05-17T21:45Z'];
  const missing = new Set(drop.map((time) => Date.parse(time)));
  for (const curve of ['A03', 'A01'] as const) {
    feed.set({ entsoe: { drop, curve } });
    const points = pointsOf(await read('entsoe', entsoe('2026-05-17', '2026-05-17'), null), '2026-05-17');
    expect(points).toEqual(expected('2026-05-17').filter(({ start }) => !missing.has(start)));
  }
});

test('ENTSO-E: only the early auction, or nothing yet, is not published', async () => {
  const day = '2026-05-17';
  feed.set({ entsoe: { only_seq2: true } });
  const early = await read('entsoe', entsoe(day, day), [day]);
  expect(early.status === 'not_published' || pointsOf(early, day)?.length === 0).toBe(true);
  feed.set({ entsoe: {}, now: '2026-05-16T12:57:59+02:00' });
  expect((await read('entsoe', entsoe(day, day), [day])).status).toBe('not_published');
});

test.for(DAYS)('SMARD, %s: the file of its week, in its own width', async (day) => {
  const width = feedDay(day).width === 60 ? 'hour' : 'quarterhour';
  const folder = '/smard/app/chart_data/4169/DE-LU';
  const index = readSmardIndex(Buffer.from((await ask(feed, `${folder}/index_${width}.json`)).text));
  if (index.status !== 'read') throw new Error(index.reason);
  const { from } = feedDay(day);
  const monday = index.starts.filter((start) => start <= from).at(-1);
  const path = `${folder}/4169_DE-LU_${width}_${monday}.json`;
  expect(pointsOf(await read('smard', path, [day]), day)).toEqual(expected(day));
  const other = path.replaceAll(`_${width}_`, width === 'hour' ? '_quarterhour_' : '_hour_');
  expect(pointsOf(await read('smard', other, [day]), day)).toEqual([]);
});

test('SMARD: the time of making leaves the hash of the content as it is', async () => {
  const path = `/smard/app/chart_data/4169/DE-LU/4169_DE-LU_quarterhour_${feedDay('2026-05-11').from}.json`;
  const plain = await read('smard', path, ['2026-05-17']);
  feed.set({ smard: { fresh_mrid: true } });
  const other = await read('smard', path, ['2026-05-17']);
  if (plain.status !== 'read' || other.status !== 'read') throw new Error('not read');
  expect([other.contentHash, other.sourceStamp]).toEqual([plain.contentHash, expect.any(String)]);
  expect(other.sourceStamp).not.toBe(plain.sourceStamp);
});

test.for(DAYS)('Energy-Charts, %s: without the noise of floats', async (day) => {
  const path = `/energy-charts/price?bzn=DE-LU&start=${day}&end=${day}`;
  expect(pointsOf(await read('energy-charts', path, [day]), day)).toEqual(expected(day));
});

test('Energy-Charts: 90 days in one answer, over the switch and a clock change', async () => {
  const days = Array.from({ length: 90 }, (_, index) => shiftDate('2025-09-01', index));
  const path = `/energy-charts/price?bzn=DE-LU&start=${days[0]}&end=${days.at(-1)}`;
  const answer = await read('energy-charts', path, days);
  for (const day of days) expect(pointsOf(answer, day)).toEqual(expected(day));
});

test.for(DAYS)('aWATTar, %s: means of hours', async (day) => {
  const { from, to, width, starts } = feedDay(day);
  const prices = [...pricesOf(day)];
  const perHour = 60 / width;
  const means = starts
    .filter((_, index) => index % perHour === 0)
    .map((start, hour) => {
      const ofHour = prices.slice(hour * perHour, (hour + 1) * perHour);
      return { start, eurMwh: amount(ofHour.reduce((sum, price) => sum + price, 0) / perHour) };
    });
  const answer = await read('awattar', `/awattar/v1/marketdata?start=${from}&end=${to}`, [day]);
  expect(pointsOf(answer, day)).toEqual(means);
});

test.for([...CLOCK_CHANGES, '2026-11-21'])('energyforecast, %s: the forecast of its morning', async (day) => {
  const before = shiftDate(day, -1);
  const now = Date.parse(`${before}T06:00:00Z`);
  const run = Date.parse(`${before}T03:10:00Z`);
  feed.set({ now });
  const { starts, width } = feedDay(day);
  const quarters = starts.flatMap((start) =>
    width === 15 ? [start] : [0, 1, 2, 3].map((quarter) => start + quarter * 900_000),
  );
  const prices = [...pricesOf(day)];
  const foreseen = quarters.map((start, index) => ({
    start,
    eurMwh: amount(forecastPrice(prices[Math.floor((index * 15) / width)] ?? Number.NaN, start, run)),
  }));
  const query = 'token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0&resolution=QUARTER_HOURLY';
  for (const path of ['v2/forecast', 'v1/predictions/next_48_hours', 'v1/predictions/prices_for_ha']) {
    const answer = await read('energyforecast', `/energyforecast/api/${path}?${query}`, [before, day]);
    expect(pointsOf(answer, day)).toEqual(foreseen);
    expect(pointsOf(answer, before)).toEqual([]);
  }
});
