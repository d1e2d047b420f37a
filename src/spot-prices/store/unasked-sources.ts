import { asksSyntheticOnly, type PriceConfig } from '../../config-prices.ts';
import type { PriceParts } from '../parts.ts';
import type { AskedSource } from '../series.ts';
import { endAlarmsBeside } from './alarms.ts';
import { configuredSources } from './sources.ts';

/** Whoever is asked by this configuration. */
function askedSources(config: PriceConfig): AskedSource[] {
  const realized = configuredSources(config);
  if (asksSyntheticOnly(config)) return realized;
  return [
    ...realized,
    'awattar',
    ...(config.PRICES_NORDPOOL ? (['nordpool'] as const) : []),
    ...(config.PRICES_ENERGYFORECAST_TOKEN === undefined ? [] : (['energyforecast'] as const)),
  ];
}

/** What stands against a source that is not configured any more can never end by an answer of it. */
export async function endAlarmsOfUnasked(
  parts: Pick<PriceParts, 'database' | 'config' | 'clock' | 'log'>,
): Promise<number> {
  const asked = askedSources(parts.config);
  return await parts.database.asService((connection) => endAlarmsBeside(connection, parts, asked));
}
