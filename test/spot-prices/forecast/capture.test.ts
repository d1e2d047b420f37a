import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { listForecastChoices, listForecastValues } from '../../../src/spot-prices/forecast/queries.ts';
import {
  storeForecastBody,
  storeForecastExchange,
} from '../../../src/spot-prices/forecast/store-forecast.ts';
import { readEnergyForecast } from '../../../src/spot-prices/providers/energyforecast.wire.ts';
import { readBody } from '../../../src/spot-prices/providers/exchange.ts';
import { NEXT, v1, v2 } from './answer-bodies.ts';
import { formulaPrices, openForecastParts, rowsOf, storeHistory } from './stored-history.ts';

/* 2026-11-19 11:30 in Berlin: the run of 03:10 UTC, real prices to midnight. */
const NOON = '2026-11-19T10:30:00.000Z';
const { parts, database, clock } = await openForecastParts(NOON);

beforeAll(() => storeHistory(database, '2026-11-18', '2026-11-20'));

const rows = <Row>(text: ReturnType<typeof sql<Row>>) => rowsOf(database, text);
const captures = () =>
  rows(sql<{ id: number; issued_at: string; captured_at: string; fetch_id: number }>`
    SELECT id, issued_at, captured_at, fetch_id FROM price_forecast_captures ORDER BY id`);
const fetches = () =>
  rows(sql<{ outcome: string; url: string; licence_text: string; detail: string | null }>`
    SELECT outcome, url, licence_text, detail FROM price_fetches WHERE source = 'energyforecast' ORDER BY id`);
const alarms = () =>
  rows(sql<{ kind: string; source: string }>`
    SELECT kind, source FROM price_alarms WHERE resolved_at IS NULL ORDER BY id`);

/** A body that came by the network: only such a one says how its feed does. */
function arrived(body: Uint8Array) {
  const now = clock.nowMilliseconds();
  const made = {
    url: 'answer.json',
    requestedAt: now,
    capturedAt: now,
    httpStatus: 200,
    contentType: null,
    body,
  };
  const read = readBody(made, body, readEnergyForecast, { zone: 'DE-LU', days: null });
  return storeForecastExchange(parts, read, { byNetwork: true });
}

async function valuesOn(day: string, now = clock.nowMilliseconds()) {
  return database.asService(async (connection) =>
    listForecastValues(connection, await listForecastChoices(connection, 'DE-LU', [day], now)),
  );
}

test('52 market and 96 forecast rows: the 96 are stored, the market rows nowhere', async () => {
  const stored = await storeForecastBody(parts, { body: v2(), name: 'answer.json' });
  expect(stored).toMatchObject({ outcome: 'published', intervals: 96 });
  const values = await valuesOn(NEXT);
  expect(values.map((value) => Number(value.amount))).toEqual(formulaPrices(NEXT));
  expect(values[0]).toEqual({
    deliveryOn: NEXT,
    interval_start: '2026-11-19T23:00:00.000Z',
    minutes: 15,
    amount: String(formulaPrices(NEXT)[0]),
  });
  expect(await rows(sql`SELECT count(*) AS count FROM price_forecast_values`)).toEqual([{ count: 96 }]);
  expect(await rows(sql`SELECT delivery_on, complete FROM price_forecast_days`)).toEqual([
    { delivery_on: NEXT, complete: true },
  ]);
  expect(await rows(sql`SELECT count(*) AS count FROM spot_prices`)).toEqual([{ count: 3 * 96 }]);
  expect(await captures()).toMatchObject([{ issued_at: '2026-11-19T03:10:00.000Z', captured_at: NOON }]);
});

test('the same answer again is a record of the attempt and no second capture', async () => {
  const [before, attempts] = [await captures(), (await fetches()).length];
  expect(await storeForecastBody(parts, { body: v2(), name: 'again.json' })).toMatchObject({
    captureId: null,
  });
  expect(await captures()).toEqual(before);
  expect(await fetches()).toHaveLength(attempts + 1);
});

test('0.09467 EUR/kWh and 9.467 ct/kWh are both 94.67 EUR/MWh', async () => {
  const price = () => 94.67;
  const market = (eurMwh: number) => eurMwh;
  for (const body of [v1, v2]) {
    const forecastOnly = JSON.parse(Buffer.from(body({ price })).toString()) as
      | { data: { price_origin: string }[] }
      | { price_origin: string }[];
    const real = JSON.parse(Buffer.from(body({ price: market })).toString()) as typeof forecastOnly;
    const list = Array.isArray(forecastOnly) ? forecastOnly : forecastOnly.data;
    const realList = Array.isArray(real) ? real : real.data;
    const mixed = list.map((row, index) => (row.price_origin === 'market' ? realList[index] : row));
    const document = Array.isArray(forecastOnly) ? mixed : { ...forecastOnly, data: mixed };
    clock.advance(1_000);
    await storeForecastBody(parts, { body: Buffer.from(JSON.stringify(document)), name: 'f3.json' });
    expect(new Set((await valuesOn(NEXT)).map((value) => value.amount))).toEqual(new Set(['94.67']));
  }
  expect(await captures()).toHaveLength(3);
});

