import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PriceClient, quarters, takePriceApi } from './price-api.ts';

/* What the reference shows: the invented prices of the feed, seen on 20 November 2026 at ten in the morning. */

const prices = await takePriceApi('2026-11-20T10:00:00+01:00');
let partner: PriceClient;

beforeAll(async () => {
  await prices.captureAt('2026-11-19T05:40:00+01:00');
  await prices.captureAt('2026-11-19T13:30:00+01:00');
  prices.clock.set('2026-11-20T10:00:00+01:00');
  const march = ['2026-03-29'];
  const switchDays = ['2025-09-29', '2025-09-30', '2025-10-01'];
  await prices.pull(...march);
  await prices.pull(...switchDays);
  await prices.pull('2026-10-25');
  await prices.pull('2026-11-20', '2026-11-21');
  partner = await prices.tenant({ forecasts: true });
});
afterAll(() => prices.close());

const series = { object: 'price', type: 'day_ahead', currency: 'EUR', unit: 'ct/kWh' };

test('the spring day of a clock change has 92 quarter hours', async () => {
  const { status, body } = await partner.prices('?start=2026-03-29&end=2026-03-29');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...series,
    period: { start: '2026-03-29T00:00:00+01:00', end: '2026-03-30T00:00:00+02:00' },
    resolution: '15min',
    missing: [],
  });
  expect(body.items.map(({ timestamp }) => timestamp)).toEqual(quarters('2026-03-28T23:00:00Z', 92));
  expect(body.items.slice(0, 2).map(({ amount }) => amount)).toEqual([4.636, 4.888]);
  expect(body.items[7]).toEqual({ timestamp: '2026-03-29T00:45:00Z', amount: 4.314 });
  expect(body.items[8]).toEqual({ timestamp: '2026-03-29T01:00:00Z', amount: 4.213 });
  expect(body.items[91]).toEqual({ timestamp: '2026-03-29T21:45:00Z', amount: 5.521 });
});

test('the autumn day has 100, and its hour that comes twice has two prices', async () => {
  const { body } = await partner.prices('?start=2026-10-25');
  expect(body.period).toEqual({ start: '2026-10-25T00:00:00+02:00', end: '2026-10-26T00:00:00+01:00' });
  expect(body.missing).toEqual([]);
  expect(body.items.map(({ timestamp }) => timestamp)).toEqual(quarters('2026-10-24T22:00:00Z', 100));
  expect(body.items[0]?.amount).toBe(5.682);
  expect(body.items[8]).toEqual({ timestamp: '2026-10-25T00:00:00Z', amount: 4.88 });
  expect(body.items[12]).toEqual({ timestamp: '2026-10-25T01:00:00Z', amount: 5.06 });
  expect(body.items[99]).toEqual({ timestamp: '2026-10-25T22:45:00Z', amount: 6.882 });
});

test('across the change to quarter hours each hour stands four times', async () => {
  const { body } = await partner.prices('?start=2025-09-30&end=2025-10-01');
  expect(body).toMatchObject({
    ...series,
    period: { start: '2025-09-30T00:00:00+02:00', end: '2025-10-02T00:00:00+02:00' },
    resolution: '15min',
    missing: [],
  });
  expect(body.items.map(({ timestamp }) => timestamp)).toEqual(quarters('2025-09-29T22:00:00Z', 192));
  const amounts = body.items.map(({ amount }) => amount);
  expect(amounts.slice(0, 5)).toEqual([6.077, 6.077, 6.077, 6.077, 5.459]);
  expect([amounts[95], amounts[96], amounts[97], amounts[191]]).toEqual([8.276, 8.492, 8.744, 9.418]);
  const before = (await partner.prices('?start=2025-09-29&end=2025-09-30')).body;
  expect([before.resolution, before.items.length, before.items[1]?.timestamp]).toEqual([
    'hourly',
    48,
    '2025-09-28T23:00:00Z',
  ]);
});

test('without dates: today, and tomorrow as missing while it is not published', async () => {
  const { headers, body } = await partner.prices();
  expect(headers.get('cache-control')).toBe('private, max-age=30');
  expect(body).toMatchObject({
    ...series,
    period: { start: '2026-11-20T00:00:00+01:00', end: '2026-11-22T00:00:00+01:00' },
    resolution: '15min',
    missing: quarters('2026-11-20T23:00:00Z', 96),
  });
  expect(body.items.map(({ timestamp }) => timestamp)).toEqual(quarters('2026-11-19T23:00:00Z', 96));
  const amounts = body.items.map(({ amount }) => amount);
  expect([amounts[0], amounts[1], amounts[95]]).toEqual([9.066, 9.153, 10.491]);

  const tomorrow = await partner.prices('?start=2026-11-21');
  expect([tomorrow.status, tomorrow.body.items, tomorrow.body.missing]).toEqual([
    200,
    [],
    quarters('2026-11-20T23:00:00Z', 96),
  ]);
});

test('a forecast is the curve that was there at noon of the day before, whatever came later', async () => {
  const { body } = await partner.prices('?type=day_ahead_forecast&start=2026-11-20');
  expect(body).toMatchObject({
    ...series,
    type: 'day_ahead_forecast',
    period: { start: '2026-11-20T00:00:00+01:00', end: '2026-11-21T00:00:00+01:00' },
    resolution: '15min',
    missing: [],
  });
  expect(body.items.map(({ timestamp }) => timestamp)).toEqual(quarters('2026-11-19T23:00:00Z', 96));
  const amounts = body.items.map(({ amount }) => amount);
  expect([amounts[0], amounts[1], amounts[95]]).toEqual([9.467, 8.655, 9.775]);
});

test('the widest forecast has 9 dates and 864 intervals', async () => {
  const { status, body } = await partner.prices('?type=day_ahead_forecast&start=2026-11-19&end=2026-11-27');
  expect([status, body.items.length + body.missing.length]).toEqual([200, 864]);
  const all = [...body.items.map(({ timestamp }) => timestamp), ...body.missing];
  expect(all.toSorted()).toEqual(quarters('2026-11-18T23:00:00Z', 864));
});
