import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fileOnlyOn } from '../../../setup/engine.ts';
import { untilWaiting } from '../held-rows.ts';
import { entriesOf, instant, NOW } from '../snapshot-api.ts';
import {
  answeredBy,
  type Cluster,
  detour,
  failedOn,
  rowsOf,
  STANDS_IN,
  startCluster,
  turnedAwayFrom,
} from './cluster.ts';

fileOnlyOn('timescaledb', STANDS_IN);

let cluster: Cluster;
let writersOf: (key: number) => Promise<string[]>;
/** For the tests that need no other places of shards: their assets differ. The last test ends it. */
let shared: Cluster;
let writersOfShared: typeof writersOf;

beforeAll(async () => {
  shared = await startCluster();
  await shared.untilDirect();
  writersOfShared = await watchWriters(shared);
});
afterAll(() => shared?.close());

function useShared(): void {
  [cluster, writersOf] = [shared, writersOfShared];
}
afterEach(async () => {
  if (cluster === shared) shared.service.clock.set(NOW);
  else await cluster?.close();
});

const lateQuarterHours = async () => {
  const { rows } = await cluster.admin.query<{ count: string }>('SELECT count(*) FROM late_quarter_hours');
  return Number(rows[0]?.count);
};

/** Which connections stored rows of an asset, as the server knows them. */
async function watchWriters({ admin }: Cluster): Promise<(key: number) => Promise<string[]>> {
  await admin.query(`
    CREATE TABLE writers (asset_id bigint, name text);
    CREATE FUNCTION note_writer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN INSERT INTO writers VALUES (NEW.asset_id, current_setting('application_name')); RETURN NEW; END $$;
    CREATE TRIGGER note_writer AFTER INSERT ON asset_snapshots FOR EACH ROW EXECUTE FUNCTION note_writer()`);
  return async (key) => {
    const { rows } = await admin.query<{ name: string }>(
      'SELECT DISTINCT name FROM writers WHERE asset_id = $1 ORDER BY name',
      [key],
    );
    return rows.map(({ name }) => name);
  };
}

describe('a batch goes', () => {
  test('straight to the node on which its assets lie', async () => {
    useShared();
    const [first, second] = [await cluster.assetOn(0), await cluster.assetOn(1)];
    const before = await cluster.metric(answeredBy(2));
    const shown = await cluster.service.api.deps.metrics.text();
    for (const seen of [failedOn(1), turnedAwayFrom(1), 'snapshot_node_refusals_total{node="1"}'])
      expect(shown).toContain(`voltstream_${seen} 0\n`);
    for (const placed of [first, second]) {
      const { status, body } = await placed.home.send(rowsOf(placed, 0, 5));
      expect([status, body.stored]).toEqual([200, 5]);
    }
    expect(await writersOf(first.asset.key)).toEqual(['voltstream-api-node-1']);
    expect(await writersOf(second.asset.key)).toEqual(['voltstream-api-node-2']);
    expect((await cluster.metric(answeredBy(2))) - before).toBe(1);
  });

  test.each([
    ['through the coordinator where that holds the shard', [1, 0], 'no_node'],
    ['through the coordinator where the node is unknown', [1, 7], 'no_node'],
  ] as const)('%s', async (_title, groups, reason) => {
    cluster = await startCluster({ groups });
    await cluster.untilDirect();
    writersOf = await watchWriters(cluster);
    const placed = await cluster.assetOn(1);
    expect((await placed.home.send(rowsOf(placed, 0, 5))).status).toBe(200);
    expect(await writersOf(placed.asset.key)).toEqual(['voltstream-api']);
    expect(await cluster.metric(detour(reason))).toBe(1);
  });

  test('through the coordinator while nobody can say where shards lie', async () => {
    cluster = await startCluster({ hasTables: false });
    const placed = await cluster.assetOn(0);
    expect((await placed.home.send(rowsOf(placed, 0, 5))).status).toBe(200);
    const failures = () => cluster.metric('snapshot_shard_map_failures_total');
    await expect.poll(failures).toBeGreaterThan(0);
    expect((await placed.home.send(rowsOf(placed, 5, 5))).status).toBe(200);
    expect(await cluster.metric(detour('no_map'))).toBe(2);
    expect(await placed.home.count()).toBe(10);
  });

  test('through the coordinator with late rows, together with the question for their sums', async () => {
    useShared();
    const placed = await cluster.assetOn(0);
    expect((await placed.home.send(rowsOf(placed, 0, 1))).status).toBe(200);
    const before = [await lateQuarterHours(), await cluster.metric(detour('late'))];
    expect(await writersOf(placed.asset.key)).toEqual(['voltstream-api-node-1']);
    const late = [{ asset: placed.asset.id, timestamp: instant(0), power_kw: 1 }];
    expect((await placed.home.send(late)).status).toBe(200);
    const after = [await lateQuarterHours(), await cluster.metric(detour('late'))];
    expect(after).toEqual(before.map((count) => count + 1));
    expect(await writersOf(placed.asset.key)).toEqual(['voltstream-api', 'voltstream-api-node-1']);
  });
});

