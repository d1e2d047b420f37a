import type pg from 'pg';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { hashOfKey } from '../../../../src/telemetry/snapshots/nodes/hash.ts';
import { administrator } from '../../../setup/administrator.ts';
import { type CutConnection, cutConnection } from '../../../setup/cut-connection.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import {
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
  type TestAsset,
} from '../snapshot-api.ts';

/*
 * A cluster as the service sees it, on a server without Citus: Citus' own tables beside the others, and nodes that are further
 * ways to the same database. So the coordinator sees every row that was written on a node, as on a real cluster.
 */

/** Why such tests do not run on Citus. */
export const STANDS_IN =
  "Citus' own tables would hide those of the stand-in; real-nodes.test.ts writes to real nodes";

/** The columns that the service reads, as Citus 14 has them. */
const CITUS_TABLES = `
  CREATE TYPE noderole AS ENUM ('primary', 'secondary', 'unavailable');
  CREATE TABLE pg_dist_node (
    nodeid serial PRIMARY KEY, groupid integer NOT NULL, nodename text NOT NULL, nodeport integer NOT NULL,
    hasmetadata boolean NOT NULL DEFAULT true, isactive boolean NOT NULL DEFAULT true,
    noderole noderole NOT NULL DEFAULT 'primary', nodecluster name NOT NULL DEFAULT 'default',
    metadatasynced boolean DEFAULT true);
  CREATE TABLE pg_dist_shard (
    logicalrelid regclass NOT NULL, shardid bigint PRIMARY KEY, shardstorage "char" NOT NULL DEFAULT 't',
    shardminvalue text, shardmaxvalue text);
  CREATE TABLE pg_dist_placement (
    placementid bigserial, shardid bigint NOT NULL, shardstate integer NOT NULL DEFAULT 1,
    shardlength bigint NOT NULL DEFAULT 0, groupid integer NOT NULL);
  GRANT SELECT ON pg_dist_node, pg_dist_shard, pg_dist_placement TO PUBLIC`;

/** For tests of the map alone: a database without an extension, so that it is the same on both engines. */
export async function createMapDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  await withDatabaseClient(database.adminUrl, async (client) => {
    await client.query('CREATE TABLE asset_snapshots (asset_id bigint)');
    await client.query('CREATE TABLE asset_quarter_hours (asset_id bigint)');
    await createCitusTables(client);
  });
  return database;
}

async function createCitusTables(client: pg.ClientBase | pg.Pool): Promise<void> {
  await client.query(CITUS_TABLES);
}

/** A shard of the snapshots, and the groups that it lies on. */
export async function addShard(
  client: pg.ClientBase | pg.Pool,
  shard: number,
  [first, last]: readonly [number, number],
  groups: readonly number[],
): Promise<void> {
  await client.query(
    "INSERT INTO pg_dist_shard (logicalrelid, shardid, shardminvalue, shardmaxvalue) VALUES ('asset_snapshots', $1, $2, $3)",
    [shard, first, last],
  );
  for (const group of groups) {
    await client.query('INSERT INTO pg_dist_placement (shardid, groupid) VALUES ($1, $2)', [shard, group]);
  }
}

export async function addNode(
  client: pg.ClientBase | pg.Pool,
  group: number,
  address: string,
): Promise<void> {
  const { hostname, port } = new URL(address);
  await client.query('INSERT INTO pg_dist_node (groupid, nodename, nodeport) VALUES ($1, $2, $3)', [
    group,
    hostname,
    port,
  ]);
}

/** Keys with a hash below zero lie on the first shard, all others on the second one. */
export const HALVES = [
  [-(2 ** 31), -1],
  [0, 2 ** 31 - 1],
] as const;

export interface PlacedAsset {
  readonly home: SnapshotHousehold;
  readonly asset: TestAsset;
}

