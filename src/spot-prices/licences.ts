import type { PriceConfig } from '../config-prices.ts';
import type { Feed } from './series.ts';

/** The licence text kept with a fetch: what the body says, else what the source publishes about its data. */
export function licenceOf(config: PriceConfig, source: Feed, inBody: string | null): string | null {
  const published: Record<Feed, string | null> = {
    entsoe: 'ENTSO-E Transparency Platform',
    smard: 'Bundesnetzagentur | SMARD.de, CC BY 4.0',
    'energy-charts': null,
    awattar: 'none stated; fair use',
    energyforecast: config.PRICES_ENERGYFORECAST_LICENCE,
  };
  return inBody ?? published[source];
}
