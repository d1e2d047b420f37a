import { SaxesParser } from 'saxes';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { pullChunk } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { openTestPrices, served } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

test('a body of ENTSO-E is parsed once: a year of them is megabytes', async () => {
  const written = vi.spyOn(SaxesParser.prototype, 'write');
  onTestFinished(() => written.mockRestore());
  await pullChunk(prices.parts, { source: 'entsoe', days: [deliveryOn], retries: 'none' });
  expect((await served(prices, deliveryOn)).length).toBeGreaterThan(0);
  /* The parser ends a document by writing nothing. */
  expect(written.mock.calls.filter(([text]) => text !== null)).toHaveLength(1);
});
