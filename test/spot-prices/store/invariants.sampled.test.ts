import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { gridOf, startsOf, startText } from '../../../src/spot-prices/calendar.ts';
import { pullChunk } from '../../../src/spot-prices/pull/pull.ts';
import { fakeClock } from '../../setup/clock.ts';
import { FEED_SOURCES, feedConfig, takeFeed } from '../../setup/feed.ts';
import { runs } from '../../setup/tier.ts';
import { openTestPrices, type TestPrices } from '../price-parts.ts';

const clock = fakeClock('2026-10-24T15:20:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

const deliveryOn = '2026-10-25';
const intervals = startsOf(gridOf(deliveryOn)).map((start) => startText(start).replace(':00Z', 'Z'));

/** One answer of one source of the market: whole, with holes, other values, zeros, or none at all. */
const answers = fc.record({
  source: fc.constantFrom(...FEED_SOURCES),
  recheck: fc.boolean(),
  hours: fc.integer({ min: 0, max: 20 }),
  switches: fc.oneof(
    fc.constant({}),
    fc.constant({ zeros: true }),
    fc.constantFrom({ status: 503 as const }, { empty: true }, { absent_days: [deliveryOn] }),
    fc.record({ drop: fc.subarray(intervals, { maxLength: 60 }) }),
    fc.record({
      revision: fc.record({
        interval: fc.constantFrom(...intervals.slice(0, 6)),
        value: fc.constantFrom(56.82, 56.825, 60, -500),
      }),
    }),
  ),
});

/** `stale`: served values that are not the newest of their source, although nobody suspects it. */
interface Seen {
  sources: string[];
  count: number;
  stale: number;
  state: string;
  version: number;
  served_source: string | null;
  changes: number[];
  values: string;
  revisions: number;
}

async function look(on: TestPrices): Promise<Seen> {
  const [seen] = await on.rows<Seen>(
    `SELECT ARRAY(SELECT DISTINCT source FROM spot_prices) AS sources,
            (SELECT count(*)::int FROM spot_prices) AS count,
            (SELECT count(*)::int FROM spot_prices s
              WHERE NOT EXISTS (SELECT FROM price_source_days d WHERE d.source = s.source AND d.state = 'suspect')
                AND (s.revision, s.amount) IS DISTINCT FROM (
                      SELECT (r.revision, r.amount) FROM price_revisions r
                       WHERE r.source = s.source AND r.interval_start = s.interval_start
                       ORDER BY r.revision DESC LIMIT 1)) AS stale,
            d.state, d.version, d.served_source,
            ARRAY(SELECT version FROM price_day_changes ORDER BY version) AS changes,
            (SELECT coalesce(string_agg(source || amount, ' ' ORDER BY interval_start), '') FROM spot_prices) AS values,
            (SELECT count(*)::int FROM price_revisions) AS revisions
       FROM price_days d WHERE d.delivery_on = $1`,
    [deliveryOn],
  );
  const nothing = { sources: [], count: 0, stale: 0, state: 'partial', version: 0 };
  return seen ?? { ...nothing, served_source: null, changes: [], values: '', revisions: 0 };
}

test('whatever the sources send in whatever order: one source is served, nothing shrinks, each change is one version', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 4, maxLength: 12 }), async (sequence) => {
      await prices.empty();
      clock.set('2026-10-24T15:20:00Z');
      let before = await look(prices);
      for (const { source, switches, recheck, hours } of sequence) {
        clock.advance(hours * 3_600_000);
        feed.set({ [source]: switches });
        await pullChunk(prices.parts, { source, days: [deliveryOn], recheck, retries: 'none' });
        const now = await look(prices);
        expect(now.sources).toEqual(now.served_source === null ? [] : [now.served_source]);
        expect(now.stale).toBe(0);
        expect(now.count).toBeGreaterThanOrEqual(before.count);
        expect(now.revisions).toBeGreaterThanOrEqual(before.revisions);
        expect(now.state === 'complete').toBe(now.count === 100);
        if (before.state === 'complete') expect(now.state).toBe('complete');
        expect(now.version - before.version).toBe(now.values === before.values ? 0 : 1);
        expect(now.changes).toEqual(Array.from({ length: now.version }, (_, index) => index + 1));
        before = now;
      }
    }),
    { numRuns: runs(1), endOnFailure: true },
  );
});
