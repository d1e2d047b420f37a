import { isAsked } from '../../config/price-sources.ts';
import { asksSyntheticOnly, type PriceConfig } from '../../config/prices.ts';
import type { PriceParts } from '../parts.ts';
import { REALIZED_SOURCES, SOURCES, type SourceName } from '../providers/index.ts';
import { endAlarmsBeside } from './alarms.ts';
import { configuredSources } from './sources.ts';

/** Whoever is asked by this configuration. */
function sourcesInUse(config: PriceConfig): SourceName[] {
  const realized = configuredSources(config);
  if (asksSyntheticOnly(config)) return realized;
  const realizedNames: readonly SourceName[] = REALIZED_SOURCES;
  const others = SOURCES.filter((source) => !realizedNames.includes(source.name) && isAsked(config, source));
  return [...realized, ...others.map(({ name }) => name)];
}

/** What stands against a source that is not configured any more can never end by an answer of it. */
export async function endAlarmsOfUnasked(
  parts: Pick<PriceParts, 'database' | 'config' | 'clock' | 'log'>,
): Promise<number> {
  const sources = sourcesInUse(parts.config);
  return await parts.database.asService((connection) => endAlarmsBeside(connection, parts, sources));
}
