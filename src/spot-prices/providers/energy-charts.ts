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

/** Between the requests for single days. */
const DAY_PACE_MILLISECONDS = 5_000;

export const energyCharts: Provider = {
  source: 'energy-charts',
  zones: ['DE-LU'],
  daysMax: 90,
  ask,
};

/** A range of which no day is known is 404, and so is one that begins or ends too far off: then day by day. */
async function ask(parts: ProviderParts, question: Question): Promise<Asked> {
  const { days, signal } = question;
  const range = await askRange(parts, question, days);
  if (range.exchange.httpStatus !== 404 || range.days === null || days.length === 1) {
    return range.days === null ? { exchanges: [range.exchange], days: null } : unite(days, [range]);
  }
  const read: ReadExchange[] = [{ ...range, days: [] }];
  for (const day of days) {
    await pause(parts, DAY_PACE_MILLISECONDS, signal);
    const one = await askRange(parts, question, [day]);
    read.push(one);
    if (one.days === null) return { exchanges: read.map(({ exchange }) => exchange), days: null };
  }
  return unite(days, read);
}

async function askRange(
  parts: ProviderParts,
  { zone, signal }: Question,
  days: readonly DeliveryDay[],
): Promise<ReadExchange> {
  const answer = await requestFeed(parts, {
    source: 'energy-charts',
    url: feedUrl(parts.config.PRICES_ENERGY_CHARTS_URL, '/price', {
      bzn: zone,
      start: days[0] ?? '',
      end: days.at(-1) ?? '',
    }),
    tokens: [],
    bodyBytesMax: bodyBytesMax['energy-charts'],
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.status === 'rejected' && answer.httpStatus === 404) {
    return notPublished(madeOf(answer), 'Status 404: nothing for any of these days', days);
  }
  const read = readExchange(answer, wireFiles['energy-charts'], { zone, days });
  return { ...read, exchange: { ...read.exchange, days } };
}
