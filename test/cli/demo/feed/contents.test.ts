import { beforeEach, expect, test } from 'vitest';
import { pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import type { SourceSwitches } from '../../../../src/cli/demo/feed/switches.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, askJson, entsoePath, expandedCents, seriesIn } from './ask.ts';

/* Switches that change what stands in the bodies. */

const feed = await takeFeed({ now: '2026-11-20T14:00+01:00' });
beforeEach(() => feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {}, energyforecast: {} }));

const DAY = '2026-05-17';
const PATH = entsoePath('202605162200', '202605172200');
const CHARTS = `/energy-charts/price?bzn=DE-LU&start=${DAY}&end=${DAY}`;
const HOURS = `/awattar/v1/marketdata?start=${Date.parse('2026-05-16T22:00Z')}&end=${Date.parse('2026-05-17T22:00Z')}`;

async function entsoeWith(switches: SourceSwitches, path = PATH) {
  feed.set({ entsoe: switches });
  return (await ask(feed, path)).text;
}
async function pricesWith(switches: SourceSwitches): Promise<(number | null)[]> {
  feed.set({ 'energy-charts': switches });
  return (await askJson<{ price: (number | null)[] }>(feed, CHARTS)).price;
}

test('curve A01 has a point for every interval', async () => {
  const [series] = seriesIn(await entsoeWith({ curve: 'A01' }));
  expect([series?.curve, series?.periods[0]?.points.length]).toEqual(['A01', 96]);
  expect(expandedCents(series)).toEqual([...pricesOf(DAY)]);
});

test('another namespace, and a prefix on every element', async () => {
  expect(await entsoeWith({ namespace: '7:0' })).toContain('publicationdocument:7:0"');
  expect(await entsoeWith({ namespace: 'urn:other' })).toContain('xmlns="urn:other"');
  const text = await entsoeWith({ namespace_prefix: 'ns2' });
  expect(text).toContain('<ns2:Publication_MarketDocument xmlns:ns2="');
  expect(text).not.toMatch(/<\/?[A-Za-z]+[ >]/);
});

test('only the early auction, whatever is asked for', async () => {
  expect(seriesIn(await entsoeWith({ only_seq2: true })).map(({ sequence }) => sequence)).toEqual([2]);
});

test('the auction that counts for some of the days only', async () => {
  const path = entsoePath('202605162200', '202605182200', null);
  const series = seriesIn(await entsoeWith({ seq1_days: [DAY] }, path));
  expect(series.map(({ sequence, periods }) => [sequence, periods[0]?.start.slice(0, 10)])).toEqual([
    [2, '2026-05-17'],
    [2, '2026-05-16'],
    [1, '2026-05-16'],
  ]);
});

test('a dropped interval is missing: a hole between Periods, a point less, null, an hour less', async () => {
  const drop = ['2026-05-17T10:00Z', '2026-05-17T10:15:00Z'];
  const [holed] = seriesIn(await entsoeWith({ drop }));
  expect(holed?.periods.map(({ start, end }) => [start, end])).toEqual([
    ['2026-05-16T22:00Z', '2026-05-17T10:00Z'],
    ['2026-05-17T10:30Z', '2026-05-17T22:00Z'],
  ]);
  expect(expandedCents(holed)).toEqual([...pricesOf(DAY)].toSpliced(48, 2));
  const [single] = seriesIn(await entsoeWith({ drop, curve: 'A01' }));
  expect([single?.periods.length, single?.periods[0]?.points.length]).toEqual([1, 94]);
  const prices = await pricesWith({ drop });
  expect(prices.flatMap((price, index) => (price === null ? [index] : []))).toEqual([48, 49]);
  feed.set({ awattar: { drop } });
  expect((await askJson<{ data: unknown[] }>(feed, HOURS)).data).toHaveLength(23);
});

test('zeros for whole days or from an interval on, flat quarters, revised values', async () => {
  expect(new Set(expandedCents(seriesIn(await entsoeWith({ zeros: true }))[0]))).toEqual(new Set([0]));
  expect(new Set(await pricesWith({ zeros: [DAY] }))).toEqual(new Set([0, 1e-13]));
  const zeros = (await pricesWith({ zeros: ['2026-05-17T21:45Z'] })).map((price) => price === 0);
  expect(zeros.indexOf(true)).toBe(95);
  const flat = expandedCents(seriesIn(await entsoeWith({ quarters_flat: [DAY] }))[0]);
  for (let index = 0; index < flat.length; index += 4) {
    expect(new Set(flat.slice(index, index + 4)).size).toBe(1);
  }
  const revision = { interval: '2026-05-17T00:00Z', value: 4100 };
  expect(expandedCents(seriesIn(await entsoeWith({ revision }))[0])).toEqual(
    [...pricesOf(DAY)].with(8, 410_000),
  );
});

test('a revised value that is a text is printed as it stands', async () => {
  const revision = [
    { interval: '2026-05-17T00:00Z', value: '0.0000012' },
    { interval: '2026-05-17T00:15Z', value: '-0.00' },
  ];
  const text = await entsoeWith({ revision });
  expect(text).toContain('<position>9</position><price.amount>0.0000012</price.amount>');
  expect(text).toContain('<position>10</position><price.amount>-0.00</price.amount>');
  feed.set({ 'energy-charts': { revision } });
  expect((await ask(feed, CHARTS)).text).toContain(',0.0000012,-0.00,');
});

test('other units and currencies', async () => {
  const text = await entsoeWith({ unit: 'KWH', currency: 'SEK' });
  expect(text).toContain(
    '<currency_Unit.name>SEK</currency_Unit.name><price_Measure_Unit.name>KWH</price_Measure_Unit.name>',
  );
  feed.set({ 'energy-charts': { unit: 'EUR/kWh' }, awattar: { unit: 'Eur/kWh' } });
  expect((await ask(feed, CHARTS)).text).toContain('"unit":"EUR/kWh"');
  expect((await ask(feed, HOURS)).text).toContain('"unit":"Eur/kWh"');
});
