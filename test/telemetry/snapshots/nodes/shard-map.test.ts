import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../../src/platform/database/db.ts';
import { hashOfKey } from '../../../../src/telemetry/snapshots/nodes/hash.ts';
import { urlOfNode } from '../../../../src/telemetry/snapshots/nodes/node.ts';
import { listShards } from '../../../../src/telemetry/snapshots/nodes/queries.ts';
import { type ShardMap, shardMapOf } from '../../../../src/telemetry/snapshots/nodes/shard-map.ts';
import type { TestDatabase } from '../../../setup/database.ts';
import { addNode, addShard, createMapDatabase, HALVES } from './cluster.ts';

let database: TestDatabase;
let service: Database;
let admin: pg.Client;

beforeAll(async () => {
  database = await createMapDatabase();
  admin = new pg.Client(database.adminUrl);
  await admin.connect();
  service = openDatabase({
    url: database.appUrl,
    applicationName: 'voltstream-test',
    connectionsMax: 1,
    onError: () => {},
  });
});
afterEach(() =>
  admin.query('DELETE FROM pg_dist_shard; DELETE FROM pg_dist_placement; DELETE FROM pg_dist_node'),
);
afterAll(async () => {
  await admin?.end();
  await service?.close();
  await database?.drop();
});

/** Two nodes with a half of the hashes each, then this change; read as the service reads it. */
async function mapAfter(change = 'SELECT'): Promise<ShardMap> {
  for (const [index, span] of HALVES.entries()) {
    await addShard(admin, 102_008 + index, span, [index + 1]);
    await addNode(admin, index + 1, `postgres://node-${index + 1}:5432`);
  }
  await admin.query(change);
  return shardMapOf(await service.asService(listShards));
}

const keys = Array.from({ length: 64 }, (_, index) => index + 1);
const below = keys.filter((key) => hashOfKey(key) < 0);
const above = keys.filter((key) => hashOfKey(key) >= 0);
const hostOf = (map: ShardMap, of: number[]) => map.nodeOf(of)?.host ?? null;

test('keys of one node have that node, keys of two have none', async () => {
  const map = await mapAfter();
  expect([hostOf(map, below), hostOf(map, above)]).toEqual(['node-1', 'node-2']);
  expect(hostOf(map, keys)).toBeNull();
  expect(map.nodes.map(({ host }) => host)).toEqual(['node-1', 'node-2']);
});

test('two shards of one node are one place', async () => {
  const map = await mapAfter('UPDATE pg_dist_placement SET groupid = 1');
  expect(hostOf(map, keys)).toBe('node-1');
  expect(map.nodes).toHaveLength(1);
});

test('a shard that has moved lies where it lies now, and an address that changed is the new one', async () => {
  const map = await mapAfter(`
    UPDATE pg_dist_placement SET groupid = 1 WHERE shardid = 102009;
    UPDATE pg_dist_node SET nodename = 'standby-of-1', nodeport = 6432 WHERE groupid = 1`);
  expect(map.nodeOf(above)).toEqual({ group: 1, host: 'standby-of-1', port: 6432 });
});

test.each([
  ['the coordinator', 'UPDATE pg_dist_placement SET groupid = 0 WHERE shardid = 102009'],
  ['a node that is not active', 'UPDATE pg_dist_node SET isactive = false WHERE groupid = 2'],
  ['a node without the tables of Citus', 'UPDATE pg_dist_node SET hasmetadata = false WHERE groupid = 2'],
  ['a node whose tables are old', 'UPDATE pg_dist_node SET metadatasynced = false WHERE groupid = 2'],
  ['a standby', "UPDATE pg_dist_node SET noderole = 'secondary' WHERE groupid = 2"],
  ['a node of another cluster', "UPDATE pg_dist_node SET nodecluster = 'reports' WHERE groupid = 2"],
  ['two nodes at once', 'INSERT INTO pg_dist_placement (shardid, groupid) VALUES (102009, 1)'],
  ['a place that waits to be removed', 'UPDATE pg_dist_placement SET shardstate = 4 WHERE shardid = 102009'],
  ['no place at all', 'DELETE FROM pg_dist_shard WHERE shardid = 102009'],
  [
    'a gap between two shards',
    `UPDATE pg_dist_shard SET shardminvalue = '2147483647' WHERE shardid = 102009`,
  ],
])('keys on %s have no node', async (_place, change) => {
  const map = await mapAfter(change);
  expect(hostOf(map, above)).toBeNull();
  expect(hostOf(map, below)).toBe('node-1');
});

test('shards of other tables are not looked at', async () => {
  const map = await mapAfter(
    "UPDATE pg_dist_shard SET logicalrelid = 'asset_quarter_hours' WHERE shardid = 102009",
  );
  expect(hostOf(map, above)).toBeNull();
});

test('one of many shards is found by its bounds', async () => {
  const size = 2 ** 32 / 1_024;
  const spans = Array.from({ length: 1_024 }, (_, shard) => {
    const first = shard * size - 2 ** 31;
    return {
      first_hash: first,
      last_hash: first + size - 1,
      node_group: shard + 1,
      host: `n${shard}`,
      port: 1,
    };
  });
  const map = shardMapOf(spans);
  for (const key of keys) {
    expect(hostOf(map, [key])).toBe(`n${Math.floor((hashOfKey(key) + 2 ** 31) / size)}`);
  }
});

test('a node is reached with user, password, database and settings of the coordinator', () => {
  const url = 'postgres://voltstream_app:p%40ss@coordinator:5432/voltstream?sslmode=require&host=elsewhere';
  const node = { group: 3, host: 'worker-3', port: 6432 };
  expect(urlOfNode(url, node)).toBe(
    'postgres://voltstream_app:p%40ss@worker-3:6432/voltstream?sslmode=require',
  );
  expect(urlOfNode(url, { ...node, host: 'fd00::3' })).toContain('@[fd00::3]:6432/voltstream?');
});
