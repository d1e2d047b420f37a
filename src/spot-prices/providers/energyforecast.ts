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
import { settingsOf } from './settings.ts';

export const energyforecast: ForecastSource<'energyforecast'> = frozen({
  name: 'energyforecast',
  title: 'energyforecast.de',
  zones: { 'DE-LU': 'DE-LU' },
  limits: { bodyBytesMax: 2 * MEBIBYTE, answerMilliseconds: ANSWER_MILLISECONDS },
  licence: {
    text: "energyforecast.de, terms of the operator's contract",
    setting: {
      absent: 'a reference to the contract',
      meaning: 'licence text kept with its forecasts and published with the other attributions',
    },
  },
  token: { absent: 'none: not asked', meaning: 'token of energyforecast.de' },
  address: {
    defaults: ['https://www.energyforecast.de'],
    meaning: 'what stands before `/api/v2/forecast`',
  },
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
