import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { engine } from '../../../setup/engine.ts';
import { type OwnServer, startOwnServer } from '../../../setup/own-server.ts';
import { type Cluster, type PlacedAsset, rowsOf, startCluster } from './cluster.ts';

/* The first node is another server than the second one, so that a row is seen where it lies. */

let server: OwnServer | null = null;
let cluster: Cluster;

beforeAll(async () => {
  if (engine === 'citus') return;
  cluster = await startCluster({
    firstNode: async (appUrl) => {
      const database = new URL(appUrl).pathname.slice(1);
      const { passwords } = inject('servers');
      server = await startOwnServer({ name: 'second-node', database, passwords });
      return { url: server?.database.appUrl ?? appUrl, close: async () => await server?.remove() };
    },
  });
  if (server !== null) await cluster.untilDirect();
});

afterAll(async () => {
  await cluster?.close();
});

/** A test with both servers; it is skipped where there is no second one. */
function testOfServers(title: string, work: (first: OwnServer) => Promise<void>) {
  test(title, async ({ skip }) => {
    if (server === null) return skip('needs a second server; real nodes: real-nodes.test.ts');
    await work(server);
  });
}

/** Rows of the asset on the first node's server, and on the second's. */
async function countsOf(first: OwnServer, placed: PlacedAsset): Promise<[number, number]> {
  const client = new pg.Client({ connectionString: first.database.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(
      'SELECT count(*) FROM asset_snapshots WHERE asset_id = $1',
      [placed.asset.key],
    );
    return [Number(rows[0]?.count), await cluster.countOf(placed)];
  } finally {
    await client.end();
  }
}

testOfServers('rows lie on the server of their shard, and on no other one', async (first) => {
  const [here, there] = [await cluster.assetOn(0), await cluster.assetOn(1)];
  expect((await here.home.send(rowsOf(here, 0, 5))).body).toMatchObject({ stored: 5 });
  expect((await there.home.send(rowsOf(there, 0, 7))).body).toMatchObject({ stored: 7 });
  expect(await countsOf(first, here)).toEqual([5, 0]);
  expect(await countsOf(first, there)).toEqual([0, 7]);
});

testOfServers(
  'a server that is killed costs its own batches a 503 and loses nothing; the others go on',
  async (first) => {
    const [dies, lives] = [await cluster.assetOn(0), await cluster.assetOn(1)];
    expect((await dies.home.send(rowsOf(dies, 0, 5))).status).toBe(200);
    await first.kill();
    const [refused, taken] = await Promise.all([
      dies.home.send(rowsOf(dies, 10, 3)),
      lives.home.send(rowsOf(lives, 0, 7)),
    ]);
    expect([refused.status, taken.status]).toEqual([503, 200]);
    await first.start();
    expect(await countsOf(first, dies)).toEqual([5, 0]);
    const status = async () => (await dies.home.send(rowsOf(dies, 10, 3))).status;
    await expect.poll(status).toBe(200);
    expect(await countsOf(first, dies)).toEqual([8, 0]);
    expect(await countsOf(first, lives)).toEqual([0, 7]);
  },
);
