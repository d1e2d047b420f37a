import type { PriceConfig } from '../../config-prices.ts';
import type { AskedSource } from '../series.ts';

const INVENTED = 'invented numbers of a feed on this machine, no market prices; free for every use';

/** The licence text kept with a fetch: what the body says, else what the source publishes about its data. */
export function licenceOf(config: PriceConfig, source: AskedSource, inBody: string | null): string | null {
  if (source === 'synthetic') return INVENTED;
  const published: Record<AskedSource, string | null> = {
    entsoe: 'ENTSO-E Transparency Platform',
    smard: 'Bundesnetzagentur | SMARD.de, CC BY 4.0',
    'energy-charts': null,
    awattar: 'none stated; fair use',
    nordpool: 'undocumented use',
    synthetic: INVENTED,
    energyforecast: config.PRICES_ENERGYFORECAST_LICENCE,
  };
  return inBody ?? published[source];
}
