import { BoundedCache } from '../platform/bounded-cache.ts';
import type { Database } from '../platform/database/db.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { Tenant } from '../platform/principal.ts';
import type { Signal } from '../platform/process/signals.ts';
import { type AssetMap, createAssetMap } from './asset-map.ts';
import { listAssetsForSnapshots, listNamedAssets, type NamedAssets } from './queries.ts';

/** Other processes change assets too and tell nobody: after this a map is read again. */
const KEPT_MILLISECONDS = 5_000;

/**
 * Nobody limits the assets of a household. Of one that has more than this, which is a hundred times what a house has, no
 * map is made: a batch asks for the assets that it names.
 */
const ASSETS_KEPT_MAX = 1_000;

/** `many`: more assets than are kept. Null: the organization has no such household. */
export type HouseholdAssets = AssetMap | 'many' | null;

export interface KnownAssets {
  /** `isFresh`: read for this call, not remembered. */
  find(tenant: Tenant, household: string): Promise<{ map: HouseholdAssets; isFresh: boolean }>;
  /** Passes over what is remembered. */
  findFresh(tenant: Tenant, household: string): Promise<HouseholdAssets>;
  /** Those of the named assets that the household has. */
  findNamed(tenant: Tenant, household: string, named: NamedAssets): Promise<AssetMap>;
}

interface Entry {
  readonly map: AssetMap | 'many';
  readonly readAt: number;
}

/** Asset maps of households that sent something within the last seconds, by organization and household. */
export function createKnownAssets(
  database: Database,
  assetChanged: Signal<string>,
  entriesMax: number,
): KnownAssets {
  const entries = new BoundedCache<Entry>(entriesMax);
  /** Counts changes: a map that was being read while one happened is not remembered. */
  let changes = 0;
  assetChanged.subscribe((household) => {
    changes += 1;
    for (const key of entries.keys()) if (key.endsWith(`/${household}`)) entries.delete(key);
  });

  function keyOf(tenant: Tenant, household: string): string {
    return `${tenant.organization}/${household}`;
  }

  async function findFresh(tenant: Tenant, household: string): Promise<HouseholdAssets> {
    if (!ID_PATTERN.test(household)) return null;
    const changesBefore = changes;
    const readAt = performance.now();
    const { organization } = tenant;
    const rows = await database.inOrganization({ organization }, (connection) =>
      listAssetsForSnapshots(connection, organization, household, ASSETS_KEPT_MAX + 1),
    );
    if (rows === null) return null;
    const map = rows.length > ASSETS_KEPT_MAX ? 'many' : createAssetMap(rows);
    if (changes === changesBefore) entries.set(keyOf(tenant, household), { map, readAt });
    return map;
  }

  return {
    findFresh,
    async findNamed({ organization }, household, named) {
      const rows = await database.inOrganization({ organization }, (connection) =>
        listNamedAssets(connection, organization, household, named),
      );
      return createAssetMap(rows);
    },
    async find(tenant, household) {
      const known = entries.get(keyOf(tenant, household));
      if (known !== undefined && performance.now() - known.readAt < KEPT_MILLISECONDS) {
        return { map: known.map, isFresh: false };
      }
      return { map: await findFresh(tenant, household), isFresh: true };
    },
  };
}
