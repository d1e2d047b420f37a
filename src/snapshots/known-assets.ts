import { BoundedCache } from '../platform/bounded-cache.ts';
import type { Database } from '../platform/database/db.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { Tenant } from '../platform/principal.ts';
import type { Signal } from '../platform/process/signals.ts';
import { type AssetMap, createAssetMap } from './asset-map.ts';
import { listAssetsForSnapshots } from './queries.ts';

/** Other processes change assets too and tell nobody: after this a map is read again. */
const KEPT_MILLISECONDS = 5_000;

export interface KnownAssets {
  /** Null when the organization has no such household. `isFresh`: read for this call, not remembered. */
  find(tenant: Tenant, household: string): Promise<{ map: AssetMap | null; isFresh: boolean }>;
  /** Passes over what is remembered. */
  findFresh(tenant: Tenant, household: string): Promise<AssetMap | null>;
}

interface Entry {
  readonly map: AssetMap;
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

  async function findFresh(tenant: Tenant, household: string): Promise<AssetMap | null> {
    if (!ID_PATTERN.test(household)) return null;
    const changesBefore = changes;
    const readAt = performance.now();
    const { organization } = tenant;
    const rows = await database.inOrganization({ organization }, (connection) =>
      listAssetsForSnapshots(connection, organization, household),
    );
    if (rows === null) return null;
    const map = createAssetMap(rows);
    if (changes === changesBefore) entries.set(keyOf(tenant, household), { map, readAt });
    return map;
  }

  return {
    findFresh,
    async find(tenant, household) {
      const known = entries.get(keyOf(tenant, household));
      if (known !== undefined && performance.now() - known.readAt < KEPT_MILLISECONDS) {
        return { map: known.map, isFresh: false };
      }
      return { map: await findFresh(tenant, household), isFresh: true };
    },
  };
}
