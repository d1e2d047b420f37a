import { MISSING_HOUSEHOLD } from '../../identity/households/service.ts';
import type { Deps } from '../../platform/deps.ts';
import type { FilterField } from '../../platform/interface/filters.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { createAsset } from './create.ts';
import { decommissionAsset } from './decommission.ts';
import { batteryExample } from './examples.ts';
import { getAsset, getAssets } from './read.ts';
import { asset, changedAsset, decommission, newAsset } from './schema.ts';
import { changeAsset } from './update.ts';

const TAG = 'Assets';
const EQUAL_OR_IN: FilterField = { type: 'string', operators: ['eq', 'in'] };

export function assetRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/assets',
      summary: 'List assets',
      description: 'Newest first, decommissioned ones included.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: asset,
      list: {
        filters: { household: EQUAL_OR_IN, external_id: EQUAL_OR_IN, parent_inverter: EQUAL_OR_IN },
      },
      example: { response: batteryExample },
      handler: (request) => getAssets(deps, request),
    }),
    route({
      method: 'POST',
      path: '/assets',
      summary: 'Add a device',
      description:
        "The first device of a household also creates the household's own assets, `household_net` (the grid " +
        'connection) and `household_residual` (consumption that no other asset covers). `external_id` is never free ' +
        'again, also not after the device was decommissioned; only the erasure of its customer frees it.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [MISSING_HOUSEHOLD],
      idempotent: true,
      body: newAsset,
      response: asset,
      example: {
        response: batteryExample,
        body: {
          household: batteryExample.household,
          type: 'battery',
          external_id: 'battery-1',
          display_name: 'Cellar',
          parent_inverter: batteryExample.parent_inverter,
          battery: { capacity_kwh: 9.6, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
        },
      },
      handler: (request) => createAsset(deps, request),
    }),
    route({
      method: 'GET',
      path: '/assets/{id}',
      summary: 'Retrieve an asset',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: asset,
      example: { response: batteryExample },
      handler: (request) => getAsset(deps, request),
    }),
    route({
      method: 'PATCH',
      path: '/assets/{id}',
      summary: 'Change an asset',
      description:
        'Only the sent fields change, `null` clears one, and the object of the type is merged field by field. ' +
        "Household and type cannot change; of the household's own assets only `display_name` can. A field that cannot " +
        'change is refused when it is sent with another value than the stored one; unknown fields are ignored.',
      tag: TAG,
      customerTokens: 'no',
      body: changedAsset,
      response: asset,
      example: { response: { ...batteryExample, display_name: 'Garage' }, body: { display_name: 'Garage' } },
      handler: (request) => changeAsset(deps, request),
    }),
    route({
      method: 'POST',
      path: '/assets/{id}/decommission',
      summary: 'Take a device out of use',
      description:
        'There is no way back. The asset stays readable and listed, takes no snapshots with a later timestamp, and ' +
        'its `external_id` is not free again. Repeating the call returns the asset unchanged.',
      tag: TAG,
      customerTokens: 'no',
      body: decommission,
      response: asset,
      example: {
        response: { ...batteryExample, decommissioned_at: '2026-11-20T09:00:00.000Z' },
        body: { decommissioned_at: '2026-11-20T09:00:00Z' },
      },
      handler: (request) => decommissionAsset(deps, request),
    }),
  ];
}
