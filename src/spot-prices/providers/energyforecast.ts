import { configuredSources, settingsOf } from '../../config/price-sources.ts';
import { readEnergyForecast, readMarketRows } from './energyforecast.wire.ts';
import {
  ANSWER_MILLISECONDS,
  askAddress,
  type ForecastSource,
  frozen,
  MEBIBYTE,
  type SourceParts,
  sourceUrl,
} from './price-source.ts';
import type { FeedAnswer } from './request.ts';

export const energyforecast: ForecastSource<'energyforecast'> = frozen({
  ...configuredSources.energyforecast,
  title: 'energyforecast.de',
  zones: { 'DE-LU': 'DE-LU' },
  limits: { bodyBytesMax: 2 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
  read: readEnergyForecast,
  marketRows: readMarketRows,
  ask,
});

/** The newest run. VAT and fixed costs are set to zero: an account's own settings would be added to the prices. */
async function ask(parts: SourceParts, signal?: AbortSignal): Promise<FeedAnswer> {
  const { addresses, token = '' } = settingsOf(parts.config, energyforecast);
  const market = { market_zone: energyforecast.zones['DE-LU'] ?? '', vat: '0', fixed_cost_cent: '0' };
  const url = sourceUrl(addresses[0], '/api/v2/forecast', { token, ...market });
  return await askAddress(parts, energyforecast, url, signal);
}
