import type { DeliveryDay } from '../calendar.ts';
import type { FetchOutcome } from '../parts.ts';
import { type Exchange, failedExchange, madeOf } from './exchange.ts';
import { readNordpool } from './nordpool.wire.ts';
import { ANSWER_MILLISECONDS, feedUrl, type ProviderParts } from './provider.ts';
import { requestFeed } from './request.ts';

const BODY_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Asks whether the exchange has published the day. Its use is undocumented, so nothing of the body is kept beside state,
 * version and time: not even of one that is refused.
 */
export async function askNordpool(
  parts: ProviderParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<Exchange> {
  const answer = await requestFeed(parts, {
    source: 'nordpool',
    url: feedUrl(parts.config.PRICES_NORDPOOL_URL, '/api/DayAheadPrices', {
      date: deliveryOn,
      market: 'DayAhead',
      deliveryArea: 'GER',
      currency: 'EUR',
    }),
    tokens: [],
    bodyBytesMax: BODY_BYTES_MAX,
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.status !== 'answered') return { ...failedExchange(answer), body: null };
  const made = {
    ...{ ...madeOf(answer), body: null, contentHash: null },
    ...{ licence: null, sourceStamp: null, intervalCount: 0 },
  };
  if (answer.httpStatus === 204) return { ...made, outcome: 'not_published', detail: 'Status 204' };
  const read = readNordpool(answer.body, deliveryOn);
  if (read.status !== 'read') {
    const outcome: FetchOutcome = read.status === 'failed' ? 'transient_failure' : 'rejected';
    return { ...made, outcome, detail: read.reason };
  }
  return {
    ...made,
    outcome: read.state === 'Final' ? 'published' : 'not_published',
    detail: `${read.state}, version ${read.version}`,
    sourceStamp: read.updatedAt,
  };
}