test('rows that become late while they wait on a node are stored through the coordinator', async () => {
  useShared();
  const placed = await cluster.assetOn(0);
  const late = await lateQuarterHours();
  const letGo = await cluster.hold(placed, 0);
  const sent = placed.home.send(rowsOf(placed, 0, 5));
  await untilWaiting(cluster.service, 1);
  cluster.service.clock.advance(30 * 60_000);
  await letGo();
  expect((await sent).body).toMatchObject({ stored: 5, duplicates: 0 });
  expect(await writersOf(placed.asset.key)).toEqual(['voltstream-api']);
  expect((await lateQuarterHours()) - late).toBe(1);
});

describe('what is stored already', () => {
  test('counts as duplicates, and other values refuse the batch, as without nodes', async () => {
    useShared();
    const placed = await cluster.assetOn(0);
    const rows = rowsOf(placed, 0, 5);
    expect((await placed.home.send(rows)).body).toMatchObject({ stored: 5, duplicates: 0 });
    expect((await placed.home.send([...rows, ...rowsOf(placed, 5, 2)])).body).toMatchObject({
      stored: 2,
      duplicates: 5,
    });
    const other = await placed.home.send([{ ...rows[0], power_kw: 0.3 }, ...rowsOf(placed, 10, 1)]);
    expect([other.status, entriesOf(other)]).toEqual([400, ['custom snapshots.0.power_kw']]);
    expect(await placed.home.count()).toBe(7);
    /* Rows of other nodes are seen there only. */
    expect(await writersOf(placed.asset.key)).toEqual(['voltstream-api', 'voltstream-api-node-1']);
  });
});

describe('a node that is away', () => {
  test('costs its own batches a 503, and nothing of them is stored; the others go on; back again it is served', async () => {
    useShared();
    const [first, second] = [await cluster.assetOn(0), await cluster.assetOn(1)];
    const counts = async () => [await cluster.metric(failedOn(2)), await cluster.metric(answeredBy(2))];
    const [failed = 0, answered = 0] = await counts();
    await cluster.nodes[1].cut();
    const [lives, dies] = await Promise.all([
      first.home.send(rowsOf(first, 0, 5)),
      second.home.send(rowsOf(second, 0, 5)),
    ]);
    expect([lives.status, dies.status]).toEqual([200, 503]);
    expect(Number(dies.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect([await cluster.countOf(first), await cluster.countOf(second)]).toEqual([5, 0]);
    expect(await counts()).toEqual([failed + 1, answered]);
    await cluster.nodes[1].mend();
    expect((await second.home.send(rowsOf(second, 0, 5))).body).toMatchObject({ stored: 5 });
    expect(await counts()).toEqual([failed + 1, answered + 1]);
  });
});

test('closing finishes what is under way on a node though its sender has left, and closes the connections', async () => {
  useShared();
  const placed = await cluster.assetOn(0);
  const letGo = await cluster.hold(placed, 0);
  const leaving = new AbortController();
  const body = { household: placed.home.household, snapshots: rowsOf(placed, 0, 5) };
  const writing = cluster.service.client
    .post('/asset-snapshots', body, { signal: leaving.signal })
    .catch(() => null);
  await untilWaiting(cluster.service, 1);
  leaving.abort();
  expect(await writing).toBeNull();
  const stopped = cluster.stop();
  await letGo();
  await stopped;
  expect(await cluster.countOf(placed)).toBe(5);
  const connections = async () => {
    const { rowCount } = await cluster.admin.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'voltstream-api%'",
    );
    return rowCount;
  };
  await expect.poll(connections).toBe(0);
});
