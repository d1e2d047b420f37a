import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newestFirst, type PageRequest } from '../../platform/interface/newest-first.ts';
import type { AssetType } from './type-data.ts';

/**
 * When devices of erased persons ended. Before any snapshot: gateways send what they kept for months, and that must find no device
 * that was in use then.
 */
export const NEVER_IN_USE = '1970-01-01T00:00:00Z';

const COLUMNS = [
  'id',
  'household_id',
  'type',
  'external_id',
  'display_name',
  'manufacturer',
  'model',
  'parent_inverter',
  'max_power_kw',
  'hybrid',
  'peak_power_kw',
  'azimuth',
  'tilt',
  'capacity_kwh',
  'max_charge_power_kw',
  'max_discharge_power_kw',
  'phases',
  'bidirectional',
  'thermal_power_kw',
  'decommissioned_at',
  'created_at',
  'updated_at',
] as const;

export type AssetRow = Pick<Selectable<Tables['assets']>, (typeof COLUMNS)[number]>;
export type NewAssetRow = Omit<Insertable<Tables['assets']>, 'organization_id' | 'key' | 'changed_in'>;
export type AssetChanges = Updateable<Pick<Tables['assets'], Exclude<(typeof COLUMNS)[number], 'id'>>>;

const FILTER_COLUMNS = {
  household: 'household_id',
  external_id: 'external_id',
  parent_inverter: 'parent_inverter',
} as const;

export function listAssets(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  list: PageRequest,
): Promise<AssetRow[]> {
  let query = connection.selectFrom('assets').select(COLUMNS).where('organization_id', '=', organization);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return newestFirst(query, list, FILTER_COLUMNS).execute();
}

export function findAsset(
  connection: Connection,
  organization: string,
  customer: string | undefined,
  id: string,
): Promise<AssetRow | undefined> {
  let query = connection
    .selectFrom('assets')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id);
  if (customer !== undefined) query = query.where('customer_id', '=', customer);
  return query.executeTakeFirst();
}

/** By the client's own id, in the whole organization: decommissioned assets count as well. */
export function findAssetByExternalId(connection: Connection, organization: string, externalId: string) {
  return connection
    .selectFrom('assets')
    .select('id')
    .where('organization_id', '=', organization)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
}

/** Any asset of this type in the household. */
export function findAssetOfType(
  connection: Connection,
  organization: string,
  household: string,
  type: AssetType,
) {
  return connection
    .selectFrom('assets')
    .select('id')
    .where('organization_id', '=', organization)
    .where('household_id', '=', household)
    .where('type', '=', type)
    .limit(1)
    .executeTakeFirst();
}

/** An asset in use that names this inverter. */
export function findChildInUse(
  connection: Connection,
  organization: string,
  inverter: string,
  types: readonly AssetType[],
) {
  return connection
    .selectFrom('assets')
    .select('id')
    .where('organization_id', '=', organization)
    .where('parent_inverter', '=', inverter)
    .where('type', 'in', types)
    .where('decommissioned_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
}

/** Undefined when another asset of the organization has the external id; waits for one that is just being added. */
export function insertAsset(
  connection: Connection,
  organization: string,
  asset: NewAssetRow,
): Promise<AssetRow | undefined> {
  return connection
    .insertInto('assets')
    .values({ ...asset, organization_id: organization })
    .onConflict((on) => on.columns(['organization_id', 'external_id']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export function updateAsset(
  connection: Connection,
  organization: string,
  id: string,
  changes: AssetChanges,
): Promise<AssetRow> {
  return connection
    .updateTable('assets')
    .set(changes)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
