import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answersRealSource, choosePrices, priceEnvironment } from '../../src/cli/start/price-choice.ts';
import { readPriceConfig } from '../../src/config-prices.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { feedConfig, takeFeed } from '../setup/feed.ts';
import { storedRows } from '../setup/stored-rows.ts';

const feed = await takeFeed();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => storedRows({ database }, 'DELETE FROM price_fetches'));
afterAll(() => database.drop());

const choose = (wanted: 'real' | 'synthetic' | undefined, answers: boolean) =>
  choosePrices({ databaseUrl: database.appUrl, wanted, answers: Promise.resolve(answers) });

const fetched = (url: string) =>
  storedRows(
    { database },
    `INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, outcome)
     VALUES ('smard', 'DE-LU', '2026-11-20', '2026-11-20', $1, now(), now(), 'published')`,
    [url],
  );

test('a source counts as answering when one of the two does, with data', async () => {
  const config = readPriceConfig(feedConfig(feed));
  expect(await answersRealSource(config)).toBe(true);
  feed.set({ smard: { status: 503 } });
  expect(await answersRealSource(config)).toBe(true);
  feed.set({ smard: { html_200: true }, 'energy-charts': { reset: true } });
  expect(await answersRealSource(config)).toBe(false);
  const dead = 'http://127.0.0.1:1';
  const gone = readPriceConfig({ PRICES_SMARD_URL: dead, PRICES_ENERGY_CHARTS_URL: dead });
  expect(await answersRealSource(gone)).toBe(false);
});

test('a source that is slow is given up after three seconds', async () => {
  feed.set({ smard: { slow_seconds: 10 }, 'energy-charts': { slow_seconds: 10 } });
  const startedAt = performance.now();
  expect(await answersRealSource(readPriceConfig(feedConfig(feed)))).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});

test('in an empty database the wish decides, then whether a real source answers', async () => {
  expect(await choose('real', false)).toEqual({ kind: 'real', note: null });
  expect(await choose('synthetic', true)).toEqual({ kind: 'synthetic', note: null });
  expect(await choose(undefined, true)).toEqual({ kind: 'real', note: null });
  expect(await choose(undefined, false)).toEqual({
    kind: 'synthetic',
    note: 'no real source of prices answered',
  });
});

test('a database keeps to the kind that it began with, whatever answers now', async () => {
  await fetched('http://127.0.0.1:41873/smard/app/chart_data/4169/DE-LU/index_quarterhour.json');
  expect(await choose(undefined, true)).toMatchObject({
    kind: 'synthetic',
    note: expect.stringContaining('reset'),
  });
  await expect(choose('real', true)).rejects.toThrow(/^Not started with real prices: .* synthetic ones/);
  await storedRows({ database }, 'DELETE FROM price_fetches');
  await fetched('https://web-api.tp.entsoe.eu/api?securityToken=***&documentType=A44');
  expect(await choose(undefined, false)).toEqual({ kind: 'real', note: null });
  await expect(choose('synthetic', false)).rejects.toThrow(/^Not started with synthetic prices/);
});

test('of the shell only what real sources need is passed on, and nothing to the synthetic feed', () => {
  const shell = { PRICES_ENTSOE_TOKEN: 'mine', PRICES_SMARD_URL: 'http://127.0.0.1:1', HOME: '/' };
  expect(priceEnvironment(null, shell)).toEqual({
    PRICES_PAGE_FORECASTS: 'true',
    PRICES_ENTSOE_TOKEN: 'mine',
  });
  const synthetic = priceEnvironment('http://127.0.0.1:4310', shell);
  expect(synthetic.PRICES_ENTSOE_TOKEN).toBe('demo');
  const addresses = Object.entries(synthetic).filter(([name]) => name.endsWith('_URL'));
  expect(addresses).toHaveLength(5);
  for (const [, url] of addresses) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4310\/[a-z-]+$/);
});