export interface Cluster {
  readonly service: SnapshotApi;
  readonly admin: pg.Pool;
  readonly database: TestDatabase;
  /** The way to the second node; the first one's is the test's own where it gave one. */
  readonly nodes: readonly [CutConnection | TestNode, CutConnection];
  /** One whose rows lie on this shard. */
  assetOn(shard: 0 | 1): Promise<PlacedAsset>;
  metric(name: string): Promise<number>;
  /** Until batches go straight to the first node. */
  untilDirect(): Promise<void>;
  countOf(placed: PlacedAsset): Promise<number>;
  /** Holds up every writer of the asset's row at that second, until it is let go. */
  hold(placed: PlacedAsset, second: number): Promise<() => Promise<void>>;
  /** Ends the service; further calls wait for the first one. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

interface TestNode {
  readonly url: string;
  close(): Promise<void>;
}

interface ClusterOptions {
  /** The group that each of the two shards lies on; 0 is the coordinator. */
  groups?: readonly [number, number];
  environment?: Record<string, string>;
  /** Another way to the first node than the usual one. */
  firstNode?: (appUrl: string) => Promise<TestNode>;
  hasTables?: boolean;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { groups = [1, 2], environment, firstNode = cutConnection, hasTables = true } = options;
  const database = await createTestDatabase();
  const nodes = [await firstNode(database.appUrl), await cutConnection(database.appUrl)] as const;
  const admin = administrator(database.adminUrl);
  if (hasTables) {
    await createCitusTables(admin);
    for (const [index, span] of HALVES.entries()) {
      await addShard(admin, 102_008 + index, span, [groups[index] as number]);
      await addNode(admin, index + 1, nodes[index]?.url ?? '');
    }
  }
  const service = await startSnapshotApi({ SNAPSHOT_WRITES_TO: 'nodes', ...environment }, database);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.close();
    return stopped;
  };
  const metric = async (name: string) => {
    const text = await service.api.deps.metrics.text();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`voltstream_${name} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const assetOn = async (shard: 0 | 1): Promise<PlacedAsset> => {
    for (;;) {
      const home = await service.addHousehold();
      const asset = Object.values(home.assets).find(({ key }) => hashOfKey(key) < 0 === (shard === 0));
      if (asset !== undefined) return { home, asset };
    }
  };
  return {
    service,
    admin,
    database,
    nodes,
    assetOn,
    metric,
    untilDirect: async () => {
      const { home, asset } = await assetOn(0);
      for (let second = 0; (await metric(answeredBy(1))) === 0; second += 1) {
        await home.send([{ asset: asset.id, timestamp: onTime(-second), power_kw: 1 }]);
      }
    },
    countOf: async ({ asset }) => {
      const { rows } = await admin.query<{ count: string }>(
        'SELECT count(*) FROM asset_snapshots WHERE asset_id = $1',
        [asset.key],
      );
      return Number(rows[0]?.count);
    },
    hold: async ({ asset }, second) => {
      const holder = await admin.connect();
      await holder.query('BEGIN');
      await holder.query('INSERT INTO asset_snapshots (asset_id, timestamp) VALUES ($1, $2)', [
        asset.key,
        onTime(second),
      ]);
      return async () => {
        await holder.query('ROLLBACK');
        holder.release();
      };
    },
    stop,
    close: async () => {
      await stop();
      for (const node of nodes) await node.close();
      await database.drop();
    },
  };
}

/** Five minutes before the clock of these tests: no sum waits for such rows. */
export function onTime(second: number): string {
  return new Date(Date.parse('2026-12-01T11:00:00.000Z') + second * 1000).toISOString();
}

/** Values that an asset of any type may have. */
export function rowsOf({ asset }: PlacedAsset, from: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    asset: asset.id,
    timestamp: onTime(from + index),
    power_kw: (index % 2) / 10,
  }));
}

export const answeredBy = (group: number) =>
  `snapshot_node_batches_total{node="${group}",outcome="answered"}`;
export const turnedAwayFrom = (group: number) =>
  `snapshot_node_batches_total{node="${group}",outcome="turned_away"}`;
export const failedOn = (group: number) => `snapshot_node_batches_total{node="${group}",outcome="failed"}`;
export const detour = (reason: string) => `snapshot_coordinator_batches_total{reason="${reason}"}`;
