import { asksSyntheticOnly } from '../../config-prices.ts';
import { ANSWER_MILLISECONDS, feedUrl, type ProviderParts } from './provider.ts';
import { type FeedAnswer, requestFeed } from './request.ts';
import { bodyBytesMax } from './wire-files.ts';

const SOURCE = 'energyforecast';
const PATH = '/api/v2/forecast';

/**
 * The newest run of energyforecast.de; undefined without a token. VAT and fixed costs are set to zero: an account's own
 * settings would be added to the prices.
 */
export async function askEnergyForecast(
  parts: ProviderParts,
  signal?: AbortSignal,
): Promise<FeedAnswer | undefined> {
  const { PRICES_ENERGYFORECAST_TOKEN: token, PRICES_ENERGYFORECAST_URL: address } = parts.config;
  if (token === undefined || asksSyntheticOnly(parts.config)) return undefined;
  return requestFeed(parts, {
    source: SOURCE,
    url: feedUrl(address, PATH, { token, market_zone: 'DE-LU', vat: '0', fixed_cost_cent: '0' }),
    tokens: [token],
    bodyBytesMax: bodyBytesMax[SOURCE],
    answerMilliseconds: ANSWER_MILLISECONDS,
    ...(signal === undefined ? {} : { signal }),
  });
}
