import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  answersRealSource,
  choosePrices,
  priceEnvironment,
  priceWish,
} from '../../../src/cli/demo/start/price-choice.ts';
import { feedAddresses, readPriceConfig } from '../../../src/config/prices.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier, sampled } from '../../setup/tier.ts';

const feed = await takeFeed();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
const empty = () => storedRows({ database }, 'DELETE FROM price_fetches; DELETE FROM price_kind');
beforeEach(empty);
afterAll(() => database.drop());

const choose = (wish: 'real' | 'synthetic' | undefined, answers: boolean) =>
  choosePrices({ databaseUrl: database.appUrl, wish, answers: Promise.resolve(answers) });

const fetched = (source: string, url: string) =>
  storedRows(
    { database },
    `INSERT INTO price_fetches (source, zone, delivery_from, delivery_to, url, requested_at, captured_at, outcome,
                                interval_count)
     VALUES ($1, 'DE-LU', '2026-11-20', '2026-11-20', $2, now(), now(), 'published', 96)`,
    [source, url],
  );

test('a source counts as answering when one of the two does, with data', async () => {
  const config = readPriceConfig(feedConfig(feed));
  expect(await answersRealSource(config)).toBe(true);
  feed.set({ smard: { status: 503 } });
  expect(await answersRealSource(config)).toBe(true);
  feed.set({ smard: { html_200: true }, 'energy-charts': { reset: true } });
  expect(await answersRealSource(config)).toBe(false);
  const gone = readPriceConfig(feedConfig({ url: 'http://127.0.0.1:1' }));
  expect(await answersRealSource(gone)).toBe(false);
});

test('a source that is slow is given up', async () => {
  feed.set({ smard: { slow_seconds: 60 }, 'energy-charts': { slow_seconds: 60 } });
  const startedAt = performance.now();
  /* Of `npm start` after three seconds. */
  const milliseconds = isLongTier ? undefined : 200;
  expect(await answersRealSource(readPriceConfig(feedConfig(feed)), milliseconds)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(40_000);
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

const LOCAL = 'http://127.0.0.1:41873';
const REAL = 'https://web-api.tp.entsoe.eu/api?securityToken=***&documentType=A44';

test('a database keeps to the kind that it began with, whatever answers now', async () => {
  await fetched('synthetic', `${LOCAL}/energy-charts/price`);
  expect(await choose(undefined, true)).toMatchObject({
    kind: 'synthetic',
    note: expect.stringContaining('reset'),
  });
  await expect(choose('real', true)).rejects.toThrow(/^Not started with real prices: .* synthetic ones/);
  await empty();
  await fetched('entsoe', REAL);
  expect(await choose(undefined, false)).toEqual({ kind: 'real', note: null });
  await expect(choose('synthetic', false)).rejects.toThrow(/^Not started with synthetic prices/);
});

test('a feed on this machine under the name of a source is neither', async () => {
  await fetched('smard', `${LOCAL}/smard/app/chart_data/4169/DE-LU/index_quarterhour.json`);
  await expect(choose(undefined, true)).rejects.toThrow(/^Not started: .* names of real sources/);
});

const MIXED = [
  ['synthetic', `${LOCAL}/energy-charts/price`, 'entsoe', REAL],
  ['synthetic', `${LOCAL}/energy-charts/price`, 'smard', `${LOCAL}/smard/app`],
  ['synthetic', `${LOCAL}/energy-charts/price`, 'smard', 'week.json'],
  ['entsoe', REAL, 'synthetic', `${LOCAL}/energy-charts/price`],
  ['entsoe', REAL, 'synthetic', 'invented.json'],
  ['entsoe', REAL, 'smard', `${LOCAL}/smard/app`],
  ['smard', `${LOCAL}/smard/app`, 'entsoe', REAL],
] as const;

test.each(sampled(MIXED, 3))(
  'a database with prices of %s at %s takes none of %s at %s',
  async (first, firstUrl, second, secondUrl) => {
    await fetched(first, firstUrl);
    await expect(fetched(second, secondUrl)).rejects.toThrow(/are kept apart from them/);
    await fetched(first, firstUrl);
  },
);

test('of the shell only what real sources need is passed on, and nothing to the synthetic feed', () => {
  const shell = { PRICES_ENTSOE_TOKEN: 'mine', PRICES_SMARD_URL: 'http://127.0.0.1:1', HOME: '/' };
  expect(priceEnvironment(null, shell)).toEqual({
    PRICES_PAGE_FORECASTS: 'true',
    PRICES_ENTSOE_TOKEN: 'mine',
  });
  const synthetic = priceEnvironment('http://127.0.0.1:4310', shell);
  expect(synthetic).toEqual({
    PRICES_PAGE_FORECASTS: 'true',
    PRICES_SOURCES: 'synthetic',
    PRICES_SYNTHETIC_URL: 'http://127.0.0.1:4310/energy-charts',
  });
  expect(feedAddresses(readPriceConfig({ ...synthetic }))).toEqual({
    PRICES_SYNTHETIC_URL: ['http://127.0.0.1:4310/energy-charts'],
  });
});

test('a shell that names the invented source has asked for invented prices, and never gets them as real ones', () => {
  const shell = { PRICES_SOURCES: ' synthetic' };
  expect(priceWish(undefined, shell)).toBe('synthetic');
  expect(priceWish('synthetic', shell)).toBe('synthetic');
  expect(() => priceWish('real', shell)).toThrow(/^Not started: --prices real, while PRICES_SOURCES/);
  expect(priceWish(undefined, { PRICES_SOURCES: 'smard' })).toBeUndefined();
  expect(priceWish('real', {})).toBe('real');
});
