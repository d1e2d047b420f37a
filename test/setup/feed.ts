import { afterAll } from 'vitest';
import { type Feed, type FeedOptions, startFeed } from '../../src/demo/feed/server.ts';

/**
 * A feed of invented prices for one test file, closed behind its last test. To be called at the top of the file:
 * `const feed = await takeFeed();`. With `now: () => clock.nowMilliseconds()` it lives by the test's clock.
 */
export async function takeFeed(options: FeedOptions = {}): Promise<Feed> {
  const feed = await startFeed(options);
  afterAll(() => feed.close());
  return feed;
}

/** Variables with which the service reads its prices from this feed. */
export function feedConfig(feed: Pick<Feed, 'url'>): Record<string, string> {
  return {
    PRICES_ENTSOE_TOKEN: 'demo',
    PRICES_ENERGYFORECAST_TOKEN: 'demo',
    PRICES_CONTACT: 'prices@example.test',
    PRICES_ENTSOE_URL: `${feed.url}/entsoe`,
    PRICES_SMARD_URL: `${feed.url}/smard`,
    PRICES_ENERGY_CHARTS_URL: `${feed.url}/energy-charts`,
    PRICES_AWATTAR_URL: `${feed.url}/awattar`,
    PRICES_ENERGYFORECAST_URL: `${feed.url}/energyforecast`,
  };
}
