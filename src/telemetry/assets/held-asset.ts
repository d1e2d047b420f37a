import { holdHousehold } from '../../identity/households/service.ts';
import type { Connection } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { type AssetRow, findAsset } from './queries.ts';

/**
 * The asset with its household held, so that inverters and their children change one after the other. The first look
 * only finds out which household that is.
 */
export async function findHeldAsset(
  connection: Connection,
  organization: string,
  id: string,
): Promise<AssetRow> {
  const found = await findAsset(connection, organization, undefined, id);
  if (found === undefined) throw notFound();
  await holdHousehold(connection, organization, found.household_id);
  const asset = await findAsset(connection, organization, undefined, id);
  if (asset === undefined) throw notFound();
  return asset;
}
