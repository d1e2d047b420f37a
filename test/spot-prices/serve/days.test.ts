import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setForecasts } from '../../../src/identity/organizations/service.ts';
import type { Database } from '../../../src/platform/database/db.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { periodOf } from '../../../src/spot-prices/serve/period.ts';
import { createSeriesAnswers } from '../../../src/spot-prices/serve/series-answers.ts';
import { realizedQuarterHours, startText } from '../../../src/spot-prices/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type PriceClient, quarters, takePriceApi, writtenAmounts } from './price-api.ts';

const NOON = '2026-11-20T12:00:00+01:00';
const prices = await takePriceApi(NOON);
let partner: PriceClient;

async function goTo(instant: string): Promise<void> {
  prices.clock.set(instant);
  partner = await prices.tenant({ forecasts: true });
}

beforeAll(() => goTo(NOON));
afterAll(() => prices.close());

/** A day in Energy-Charts' form, in which a test can say every price. */
async function store(day: string, start: string, step: number, amounts: readonly string[]): Promise<void> {
  const seconds = amounts.map((_, index) => Date.parse(start) / 1000 + index * step * 60);
  const text = `{"license_info":"CC BY 4.0","unix_seconds":[${seconds.join()}],"price":[${amounts.join()}],"unit":"EUR / MWh","deprecated":false}`;
  const body = new TextEncoder().encode(text);
  const reports = await storeBody(prices.parts, {
    source: 'energy-charts',
    body,
    name: 'test',
    days: [day],
  });
  if (!['complete', 'partial'].includes(reports[0]?.outcome ?? '')) throw new Error(JSON.stringify(reports));
}

test('amounts are exact decimals without exponent, whatever a binary float would make of them', async () => {
  const special = ['0.57', '0.0000012', '-0.01', '50.00', '-500', '4000', '-0.0', '93.28', '12.345', '1e-7'];
  await store('2026-11-18', '2026-11-17T23:00:00Z', 15, [...special, ...Array(86).fill('1')]);
  const answer = await partner.prices('?start=2026-11-18');
  expect(writtenAmounts(answer).slice(0, 10)).toEqual(
    ['0.057', '0.00000012', '-0.001', '5', '-50', '400', '0', '9.328', '1.2345', '0'].map((text, index) =>
      index === 9 ? expect.stringMatching(/^0(\.00000001)?$/) : text,
    ),
  );
});

test('a missing hour is four missing starts in a period of quarter hours, and one in a period of hours', async () => {
  const amounts = Array.from({ length: 24 }, (_, hour) => (hour === 5 ? 'null' : `${hour + 1}0.5`));
  await store('2025-09-30', '2025-09-29T22:00:00Z', 60, amounts);
  await store('2025-10-01', '2025-09-30T22:00:00Z', 15, Array(96).fill('10'));
  const across = await partner.prices('?start=2025-09-30&end=2025-10-01');
  expect(across.body.missing).toEqual(quarters('2025-09-30T03:00:00Z', 4));
  expect(across.body.items.length).toBe(188);
  expect(across.headers.get('cache-control')).toBe('private, max-age=30');
  const hourly = await partner.prices('?start=2025-09-30');
  expect([hourly.body.resolution, hourly.body.missing]).toEqual(['hourly', ['2025-09-30T03:00:00Z']]);
  const next = await partner.prices('?start=2025-10-01');
  expect([next.body.resolution, next.body.items.length]).toEqual(['15min', 96]);
});

