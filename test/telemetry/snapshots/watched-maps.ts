import type { Database } from '../../../src/platform/database/db.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import {
  type ChangedObject,
  createChangeWatch,
  type RunningChangeWatch,
  type WatchedChange,
} from '../../../src/platform/process/change-watch.ts';
import { createSignal, type Signal } from '../../../src/platform/process/signals.ts';
import type { AssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import { createKnownAssets, type KnownAssets } from '../../../src/telemetry/snapshots/known-assets.ts';

/** What a process remembers of assets, with a clock that stands until it is moved, and looks that the test asks for. */
export interface WatchedMaps {
  maps: KnownAssets;
  watch: RunningChangeWatch;
  /** What messages and looks told so far. */
  told: WatchedChange[];
  /** Maps that were read from the database. */
  reads(): number;
  pass(milliseconds: number): void;
  /** Whether a request would use what is remembered. What is not is read, and remembered from then on. */
  remembers(organization: string, household: string): Promise<boolean>;
  map(organization: string, household: string): Promise<AssetMap>;
}

export function watchedMaps(
  deps: Pick<Deps, 'database' | 'log'>,
  options: { database?: Database; messages?: Signal<ChangedObject>; entriesMax?: number } = {},
): WatchedMaps {
  const { database = deps.database, messages = createSignal(), entriesMax = 1_000 } = options;
  let [now, reads] = [0, 0];
  const nowMilliseconds = () => now;
  const watch = createChangeWatch({
    database,
    messages,
    log: deps.log,
    metrics: createMetrics({ runtime: false }),
    nowMilliseconds,
  });
  const told: WatchedChange[] = [];
  watch.subscribe((change) => told.push(change));
  const maps = createKnownAssets({
    database: deps.database,
    watch,
    entriesMax,
    reads: {
      inc: () => {
        reads += 1;
      },
    },
    nowMilliseconds,
  });
  const find = (organization: string, household: string) => maps.find({ organization }, household);
  return {
    maps,
    watch,
    told,
    reads: () => reads,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    remembers: async (organization, household) => !(await find(organization, household)).isFresh,
    map: async (organization, household) => {
      const { map } = await find(organization, household);
      if (map === null || map === 'many') throw new Error(`No map: ${map}`);
      return map;
    },
  };
}
