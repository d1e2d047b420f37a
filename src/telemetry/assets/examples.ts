import { householdExample } from '../../identity/households/examples.ts';
import type { Asset } from './schema.ts';

export const batteryExample = {
  object: 'asset',
  id: 'ast_lindenallee0battery00001',
  household: householdExample.id,
  type: 'battery',
  external_id: 'battery-1',
  display_name: 'Cellar',
  manufacturer: null,
  model: null,
  /** Another asset of the household. */
  parent_inverter: 'ast_lindenallee0inverter0001',
  battery: { capacity_kwh: 9.6, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
  decommissioned_at: null,
  created_at: '2026-10-05T08:40:12.345Z',
  updated_at: '2026-10-05T08:40:12.345Z',
} as const satisfies Asset;
