import { afterAll, beforeEach, expect, test } from 'vitest';
import { captureForecast } from '../../../src/spot-prices/forecast/capture-forecast.ts';
import { storeForecastBody } from '../../../src/spot-prices/forecast/store-forecast.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { listSources } from '../../../src/spot-prices/store/sources.ts';
import { findOldestDay, listDaysAnsweredInVain } from '../../../src/spot-prices/upkeep/day-queries.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { openAlarms, openTestPrices } from '../price-parts.ts';

/* A file says nothing about how its feed does. */

const clock = fakeClock('2026-11-20T13:00:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const prices = await openTestPrices(clock, { ...feedConfig(feed), PRICES_SOURCES: 'smard' });
afterAll(() => prices.close());

beforeEach(async () => {
  feed.set({ smard: {}, 'energy-charts': {}, energyforecast: {} });
  await prices.empty();
});

const standing = () => prices.parts.database.asService((connection) => listSources(connection));
const GOOD =
  '[' +
  [0, 1, 2, 3]
    .map((quarter) => {
      const at = (minutes: number) => new Date(Date.UTC(2026, 10, 22, 0, minutes)).toISOString();
      return `{"start":"${at(quarter * 15)}","end":"${at(quarter * 15 + 15)}","price":0.09,"price_origin":"forecast"}`;
    })
    .join(',') +
  ']';
const forecastFile = (text: string) =>
  storeForecastBody(prices.parts, { body: Buffer.from(text), name: 'forecast.json' });
const smardFile = (text: string) =>
  storeBody(prices.parts, {
    source: 'smard',
    body: Buffer.from(text),
    name: 'week.json',
    days: ['2025-01-01'],
  });

test('an import marks no feed, raises no alarm and begins no gap, whatever is in the file', async () => {
  for (const text of ['', '{', '[{"start":1}]', '[]', GOOD]) await forecastFile(text);
  for (const text of ['', '{"series":1}', '{"series":[]}', '{"series":[[1735686000000,null]]}']) {
    await smardFile(text);
  }
  expect(await standing()).toEqual([]);
  expect(await openAlarms(prices)).toEqual([]);
  const known = await prices.parts.database.asService(async (connection) => ({
    oldest: await findOldestDay(connection, 'DE-LU'),
    inVain: await listDaysAnsweredInVain(connection, 'DE-LU', ['2025-01-01'], ['smard'], 0),
    days: (await prices.rows('SELECT last_incomplete_at FROM price_days')) as unknown,
  }));
  expect(known).toEqual({ oldest: null, inVain: [], days: [{ last_incomplete_at: null }] });
});

test('a file of half a day says nothing about when the day was published', async () => {
  await smardFile('{"series":[[1735686000000,94.26],[1735689600000,91.96]]}');
  expect(await prices.rows('SELECT state, last_incomplete_at FROM price_days')).toEqual([
    { state: 'partial', last_incomplete_at: null },
  ]);
});

test('an accepted file ends no alarm about the answers of its feed; the next good answer does', async () => {
  const [source, day] = ['energy-charts', '2026-11-20'] as const;
  const parts = prices.with({ PRICES_SOURCES: source });
  feed.set({ [source]: { unit: 'EUR / kWh' } });
  await pullDay(parts, { deliveryOn: day });
  const alarms = [{ kind: 'rejected', source }];
  expect(await openAlarms(prices)).toMatchObject(alarms);
  feed.set({ [source]: {} });
  const answer = await fetch(`${feed.url}/energy-charts/price?bzn=DE-LU&start=${day}&end=${day}`);
  const body = Buffer.from(await answer.arrayBuffer());
  const [report] = await storeBody(parts, { source, body, name: 'day.json', days: [day] });
  expect(report).toMatchObject({ outcome: 'complete' });
  expect(await openAlarms(prices)).toMatchObject(alarms);
  await pullDay(parts, { deliveryOn: day, recheck: true });
  expect(await openAlarms(prices)).toEqual([]);
});

test('an import ends no pause of a feed that refused access', async () => {
  feed.set({ smard: { status: 401 }, energyforecast: { status: 401 } });
  await pullDay(prices.parts, { deliveryOn: '2026-11-21' });
  await captureForecast(prices.parts);
  const before = await standing();
  expect(before.map(({ source, pause_reason }) => [source, pause_reason])).toEqual([
    ['energyforecast', 'denied'],
    ['smard', 'denied'],
  ]);
  await forecastFile('[]');
  await forecastFile(GOOD);
  await smardFile('{"series":[[1735686000000,94.26],[1735689600000,91.96]]}');
  expect(await standing()).toEqual(before);
});
