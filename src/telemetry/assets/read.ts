import { oneHandler, pageHandler } from '../../platform/interface/newest-first.ts';
import { type AssetRow, findAsset, listAssets } from './queries.ts';
import type { Asset } from './schema.ts';
import { isDeviceType, typeDataColumns } from './type-data.ts';

export const getAsset = oneHandler(findAsset, shownAsset);

export const getAssets = pageHandler(listAssets, shownAsset);

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
