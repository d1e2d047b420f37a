import { addDays, type DeliveryDay, dayStart, zoneOf } from '../calendar.ts';
import { type ReadExchange, readExchange } from './exchange.ts';
import { ANSWER_MILLISECONDS, feedUrl, type ProviderParts } from './provider.ts';
import { requestFeed } from './request.ts';
import { bodyBytesMax, wireFiles } from './wire-files.ts';

/** Hourly means of one day. The window is always named: the default is the next 24 hours. */
export async function askAwattar(
  parts: ProviderParts,
  deliveryOn: DeliveryDay,
  signal?: AbortSignal,
): Promise<ReadExchange> {
  const answer = await requestFeed(parts, {
    source: 'awattar',
    url: feedUrl(parts.config.PRICES_AWATTAR_URL, '/v1/marketdata', {
      start: String(dayStart(deliveryOn)),
      end: String(dayStart(addDays(deliveryOn, 1))),
    }),
    tokens: [],
    bodyBytesMax: bodyBytesMax.awattar,
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
  return readExchange(answer, wireFiles.awattar, { zone: zoneOf(deliveryOn), days: [deliveryOn] });
}
