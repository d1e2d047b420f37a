import type { PriceConfig } from '../../config-prices.ts';
import type { DeliveryDay } from '../calendar.ts';
import { type Asked, madeOf, notPublished, type ReadExchange, readExchange, unite } from './exchange.ts';
import {
  ANSWER_MILLISECONDS,
  feedUrl,
  type Provider,
  type ProviderParts,
  pause,
  type Question,
} from './provider.ts';
import { requestFeed } from './request.ts';
import { bodyBytesMax, wireFiles } from './wire-files.ts';

interface RangeFeed {
  readonly source: 'energy-charts' | 'synthetic';
  readonly daysMax: number;
  /** Between the requests for single days. */
  readonly dayPaceMilliseconds: number;
  readonly addressOf: (config: PriceConfig) => string;
}

export const energyCharts = rangeProvider({
  source: 'energy-charts',
  daysMax: 90,
  dayPaceMilliseconds: 5_000,
  addressOf: (config) => config.PRICES_ENERGY_CHARTS_URL,
});

/** A feed that answers a range of days in the form of Energy-Charts. */
export function rangeProvider(feed: RangeFeed): Provider {
  const { source, daysMax } = feed;
  return { source, zones: ['DE-LU'], daysMax, ask: (parts, question) => ask(feed, parts, question) };
}

/** A range of which no day is known is 404, and so is one that begins or ends too far off: then day by day. */
async function ask(feed: RangeFeed, parts: ProviderParts, question: Question): Promise<Asked> {
  const { days, signal } = question;
  const range = await askRange(feed, parts, question, days);
  if (range.exchange.httpStatus !== 404 || range.days === null || days.length === 1) {
    return range.days === null ? { exchanges: [range.exchange], days: null } : unite(days, [range]);
  }
  const read: ReadExchange[] = [{ ...range, days: [] }];
  for (const day of days) {
    await pause(parts, feed.dayPaceMilliseconds, signal);
    const one = await askRange(feed, parts, question, [day]);
    read.push(one);
    if (one.days === null) return { exchanges: read.map(({ exchange }) => exchange), days: null };
  }
  return unite(days, read);
}

async function askRange(
  { source, addressOf }: RangeFeed,
  parts: ProviderParts,
  { zone, signal }: Question,
  days: readonly DeliveryDay[],
): Promise<ReadExchange> {
  const answer = await requestFeed(parts, {
    source,
    url: feedUrl(addressOf(parts.config), '/price', {
      bzn: zone,
      start: days[0] ?? '',
      end: days.at(-1) ?? '',
    }),
    tokens: [],
    bodyBytesMax: bodyBytesMax[source],
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.status === 'rejected' && answer.httpStatus === 404) {
    return notPublished(madeOf(answer), 'Status 404: nothing for any of these days', days);
  }
  const read = readExchange(answer, wireFiles[source], { zone, days });
  return { ...read, exchange: { ...read.exchange, days } };
}