test('bills have the quarter hours of the interface, across hours and quarter hours, two zones and both clock changes', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 5 ? 'null' : `${hour + 1}0.5`));
  await store('2025-09-30', '2025-09-29T22:00:00Z', 60, hours);
  await store('2025-10-01', '2025-09-30T22:00:00Z', 15, Array(96).fill('10'));
  await store('2025-10-26', '2025-10-25T22:00:00Z', 15, [...Array(99).fill('-1'), '2.5']);
  await store('2026-03-29', '2026-03-28T23:00:00Z', 15, [...Array(91).fill('3'), '4']);
  await storedRows(
    prices.api,
    /* Without the revisions of a source behind them. */
    `BEGIN; SET LOCAL session_replication_role = replica;
     INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     VALUES ('DE-AT-LU', '2018-09-30T21:00Z', 60, '2018-09-30', 5, 'smard', 1),
            ('DE-AT-LU', '2018-09-30T22:00Z', 60, '2018-10-01', 6, 'smard', 1),
            ('DE-LU', '2018-09-30T22:00Z', 60, '2018-10-01', 7, 'smard', 1);
     COMMIT`,
  );
  const billed = async (first: string, end: string) => {
    const points = await prices.parts.database.asService((connection) =>
      realizedQuarterHours(connection, first, end),
    );
    return points.map(({ start, eurMwh }) => `${startText(start)} ${eurMwh}`);
  };
  for (const [start, end, behind] of [
    ['2025-09-30', '2025-10-01', '2025-10-02'],
    ['2025-10-26', '2025-10-26', '2025-10-27'],
    ['2026-03-29', '2026-03-29', '2026-03-30'],
  ] as const) {
    const { body } = await partner.prices(`?start=${start}&end=${end}`);
    const shown = [
      ...body.items.map(({ timestamp, amount }) => `${timestamp} ${Number((amount * 10).toFixed(6))}`),
      ...body.missing.map((timestamp) => `${timestamp} null`),
    ];
    const own = (await billed(start, behind)).map((text) => text.replace(/(\.\d*?)0+$/, '$1'));
    expect(own).toEqual(shown.sort());
  }
  expect((await billed('2018-09-30', '2018-10-02')).slice(92, 100)).toEqual([
    ...quarters('2018-09-30T21:00:00Z', 4).map((start) => `${start} 5`),
    ...quarters('2018-09-30T22:00:00Z', 4).map((start) => `${start} 7`),
  ]);
});

test('realized prices and forecasts never fill the holes of one another', async () => {
  await prices.captureAt('2026-11-20T11:30:00+01:00');
  await goTo(NOON);
  const at = (type: string, day: string) => partner.prices(`?type=${type}&start=${day}`);
  expect((await at('day_ahead_forecast', '2026-11-21')).body.items.length).toBe(96);
  expect((await at('day_ahead', '2026-11-21')).body.missing.length).toBe(96);
  await prices.pull('2026-11-19');
  expect((await at('day_ahead', '2026-11-19')).body.items.length).toBe(96);
  expect((await at('day_ahead_forecast', '2026-11-19')).body.missing.length).toBe(96);
});

describe('today and tomorrow are days of Berlin', () => {
  test.each([
    ['2026-03-28T23:30:00+01:00', '2026-03-28T00:00:00+01:00', '2026-03-30T00:00:00+02:00', 188],
    ['2026-03-29T00:30:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-31T00:00:00+02:00', 188],
    ['2026-03-29T23:30:00+02:00', '2026-03-29T00:00:00+01:00', '2026-03-31T00:00:00+02:00', 188],
    ['2026-03-30T00:30:00+02:00', '2026-03-30T00:00:00+02:00', '2026-04-01T00:00:00+02:00', 192],
    ['2026-10-24T23:30:00+02:00', '2026-10-24T00:00:00+02:00', '2026-10-26T00:00:00+01:00', 196],
    ['2026-10-25T00:30:00+02:00', '2026-10-25T00:00:00+02:00', '2026-10-27T00:00:00+01:00', 196],
    ['2026-10-25T23:30:00+01:00', '2026-10-25T00:00:00+02:00', '2026-10-27T00:00:00+01:00', 196],
    ['2026-10-26T00:30:00+01:00', '2026-10-26T00:00:00+01:00', '2026-10-28T00:00:00+01:00', 192],
  ])('at %s', async (now, start, end, intervals) => {
    await goTo(now);
    const { body } = await partner.prices();
    expect(body.period).toEqual({ start, end });
    expect(body.items.length + body.missing.length).toBe(intervals);
    await goTo(NOON);
  });
});

