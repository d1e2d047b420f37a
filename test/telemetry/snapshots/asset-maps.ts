import { type AssetMap, type AssetRow, createAssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import type { FieldTable } from '../../../src/telemetry/snapshots/fields.ts';
import { type TimeLimits, timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';

export const LIMITS: TimeLimits = timeLimits(Date.parse('2026-12-01T11:05:00.000Z'), 0);

/** Assets as the database would give them, one of each type, keys from `firstKey` on. */
export function assetRows(firstKey = 1): AssetRow[] {
  const types = [
    'inverter',
    'solar',
    'battery',
    'wallbox',
    'heat_pump',
    'household_net',
    'household_residual',
  ] as const;
  return types.map((type, index) => ({
    key: firstKey + index,
    id: `ast_${type}`,
    external_id: `my ${type}`,
    type,
    max_power_kw: ['inverter', 'wallbox', 'heat_pump'].includes(type) ? 10 : null,
    peak_power_kw: type === 'solar' ? 8 : null,
    max_charge_power_kw: type === 'battery' ? 6 : null,
    max_discharge_power_kw: type === 'battery' ? 5 : null,
    decommissioned_at: type === 'heat_pump' ? '2026-06-01T00:00:00.000Z' : null,
  }));
}

export function assetMap(firstKey = 1, table?: FieldTable): AssetMap {
  return createAssetMap(assetRows(firstKey), table);
}
