import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Database } from '../../platform/database/db.ts';
import { createBatchedRead } from '../../platform/database/shared-read.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/principal.ts';
import { type ChangeWatch, KNOWN_AFTER_MILLISECONDS } from '../../platform/process/change-watch.ts';
import { type AssetMap, createAssetMap } from './asset-map.ts';
import { listAssetsForSnapshots, listNamedAssets, type NamedAssets } from './queries.ts';

/** Gateways send once a minute, or once in a quarter hour: a household that goes on sending is asked for four times an hour. */
const KEPT_MILLISECONDS = 15 * 60_000;

/**
 * Nobody limits the assets of a household. A household with more than this has no map: a batch asks for the assets that
 * it names. The limit is a hundred times what a house has.
 */
const ASSETS_KEPT_MAX = 1_000;

/**
 * So many assets count as one entry. Otherwise households with a thousand assets would take a hundred times the memory.
 */
const ASSETS_OF_ENTRY = 10;

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

export interface KnownAssetsParts {
  database: Database;
  watch: ChangeWatch;
  /** Maps of ten assets that are kept. */
  entriesMax: number;
  /** Counts maps that are read. */
  reads: { inc(): void };
  nowMilliseconds?: () => number;
}

interface Entry {
  readonly map: AssetMap | 'many';
  readonly readAt: number;
}

/**
 * Asset maps of households that sent something within the last minutes, by organization and household. A map is used for 15
 * minutes as long as changes are known, and for 5 s whatever else is so: nothing is older than that without being noticed.
 */
export function createKnownAssets(parts: KnownAssetsParts): KnownAssets {
  const { database, watch, reads, nowMilliseconds = () => performance.now() } = parts;
  const entries = new BoundedCache<Entry>(parts.entriesMax);
  /** Counts changes: a map that was being read while one happened is not remembered. */
  let changes = 0;
  watch.subscribe((change) => {
    changes += 1;
    if (change === 'any') entries.clear();
    else entries.delete(keyOf(change, change.object));
  });

  const assetsOf = createBatchedRead(async (organization, households: readonly string[]) => {
    const found = await database.inOrganization({ organization }, (connection) =>
      /* Many batches of one household may ask in the same look. */
      listAssetsForSnapshots(connection, organization, [...new Set(households)], ASSETS_KEPT_MAX + 1),
    );
    return households.map((household) => found.get(household));
  });

  function keyOf({ organization }: Tenant, household: string): string {
    return `${organization}/${household}`;
  }

  async function findFresh(tenant: Tenant, household: string): Promise<HouseholdAssets> {
    if (!ID_PATTERN.test(household)) return null;
    const changesBefore = changes;
    const readAt = nowMilliseconds();
    reads.inc();
    const rows = await assetsOf(tenant.organization, household);
    if (rows === undefined) return null;
    const map = rows.length > ASSETS_KEPT_MAX ? 'many' : createAssetMap(rows);
    if (changes === changesBefore) entries.set(keyOf(tenant, household), { map, readAt }, sizeOf(map));
    return map;
  }

  function isUsable({ readAt }: Entry): boolean {
    const age = nowMilliseconds() - readAt;
    return age < KNOWN_AFTER_MILLISECONDS || (age < KEPT_MILLISECONDS && watch.isSure());
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
      if (known !== undefined && isUsable(known)) return { map: known.map, isFresh: false };
      return { map: await findFresh(tenant, household), isFresh: true };
    },
  };
}

function sizeOf(map: AssetMap | 'many'): number {
  return map === 'many' ? 1 : Math.max(1, map.assets.length / ASSETS_OF_ENTRY);
}
