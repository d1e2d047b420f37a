import { settingsOf } from '../../config/price-sources.ts';
import type { PriceConfig } from '../../config/prices.ts';
import { type AskedSource, sources } from '../providers/index.ts';

/** The licence text kept with a fetch: what the body says, else what the source publishes about its data. */
export function licenceOf(config: PriceConfig, name: AskedSource, inBody: string | null): string | null {
  const source = sources[name];
  const ofBody = source.licence.ignoresBody === true ? null : inBody;
  return ofBody ?? settingsOf(config, source).licence;
}
