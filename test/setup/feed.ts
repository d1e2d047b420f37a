import { afterAll } from 'vitest';
import { type Feed, type FeedOptions, startFeed } from '../../src/cli/demo/feed/server.ts';
import { variablesOf } from '../../src/config/price-sources.ts';
import { SOURCES, syntheticSource } from '../../src/spot-prices/providers/index.ts';

/**
 * A feed of invented prices for one test file, closed behind its last test. To be called at the top of the file:
 * `const feed = await takeFeed();`. With `now: () => clock.nowMilliseconds()` it lives by the test's clock.
 */
export async function takeFeed(options: FeedOptions = {}): Promise<Feed> {
  const feed = await startFeed(options);
  afterAll(() => feed.close());
  return feed;
}

/** The sources of market prices whose answers the feed imitates. */
export const FEED_SOURCES = ['entsoe', 'smard', 'energy-charts'] as const;

/** Variables with which the service reads its prices from this feed. No variable leads elsewhere: not one of a new source. */
export function feedConfig(feed: Pick<Feed, 'url'>): Record<string, string> {
  const values = { address: (source: string) => `${feed.url}/${source}`, token: () => 'demo' };
  const variables = SOURCES.filter((source) => source !== syntheticSource).flatMap((source) =>
    variablesOf(source).flatMap(({ name, kind }) =>
      kind === 'address' || kind === 'token' ? [[name, values[kind](source.name)] as const] : [],
    ),
  );
  return {
    PRICES_SOURCES: FEED_SOURCES.join(','),
    PRICES_CONTACT: 'prices@example.test',
    ...Object.fromEntries(variables),
  };
}
