import { createAssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import type { Batch } from '../../../src/telemetry/snapshots/batch.ts';
import { listAssetsForSnapshots } from '../../../src/telemetry/snapshots/queries.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';
import { readBatch } from './both-readers.ts';
import type { SnapshotApi, SnapshotHousehold } from './snapshot-api.ts';

/** Makes batches of a household that a test gives to a writer itself: in one turn of the event loop, so in one group. */
export async function batchesOf(
  { api }: Pick<SnapshotApi, 'api'>,
  organization: string,
  { household }: SnapshotHousehold,
): Promise<(rows: readonly unknown[]) => Batch> {
  const { database, clock } = api.deps;
  const found = await database.inOrganization({ organization }, (connection) =>
    listAssetsForSnapshots(connection, organization, [household], 10),
  );
  const map = createAssetMap(found.get(household) ?? []);
  const limits = timeLimits(clock.nowMilliseconds(), 0);
  return (rows) => {
    const { batch } = readBatch(rows, map, limits);
    if (batch === null) throw new Error('Something is wrong with these rows');
    return batch;
  };
}
