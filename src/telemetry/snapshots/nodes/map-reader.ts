import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { listShards } from './queries.ts';
import { type ShardMap, shardMapOf } from './shard-map.ts';

export interface MapReader {
  /** Null where there is none, or none that may still be used. */
  current(): ShardMap | null;
  /** Something spoke against the map: it is read again, unless that was done just now. */
  readAgain(): void;
  stop(): Promise<void>;
}

interface MapReaderDeps {
  database: Database;
  metrics: Metrics;
  log: Logger;
  onRead(map: ShardMap): void;
}

const READ_EVERY_MILLISECONDS = 30_000;

/**
 * A map that could not be read anew is used for so long. Citus does not tell a node that was removed from the cluster: it goes
 * on writing by what it knew last, and after the next move of a shard that is the wrong place.
 */
const MAP_MILLISECONDS_MAX = 60_000;

/** A node that fails may have been replaced: the map is read at once, but not for each of its batches. */
const PAUSE_MILLISECONDS = 1_000;

/** Keeps what the coordinator says of the places of the shards; at most one question is under way. */
export function createMapReader({ database, metrics, log, onRead }: MapReaderDeps): MapReader {
  const failures = metrics.counter(
    'snapshot_shard_map_failures_total',
    'Failed attempts to read where shards lie',
  );
  let map: ShardMap | null = null;
  let readAt = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  let isStopped = false;
  const timer = setInterval(readAgain, READ_EVERY_MILLISECONDS).unref();
  readAgain();

  function readAgain(): void {
    const now = performance.now();
    if (isStopped || asking !== null || now - askedAt < PAUSE_MILLISECONDS) return;
    askedAt = now;
    asking = read(now).finally(() => {
      asking = null;
    });
  }

  /** Never throws. */
  async function read(now: number): Promise<void> {
    try {
      map = shardMapOf(await database.asService(listShards));
      readAt = now;
      onRead(map);
    } catch (error) {
      failures.inc();
      log.warn({ err: error }, 'the places of the shards could not be read');
    }
  }

  return {
    current: () => (performance.now() - readAt > MAP_MILLISECONDS_MAX ? null : map),
    readAgain,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await asking;
    },
  };
}
