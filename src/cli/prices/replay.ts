import type { PriceConfig } from '../../config/prices.ts';
import { feedAddresses, syntheticFeeds } from '../../config/prices.ts';
import { replay } from '../../spot-prices/upkeep/replay.ts';
import { command } from '../command.ts';
import { JSON_OBJECT } from '../fields.ts';
import { commandIo } from '../io.ts';
import { printLine } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { assertSpan, SPAN, withPriceSession } from './price-options.ts';

export const replayCommand = command({
  words: 'forecasts, freezes and pulls of past days with the clock set back; from the synthetic feed only',
  examples: ['--from 2026-11-01 --to 2026-11-07', '--from 2026-11-01 --to 2026-11-07 --json'],
  options: { ...SPAN, ...JSON_OBJECT },
  session: withPriceSession,
  work: async ({ parts, isJson }, { from, to }) => {
    assertSpan(from, to, parts.clock.nowMilliseconds());
    const feed = await syntheticFeedOf(parts.config);
    const line = progressLine(commandIo().stderr);
    try {
      const steps = await replay(parts, {
        ...{ from, to, signal: commandIo().interruption(), setFeed: feed.setClock },
        onStep: ({ at, act, result }) => {
          const text = `${at}  ${act}  ${JSON.stringify(result)}`;
          line.show({ live: text, plain: text });
        },
      });
      line.end();
      printLine(isJson ? JSON.stringify({ from, to, steps }) : `${steps} steps replayed`);
    } finally {
      await feed.restoreClock();
    }
  },
});

interface FeedShown {
  synthetic?: boolean;
  now: string;
  clock: string;
}

/** Refuses unless every configured address is the one synthetic feed: capture times of anything else would be invented. */
async function syntheticFeedOf(config: PriceConfig) {
  const names = Object.keys(feedAddresses(config));
  const synthetic = syntheticFeeds(config);
  const real = names.filter((name) => !synthetic.includes(name));
  if (real.length > 0) {
    throw new Error(
      `Refused: ${real.join(', ')} is not the synthetic feed, and capture times would be invented`,
    );
  }
  const origins = [
    ...new Set(
      Object.values(feedAddresses(config))
        .flat()
        .map((url) => new URL(url).origin),
    ),
  ];
  const [origin] = origins;
  const shown = origins.length === 1 ? await control(`${origin}/_feed`, {}).catch(() => null) : null;
  if (shown?.synthetic !== true)
    throw new Error(`Refused: no synthetic feed answers at ${origins.join(', ')}`);
  const setClock = async (now: string | null) => {
    await control(`${origin}/_feed`, { method: 'PUT', body: JSON.stringify({ now }) });
  };
  return { setClock, restoreClock: () => setClock(shown.clock === 'set' ? shown.now : null) };
}

async function control(url: string, request: RequestInit): Promise<FeedShown> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as FeedShown;
}