test('days long before anything was stored are answered, all missing', async () => {
  for (const day of ['0001-01-01', '1893-04-01', '1945-05-24', '1980-04-06', '2018-09-30']) {
    const { status, body } = await partner.prices(`?start=${day}`);
    expect([day, status, body.resolution, body.items]).toEqual([day, 200, 'hourly', []]);
    expect(body.missing.length).toBeGreaterThan(20);
  }
});

test('the widest period: 366 dates with prices in one answer', async () => {
  const { status, body, headers } = await partner.prices('?start=2025-09-30&end=2026-09-30');
  expect([status, body.items.length + body.missing.length]).toEqual([200, 366 * 96]);
  expect(headers.get('content-encoding')).toBe('gzip');
  const starts = [...body.items.map(({ timestamp }) => timestamp), ...body.missing].toSorted();
  expect(starts).toEqual(quarters('2025-09-29T22:00:00Z', 366 * 96));
});

test('a day is read once for all periods and forms that have it, and again when it changed', async () => {
  const { database } = prices.api.deps;
  let reads = 0;
  const counted: Database = {
    ...database,
    asService: (work) => {
      reads += 1;
      return database.asService(work);
    },
  };
  const answers = createSeriesAnswers(counted);
  const readsOf = async (start: string, end: string, form: 'json' | 'csv') => {
    const period = periodOf({ type: 'day_ahead', start, end }, '2026-11-20');
    const state = await answers.state(period, prices.clock.nowMilliseconds());
    reads = 0;
    await answers.text(period, state, form);
    return reads;
  };
  const storeSame = (day: string, start: string, amount: string) =>
    store(day, start, 15, Array(96).fill(amount));
  await storeSame('2026-10-05', '2026-10-04T22:00:00Z', '10');
  await storeSame('2026-10-06', '2026-10-05T22:00:00Z', '10');
  expect(await readsOf('2026-10-05', '2026-10-06', 'json')).toBe(1);
  expect(await readsOf('2026-10-05', '2026-10-06', 'csv')).toBe(0);
  expect(await readsOf('2026-10-06', '2026-10-06', 'json')).toBe(0);
  await storeSame('2026-10-06', '2026-10-05T22:00:00Z', '11');
  expect(await readsOf('2026-10-05', '2026-10-05', 'json')).toBe(0);
  expect(await readsOf('2026-10-05', '2026-10-06', 'json')).toBe(1);
});

test('an organization that loses its forecasts loses them at once', async () => {
  expect((await partner.prices('?type=day_ahead_forecast')).status).toBe(200);
  const act = { staff: 'tests', reason: 'test', command: 'test', now: prices.clock.now().toISOString() };
  await setForecasts(prices.api.deps.database, partner.organization, false, act);
  expect((await partner.prices('?type=day_ahead_forecast')).status).toBe(403);
});

test('many who ask at once all get the same, and so does who asks after a change', async () => {
  const all = await Promise.all(Array.from({ length: 50 }, () => partner.prices('?start=2026-11-19')));
  expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  prices.feed.set({ entsoe: { revision: [{ interval: '2026-11-19T11:00Z', value: 77.7 }] } });
  const [during] = await Promise.all([
    Promise.all(Array.from({ length: 50 }, () => partner.prices('?start=2026-11-19'))),
    prices.pull('2026-11-19'),
  ]);
  const tags = Map.groupBy(during, ({ headers }) => headers.get('etag'));
  for (const answers of tags.values()) expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const after = await partner.prices('?start=2026-11-19');
  expect(after.body.items.find(({ timestamp }) => timestamp === '2026-11-19T11:00:00Z')?.amount).toBe(7.77);
});
