import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addDays } from '../../../src/spot-prices/calendar.ts';
import { captureForecast } from '../../../src/spot-prices/forecast/capture-forecast.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { NEXT } from './answer-bodies.ts';
import { openForecastParts, rowsOf, storeHistory } from './stored-history.ts';

/* 2026-11-19 11:30 in Berlin: the run of 03:10 UTC, real prices to midnight. */
const feed = await takeFeed({ now: () => setup.clock.nowMilliseconds() });
const setup = await openForecastParts('2026-11-19T10:30:05.000Z', feedConfig(feed));
const { parts, database } = setup;

beforeAll(() => storeHistory(database, '2026-11-18', '2026-11-20'));

const rows = <Row>(text: ReturnType<typeof sql<Row>>) => rowsOf(database, text);
const captures = () => rows(sql<{ id: number }>`SELECT id FROM price_forecast_captures ORDER BY id`);
const fetches = () =>
  rows(sql<{ outcome: string; url: string; licence_text: string; detail: string | null }>`
    SELECT outcome, url, licence_text, detail FROM price_fetches WHERE source = 'energyforecast' ORDER BY id`);

test('the feed is asked without surcharges, its address is kept without the token, and the licence with it', async () => {
  const result = await captureForecast(parts);
  expect(result).toMatchObject({ outcome: 'partial', captureId: expect.any(Number) });
  const last = (await fetches()).at(-1);
  expect(last?.url).toContain('token=***');
  expect(last?.url).toContain('vat=0');
  expect(last?.url).toContain('fixed_cost_cent=0');
  expect(last?.url).not.toContain('demo');
  expect(last?.licence_text).toBe(parts.config.PRICES_ENERGYFORECAST_LICENCE);
  const days = await rows(sql<{ delivery_on: string; complete: boolean }>`
    SELECT delivery_on, complete FROM price_forecast_days
     WHERE capture_id = ${result.captureId} ORDER BY delivery_on`);
  expect(days).toEqual([
    { delivery_on: NEXT, complete: true },
    { delivery_on: addDays(NEXT, 1), complete: false },
  ]);
});

test('the curve of the example: 94.67 and 86.55 EUR/MWh from the run of 03:10 UTC', async () => {
  const values = await rows(sql<{ amount: string }>`
    SELECT amount FROM price_forecast_values
     WHERE capture_id = (SELECT max(id) FROM price_forecast_captures)
       AND interval_start < '2026-11-20T23:00:00Z' ORDER BY interval_start`);
  expect(values).toHaveLength(96);
  expect([values[0]?.amount, values[1]?.amount, values[95]?.amount]).toEqual(['94.67', '86.55', '97.75']);
});

test('an account whose settings leak into the price is refused', async () => {
  const before = await captures();
  for (const surcharge of [true, 'total'] as const) {
    feed.set({ energyforecast: { surcharge } });
    expect(await captureForecast(parts)).toMatchObject({ outcome: 'rejected', captureId: null });
  }
  feed.set({ energyforecast: {} });
  expect(await captures()).toEqual(before);
});

test('a failure is tried three times, a refusal once; then the feed is left alone', async () => {
  const before = feed.requests().energyforecast;
  feed.set({ energyforecast: { status: 503 } });
  expect(await captureForecast(parts)).toMatchObject({ outcome: 'transient_failure' });
  expect(feed.requests().energyforecast).toBe(before + 3);
  feed.set({ energyforecast: { status: 401 } });
  expect(await captureForecast(parts)).toMatchObject({ outcome: 'denied' });
  expect(feed.requests().energyforecast).toBe(before + 4);
  expect(await captureForecast(parts)).toMatchObject({ outcome: 'paused' });
  expect(feed.requests().energyforecast).toBe(before + 4);
  feed.set({ energyforecast: {} });
});

test('without a token nobody is asked', async () => {
  const before = feed.requests().energyforecast;
  const { PRICES_ENERGYFORECAST_TOKEN: _token, ...config } = parts.config;
  expect(await captureForecast({ ...parts, config })).toEqual({ outcome: 'not_configured' });
  expect(feed.requests().energyforecast).toBe(before);
});
