import { beforeEach, expect, test } from 'vitest';
import { feedDay } from '../../../../src/cli/demo/feed/days.ts';
import { pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, askJson } from './ask.ts';

const feed = await takeFeed();
beforeEach(() => feed.set({ now: '2026-11-19T11:30+01:00', energyforecast: {} }));

interface SecondVersion {
  generated_at: string;
  valid_until: string;
  data: { start: string; end: string; price_ct_kwh: number; total_ct_kwh: number; price_origin: string }[];
}
type FirstVersion = { start: string; end: string; price: number; price_origin: string }[];

const API = '/energyforecast/api';
const SECOND = `${API}/v2/forecast?token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0`;
const first = (name: string, resolution = 'QUARTER_HOURLY') =>
  `${API}/v1/predictions/${name}?token=demo&fixed_cost_cent=0&vat=0&resolution=${resolution}&market_zone=DE-LU`;
const counts = (rows: { price_origin: string }[]) => [
  rows.filter(({ price_origin }) => price_origin === 'market').length,
  rows.filter(({ price_origin }) => price_origin === 'forecast').length,
];

test('48 hours from the current one: real prices as far as they are known, then the run of the morning', async () => {
  const body = await askJson<SecondVersion>(feed, SECOND);
  expect([body.generated_at, body.valid_until]).toEqual(['2026-11-19T03:10:00Z', '2026-11-19T15:10:00Z']);
  expect(counts(body.data)).toEqual([52, 140]);
  expect(body.data[0]).toMatchObject({ start: '2026-11-19T10:00:00Z', end: '2026-11-19T10:15:00Z' });
  expect(body.data[52]).toEqual({
    start: '2026-11-19T23:00:00Z',
    end: '2026-11-19T23:15:00Z',
    price_ct_kwh: 9.467,
    total_ct_kwh: 9.467,
    price_origin: 'forecast',
  });
  expect(body.data[147]).toMatchObject({ start: '2026-11-20T22:45:00Z', price_ct_kwh: 9.775 });
  const market = body.data.slice(0, 52).map(({ price_ct_kwh }) => Math.round(price_ct_kwh * 1000));
  expect(market).toEqual([...pricesOf('2026-11-19').slice(-52)]);
});

test('runs are at 03:10 and 15:10 UTC; real prices of tomorrow come at 12:10 UTC', async () => {
  const seen = [];
  for (const now of [
    '2026-11-19T03:09Z',
    '2026-11-19T03:10Z',
    '2026-11-19T12:09Z',
    '2026-11-19T12:10Z',
    '2026-11-19T15:10Z',
  ]) {
    feed.set({ now });
    const { generated_at, data } = await askJson<SecondVersion>(feed, SECOND);
    const tomorrow = data.find(({ start }) => start === '2026-11-20T00:00:00Z')?.price_origin;
    seen.push([generated_at, tomorrow]);
  }
  expect(seen).toEqual([
    ['2026-11-18T15:10:00Z', 'forecast'],
    ['2026-11-19T03:10:00Z', 'forecast'],
    ['2026-11-19T03:10:00Z', 'forecast'],
    ['2026-11-19T03:10:00Z', 'market'],
    ['2026-11-19T15:10:00Z', 'market'],
  ]);
});

test('the horizon is what a switch says: 37 hours end with tomorrow', async () => {
  feed.set({ energyforecast: { hours: 37 } });
  expect(counts((await askJson<SecondVersion>(feed, SECOND)).data)).toEqual([52, 96]);
});

test('the first version: EUR/kWh with five decimals, local times, the width that is asked for', async () => {
  const quarters = await askJson<FirstVersion>(feed, first('next_48_hours'));
  expect(quarters[52]).toEqual({
    start: '2026-11-20T00:00:00.000+01:00',
    end: '2026-11-20T00:15:00.000+01:00',
    price: 0.09467,
    price_origin: 'forecast',
  });
  expect(await askJson<FirstVersion>(feed, first('next_96_hours'))).toHaveLength(96 * 4);
  const hours = await askJson<FirstVersion>(feed, first('next_48_hours', 'HOURLY'));
  expect(hours).toHaveLength(48);
  const firstQuarter = feedDay('2026-11-19').starts.indexOf(Date.parse('2026-11-19T10:00:00Z'));
  const ofHour = [...pricesOf('2026-11-19').slice(firstQuarter, firstQuarter + 4)];
  expect(hours[0]?.price).toBeCloseTo(ofHour.reduce((sum, price) => sum + price, 0) / 400_000, 5);
  expect(await askJson(feed, first('prices_for_ha'))).toEqual({ forecast: { state: 0, data: quarters } });
});

test("an account's surcharges are in the total unless the request sets them to zero", async () => {
  const bare = await askJson<SecondVersion>(feed, `${API}/v2/forecast?token=demo&market_zone=DE-LU`);
  const { price_ct_kwh: price = 0, total_ct_kwh: total = 0 } = bare.data[0] ?? {};
  expect(total).toBeCloseTo((price + 15) * 1.19, 6);
});

test('surcharges leak where a switch says so: into the total, or into every price', async () => {
  const [plain] = (await askJson<SecondVersion>(feed, SECOND)).data;
  const dearer = ((plain?.price_ct_kwh ?? 0) + 15) * 1.19;
  feed.set({ energyforecast: { surcharge: 'total' } });
  const [inTotal] = (await askJson<SecondVersion>(feed, SECOND)).data;
  expect([inTotal?.price_ct_kwh, inTotal?.total_ct_kwh]).toEqual([
    plain?.price_ct_kwh,
    expect.closeTo(dearer, 5),
  ]);
  feed.set({ energyforecast: { surcharge: true } });
  const [inPrice] = (await askJson<SecondVersion>(feed, SECOND)).data;
  expect([inPrice?.price_ct_kwh, inPrice?.total_ct_kwh]).toEqual([
    expect.closeTo(dearer, 5),
    expect.closeTo(dearer, 5),
  ]);
});

test('times without an offset where a switch says so', async () => {
  feed.set({ energyforecast: { naive_times: true } });
  expect((await askJson<SecondVersion>(feed, SECOND)).data[52]?.start).toBe('2026-11-20T00:00:00');
  expect((await askJson<FirstVersion>(feed, first('next_48_hours')))[52]?.start).toBe('2026-11-20T00:00:00');
});

test('another token is 401, in both versions', async () => {
  for (const path of [SECOND, first('next_48_hours'), first('prices_for_ha')]) {
    expect((await ask(feed, path.replace('token=demo', 'token=other'))).status).toBe(401);
    expect((await ask(feed, path.replace('token=demo&', ''))).status).toBe(401);
  }
});