test('a row without or with an unknown origin, and naive times, refuse the answer', async () => {
  const before = await captures();
  const naive = Buffer.from(
    Buffer.from(v2())
      .toString()
      .replaceAll(/("(?:start|end)":"[^"]*)Z"/g, '$1"'),
  );
  for (const body of [v2({ origin: null }), v2({ origin: 'guess' }), naive]) {
    const stored = await arrived(body);
    expect(stored).toMatchObject({ outcome: 'rejected', captureId: null });
    expect(stored.detail).not.toBeNull();
  }
  expect(await captures()).toEqual(before);
  expect(await alarms()).toEqual([{ kind: 'rejected', source: 'energyforecast' }]);
});

test('market rows with 15 ct and VAT on them, and a total beside the price, refuse the answer with an alarm', async () => {
  const before = await captures();
  const dearer = (eurMwh: number) => (eurMwh + 150) * 1.19;
  const leaked = await arrived(v2({ price: dearer }));
  expect(leaked).toMatchObject({ outcome: 'rejected', captureId: null, intervals: 0 });
  expect(leaked.detail).toMatch(/surcharge/);
  expect(await alarms()).toContainEqual({ kind: 'surcharge', source: 'energyforecast' });
  const total = await arrived(v2({ total: dearer }));
  expect(total).toMatchObject({ outcome: 'rejected', captureId: null });
  expect(await captures()).toEqual(before);
  const kept = await rows(sql`
    SELECT FROM price_fetches JOIN price_payloads USING (payload_hash)
     WHERE source = 'energyforecast' AND outcome = 'rejected'`);
  expect(kept.length).toBeGreaterThanOrEqual(5);
});

test('a good answer ends the alarms', async () => {
  clock.advance(1_000);
  await arrived(v2({ price: (eurMwh) => eurMwh + 0.4 }));
  expect(await alarms()).toEqual([]);
});

test('market rows may differ by 0.5 EUR/MWh on average, and by no more', async () => {
  const outcomeOf = async (more: number) =>
    (await storeForecastBody(parts, { body: v2({ price: (eurMwh) => eurMwh + more }), name: 'edge.json' }))
      .outcome;
  expect(await outcomeOf(0.5)).toBe('published');
  expect(await outcomeOf(0.501)).toBe('rejected');
  expect(await outcomeOf(-0.501)).toBe('rejected');
});

test('without a total at least four market rows have to be comparable', async () => {
  const list = JSON.parse(Buffer.from(v1()).toString()) as { price_origin: string }[];
  const forecast = list.filter((row) => row.price_origin === 'forecast');
  const market = list.filter((row) => row.price_origin === 'market');
  const outcomeOf = async (count: number) => {
    clock.advance(1_000);
    const body = Buffer.from(JSON.stringify([...market.slice(0, count), ...forecast]));
    return (await storeForecastBody(parts, { body, name: 'v1.json' })).outcome;
  };
  expect(await outcomeOf(0)).toBe('rejected');
  expect(await outcomeOf(3)).toBe('rejected');
  expect(await outcomeOf(4)).toBe('published');
});

test('hourly rows are stored as hourly and serve no day of quarter hours', async () => {
  const before = await captures();
  const choice = await valuesOn(NEXT);
  clock.advance(1_000);
  const stored = await storeForecastBody(parts, { body: v1({ minutes: 60 }), name: 'hourly.json' });
  expect(stored).toMatchObject({ intervals: 24 });
  const id = stored.captureId ?? -1;
  expect(await captures()).toHaveLength(before.length + 1);
  expect(
    await rows(
      sql`SELECT minutes, count(*) AS count FROM price_forecast_values WHERE capture_id = ${id} GROUP BY 1`,
    ),
  ).toEqual([{ minutes: 60, count: 24 }]);
  expect(await rows(sql`SELECT complete FROM price_forecast_days WHERE capture_id = ${id}`)).toEqual([
    { complete: false },
  ]);
  expect(await valuesOn(NEXT)).toEqual(choice);
});
