import { afterAll, expect, test } from 'vitest';
import { readCommandLineConfig } from '../../../src/config/config.ts';
import { captureForecast } from '../../../src/spot-prices/forecast/capture-forecast.ts';
import { createPriceKind, licenseLink, priceKindProblems } from '../../../src/spot-prices/price-kind.ts';
import { backfill } from '../../../src/spot-prices/pull/backfill.ts';
import { crossCheckDay } from '../../../src/spot-prices/pull/cross-check.ts';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { pullSpotPrices } from '../../../src/spot-prices/upkeep/service.ts';
import { priceStatus } from '../../../src/spot-prices/upkeep/status.ts';
import { fakeClock } from '../../setup/clock.ts';
import { takeFeed } from '../../setup/feed.ts';
import { openAlarms, openTestPrices } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T15:00:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const SYNTHETIC = {
  PRICES_SOURCES: 'synthetic',
  PRICES_SYNTHETIC_URL: `${feed.url}/energy-charts`,
  PRICES_ENTSOE_TOKEN: 'demo',
  PRICES_ENERGYFORECAST_TOKEN: 'demo',
};
const prices = await openTestPrices(clock, SYNTHETIC);
afterAll(() => prices.close());

const TABLES = ['spot_prices', 'price_revisions', 'price_source_days', 'price_sources', 'price_fetches'];

test('invented prices carry a source of their own name everywhere, and nobody else is asked', async () => {
  const report = await backfill(prices.parts, { from: '2026-11-17', to: '2026-11-22' });
  expect(report).toMatchObject({ missing: [], sources: [{ source: 'synthetic', days: 5 }] });
  expect(await crossCheckDay(prices.parts, '2026-11-21')).toMatchObject({ attempts: [], means: null });
  expect(await captureForecast(prices.parts)).toEqual({ outcome: 'not_configured' });
  for (const table of TABLES) {
    const found = await prices.rows<{ source: string }>(`SELECT DISTINCT source FROM ${table}`);
    expect(found, table).toEqual([{ source: 'synthetic' }]);
  }
  const { days } = await priceStatus(prices.parts.database, '2026-11-17', '2026-11-22');
  expect(new Set(days.map(({ source }) => source))).toEqual(new Set(['synthetic']));
  const licences = await prices.rows<{ licence_text: string }>(
    'SELECT DISTINCT licence_text FROM price_fetches WHERE interval_count > 0',
  );
  expect(licences).toEqual([
    { licence_text: expect.stringMatching(/^invented numbers .* no market prices/) },
  ]);
});

test('a database of invented prices takes none of a source, and stores nothing of the attempt', async () => {
  const named = prices.with({ PRICES_SOURCES: 'smard', PRICES_SMARD_URL: `${feed.url}/smard` });
  await expect(pullDay(named, { deliveryOn: '2026-11-16' })).rejects.toThrow(/holds synthetic prices/);
  expect(await prices.rows(`SELECT FROM price_revisions WHERE source <> 'synthetic'`)).toEqual([]);
});

test('no process starts that asks for market prices on a database of invented ones, whose kind marks what is shown', async () => {
  const market = prices.with({ PRICES_SOURCES: 'smard' });
  expect(await priceKindProblems(prices.parts)).toEqual([]);
  expect(await priceKindProblems(market)).toEqual([
    'PRICES_SOURCES and the addresses of its sources give market prices, and this database holds synthetic ones for good: configure sources of that kind, or another database',
  ]);
  const kindOf = createPriceKind(market);
  expect(await kindOf()).toBe('synthetic');
  expect(licenseLink({ docsBase: '/docs' }, await kindOf())).toContain(
    '; title="synthetic: invented numbers',
  );
});

test('a day whose prices the database does not take is late as well', async () => {
  const named = prices.with({ PRICES_SOURCES: 'smard', PRICES_SMARD_URL: `${feed.url}/smard` });
  const never = new AbortController().signal;
  const given = { dueAt: '2026-11-16T01:00:00.000Z', signal: never, closing: never, log: named.log };
  await expect(pullSpotPrices(named, { ...given, payload: { day: 0 } })).rejects.toThrow(
    /holds synthetic prices/,
  );
  expect(await openAlarms(prices)).toMatchObject([
    { kind: 'late', detail: 'Prices of 2026-11-16 are missing although delivery has begun' },
  ]);
});

test.each([
  [{ PRICES_SOURCES: 'synthetic,smard' }, /PRICES_SOURCES: .*never mixed/],
  [
    { PRICES_SYNTHETIC_URL: 'https://prices.example.com' },
    /PRICES_SYNTHETIC_URL: needs an address of this machine/,
  ],
  [{ APP_ENV: 'production', PRICES_SOURCES: 'synthetic' }, /PRICES_SYNTHETIC_URL: in production/],
])('%j is refused', (variables, sentence) => {
  expect(() => readCommandLineConfig({ ...prices.environment, ...variables })).toThrow(sentence);
});
