import type { z } from 'zod';
import type { Asset } from '../../assets/schema.ts';
import type { AssetSnapshot, SnapshotBatchResult } from '../../snapshots/schema.ts';
import type { spotPrices } from '../../spot-prices/schema.ts';
import { example, ID, type RouteExamples } from './example.ts';

const AT = '2026-10-05T08:40:12.345Z';

const battery: Asset = {
  object: 'asset',
  id: ID.battery,
  household: ID.household,
  type: 'battery',
  external_id: 'battery-1',
  display_name: 'Cellar',
  manufacturer: null,
  model: null,
  parent_inverter: ID.inverter,
  battery: { capacity_kwh: 9.6, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
  decommissioned_at: null,
  created_at: AT,
  updated_at: AT,
};

const batch: SnapshotBatchResult = {
  object: 'asset_snapshot_batch',
  household: ID.household,
  start: '2026-11-01T11:00:00.000Z',
  end: '2026-11-01T11:00:10.250Z',
  total: 2,
  stored: 2,
  duplicates: 0,
};

const newest: AssetSnapshot = {
  object: 'asset_snapshot',
  household: ID.household,
  asset: ID.battery,
  timestamp: '2026-11-01T11:00:10.250Z',
  power_kw: 2.1,
  state_of_charge: 0.64,
  created_at: '2026-11-01T11:00:10.900Z',
};

const prices: z.input<typeof spotPrices> = {
  object: 'price',
  type: 'day_ahead',
  period: { start: '2026-11-01T00:00:00+01:00', end: '2026-11-02T00:00:00+01:00' },
  currency: 'EUR',
  unit: 'ct/kWh',
  resolution: '15min',
  missing: ['2026-11-01T22:45:00Z'],
  items: [
    { timestamp: '2026-10-31T23:00:00Z', amount: 7.912 },
    { timestamp: '2026-10-31T23:15:00Z', amount: -0.613 },
  ],
};

export const deviceExamples: RouteExamples = {
  'GET /assets': example(battery),
  'GET /assets/{id}': example(battery),
  'POST /assets': example(battery, {
    household: ID.household,
    type: 'battery',
    external_id: 'battery-1',
    display_name: 'Cellar',
    parent_inverter: ID.inverter,
    battery: { capacity_kwh: 9.6, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
  }),
  'PATCH /assets/{id}': example({ ...battery, display_name: 'Garage' }, { display_name: 'Garage' }),
  'POST /assets/{id}/decommission': example(
    { ...battery, decommissioned_at: '2026-11-20T09:00:00.000Z' },
    { decommissioned_at: '2026-11-20T09:00:00Z' },
  ),
  'POST /asset-snapshots': example(batch, {
    household: ID.household,
    snapshots: [
      { asset: ID.inverter, timestamp: '2026-11-01T11:00:00Z', power_kw: -3.42 },
      {
        external_id: 'battery-1',
        timestamp: '2026-11-01T12:00:10.250+01:00',
        power_kw: 2.1,
        state_of_charge: 0.64,
      },
    ],
  }),
  'GET /asset-snapshots': example(newest),
  'GET /spot-prices': example(prices),
};
