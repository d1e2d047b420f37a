import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import type { DeliveryDay } from '../calendar.ts';
import { type FetchOutcome, failedExchange, madeOf, type SourceExchange } from './exchange.ts';
import { NORDPOOL_AREA, readNordpool } from './nordpool.wire.ts';
import {
  ANSWER_MILLISECONDS,
  askAddress,
  frozen,
  MEBIBYTE,
  type PublicationSource,
  type SourceParts,
  sourceUrl,
} from './price-source.ts';

export const nordpool: PublicationSource<'nordpool'> = frozen({
  ...configuredSources.nordpool,
  title: 'Nord Pool',
  zones: { 'DE-LU': NORDPOOL_AREA },
  limits: { bodyBytesMax: 2 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
  ask,
});

/**
 * Asks whether the exchange has published the day. Its use is undocumented, so nothing of the body is kept beside state,
 * version and time: not even of one that is refused.
 */
async function ask(
  parts: SourceParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<SourceExchange> {
  const [base] = settingsOf(parts.config, nordpool).addresses;
  const url = sourceUrl(base, '/api/DayAheadPrices', {
    date: deliveryOn,
    market: 'DayAhead',
    deliveryArea: NORDPOOL_AREA,
    currency: 'EUR',
  });
  const answer = await askAddress(parts, nordpool, url, signal);
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
