import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import { addDays, type DeliveryDay, dayStart, zoneOf } from '../calendar.ts';
import { readAwattar } from './awattar.wire.ts';
import { type ReadExchange, readExchange } from './exchange.ts';
import {
  ANSWER_MILLISECONDS,
  askAddress,
  frozen,
  MEBIBYTE,
  type MeansSource,
  type SourceParts,
  sourceUrl,
} from './price-source.ts';

export const awattar: MeansSource<'awattar'> = frozen({
  ...configuredSources.awattar,
  title: 'aWATTar',
  zones: { 'DE-LU': 'de' },
  origin: 'EPEX',
  limits: { bodyBytesMax: 2 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
  read: readAwattar,
  ask,
});

/** Hourly means of one day. The window is always named: the default is the next 24 hours. */
async function ask(parts: SourceParts, deliveryOn: DeliveryDay, signal?: AbortSignal): Promise<ReadExchange> {
  const [base] = settingsOf(parts.config, awattar).addresses;
  const url = sourceUrl(base, '/v1/marketdata', {
    start: String(dayStart(deliveryOn)),
    end: String(dayStart(addDays(deliveryOn, 1))),
  });
  const answer = await askAddress(parts, awattar, url, signal);
  return readExchange(answer, readAwattar, { zone: zoneOf(deliveryOn), days: [deliveryOn] });
}
