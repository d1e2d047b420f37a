import { afterEach, describe, expect, test } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../../faults/database-proxy.ts';
import { cutConnection } from '../../../setup/cut-connection.ts';
import { fileOnlyOn } from '../../../setup/engine.ts';
import { answeredBy, type Cluster, rowsOf, STANDS_IN, startCluster, turnedAwayFrom } from './cluster.ts';

fileOnlyOn('timescaledb', STANDS_IN);

let cluster: Cluster;
const proxies: DatabaseProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) proxy.heal();
  await cluster?.close();
});

/** The way to the first node is one that can break at an exact place of the protocol. */
async function startBehindProxy(): Promise<DatabaseProxy> {
  const firstNode = async (url: string) => {
    const proxy = await startDatabaseProxy(url);
    proxies.push(proxy);
    return proxy;
  };
  cluster = await startCluster({ firstNode });
  await cluster.untilDirect();
  return proxies[0] as DatabaseProxy;
}

/** The first node's connections do this with every row, those of others do not. */
async function onFirstNode(body: string): Promise<void> {
  await cluster.admin.query(`
    CREATE FUNCTION misbehave() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF current_setting('application_name') = 'voltstream-api-node-1' THEN ${body} END IF; RETURN NEW; END $$;
    GRANT EXECUTE ON FUNCTION misbehave TO PUBLIC;
    CREATE TRIGGER misbehave BEFORE INSERT ON asset_snapshots FOR EACH ROW EXECUTE FUNCTION misbehave()`);
}

describe('a node that is away', () => {
  test('is written to at its new address as soon as the coordinator names that', async () => {
    cluster = await startCluster();
    await cluster.untilDirect();
    const placed = await cluster.assetOn(1);
    await cluster.nodes[1].cut();
    expect((await placed.home.send(rowsOf(placed, 0, 1))).status).toBe(503);
    const standby = await cutConnection(cluster.database.appUrl);
    const { port } = new URL(standby.url);
    await cluster.admin.query('UPDATE pg_dist_node SET nodeport = $1 WHERE groupid = 2', [port]);
    const status = async () => (await placed.home.send(rowsOf(placed, 0, 5))).status;
    await expect.poll(status).toBe(200);
    expect(await cluster.metric(answeredBy(2))).toBe(1);
    expect(await cluster.countOf(placed)).toBe(5);
    await standby.close();
  });

  test('and swallows everything is not waited for by more and more batches, nor by those of other nodes', async () => {
    const proxy = await startBehindProxy();
    const [first, second] = [await cluster.assetOn(0), await cluster.assetOn(1)];
    /* Only a connection that is open swallows: idle ones are closed, and a new one is refused after two seconds. */
    expect((await first.home.send(rowsOf(first, 300, 1))).status).toBe(200);
    proxy.fault = 'black-hole';
    let isAnswered = false;
    const swallowed = first.home.send(rowsOf(first, 0, 5)).finally(() => {
      isAnswered = true;
    });
    const statusesOfOthers = new Set<number>();
    const pending: Promise<void>[] = [];
    const turnedAwayAtOnce = async () => {
      pending.push(first.home.send(rowsOf(first, 100 + (pending.length % 100), 1)).then(() => {}));
      statusesOfOthers.add((await second.home.send(rowsOf(second, pending.length % 200, 1))).status);
      return isAnswered || (await cluster.metric(turnedAwayFrom(1))) > 0;
    };
    await expect.poll(turnedAwayAtOnce).toBe(true);
    expect(isAnswered).toBe(false);
    expect([...statusesOfOthers]).toEqual([200]);
    proxy.heal();
    await Promise.all(pending);
    expect((await swallowed).status).toBe(503);
    const status = async () => (await first.home.send(rowsOf(first, 0, 5))).status;
    await expect.poll(status).toBe(200);
  });
});

describe('a node that answers with an error of its own', () => {
  test.each([
    ['25006', 'a standby'],
    ['42P01', 'a node that knows no such table'],
    ['55000', 'a table without shards there'],
    ['XX000', 'an error of Citus without a code, as one from another node'],
  ])('%s (%s) does not lose the batch: the coordinator takes it', async (code) => {
    cluster = await startCluster();
    await cluster.untilDirect();
    const placed = await cluster.assetOn(0);
    await onFirstNode(`RAISE EXCEPTION 'not here' USING ERRCODE = '${code}';`);
    const batches = Array.from({ length: 6 }, (_, index) => rowsOf(placed, index * 10, 10));
    const answers = await Promise.all(batches.map((rows) => placed.home.send(rows)));
    expect(answers.map(({ body }) => body.stored)).toEqual(batches.map(() => 10));
    expect(await cluster.countOf(placed)).toBe(60);
    expect(await cluster.metric('snapshot_node_refusals_total{node="1"}')).toBeGreaterThan(0);
  });

  test('because the shard has moved: the map is read again, and the next batch goes to the other node', async () => {
    cluster = await startCluster();
    await cluster.untilDirect();
    const placed = await cluster.assetOn(0);
    await onFirstNode("RAISE EXCEPTION 'not here' USING ERRCODE = '55000';");
    await cluster.admin.query('UPDATE pg_dist_placement SET groupid = 2');
    expect((await placed.home.send(rowsOf(placed, 0, 1))).status).toBe(200);
    let second = 1;
    const throughSecond = async () => {
      second += 1;
      await placed.home.send(rowsOf(placed, second, 1));
      return cluster.metric(answeredBy(2));
    };
    await expect.poll(throughSecond).toBeGreaterThan(0);
  });

  test.each([
    ['53100', 'its disk is full'],
    ['55P03', 'somebody holds a lock'],
    ['08006', 'another node that it sent the rows on to is away'],
  ])('%s (%s) is 503, and nothing is stored', async (code) => {
    cluster = await startCluster();
    await cluster.untilDirect();
    const placed = await cluster.assetOn(0);
    await onFirstNode(`RAISE EXCEPTION 'not now' USING ERRCODE = '${code}';`);
    expect((await placed.home.send(rowsOf(placed, 0, 5))).status).toBe(503);
    expect(await cluster.countOf(placed)).toBe(0);
  });
});

test.each(['lose-answer-of-commit', 'lose-commit'] as const)(
  'a connection that breaks at COMMIT on a node (%s): what became of it is asked through the coordinator',
  async (fault) => {
    const proxy = await startBehindProxy();
    const placed = await cluster.assetOn(0);
    proxy.fault = fault;
    const { status, body } = await placed.home.send(rowsOf(placed, 0, 100));
    expect(proxy.strikes).toBe(1);
    const isStored = fault === 'lose-answer-of-commit';
    expect([status, body.stored, body.duplicates]).toEqual([200, isStored ? 0 : 100, isStored ? 100 : 0]);
    expect(await cluster.countOf(placed)).toBe(100);
  },
);
