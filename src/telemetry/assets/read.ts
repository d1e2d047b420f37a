import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { type AssetRow, findAsset, listAssets } from './queries.ts';
import type { Asset } from './schema.ts';
import { isDeviceType, typeDataColumns } from './type-data.ts';

export async function getAsset(deps: Pick<Deps, 'database'>, request: ApiRequest): Promise<Asset> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  const row = await deps.database.inOrganization(request.principal, (connection) =>
    findAsset(connection, organization, customer, id),
  );
  if (row === undefined) throw notFound();
  return shownAsset(row);
}

export async function getAssets(deps: Pick<Deps, 'database'>, request: ApiRequest): Promise<Page<Asset>> {
  const { organization, customer } = request.principal;
  const { list } = request;
  const rows = await deps.database.inOrganization(request.principal, (connection) =>
    listAssets(connection, organization, customer, list),
  );
  return pageOf(rows, list, shownAsset);
}

/** The row as the interface shows it: the columns of its type become the object under the type's name. */
export function shownAsset(row: AssetRow): Asset {
  const { type } = row;
  const fields = {
    object: 'asset',
    id: row.id,
    household: row.household_id,
    type,
    external_id: row.external_id,
    display_name: row.display_name,
    manufacturer: row.manufacturer,
    model: row.model,
    parent_inverter: row.parent_inverter,
    ...(isDeviceType(type)
      ? { [type]: Object.fromEntries(typeDataColumns[type].map((column) => [column, row[column]])) }
      : {}),
    decommissioned_at: row.decommissioned_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
  /* Which columns are set for which type is a CHECK of the table; the answer's schema proves it once more. */
  return fields as unknown as Asset;
}
