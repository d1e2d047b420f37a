import { afterAll, beforeAll, expect } from 'vitest';
import { engine, testOnlyOn } from '../../../setup/engine.ts';
import { entriesOf, instant, type SnapshotApi, startSnapshotApi } from '../snapshot-api.ts';
import { onTime } from './cluster.ts';

/* The service that writes straight to the nodes, on real ones. What it does about one that fails: node-faults.test.ts. */

const onNodes = testOnlyOn('citus', 'only Citus has nodes');

let service: SnapshotApi;

beforeAll(async () => {
  if (engine === 'citus') service = await startSnapshotApi({ SNAPSHOT_WRITES_TO: 'nodes' });
});
afterAll(() => service?.close());

const row = (asset: string, second: number, power_kw = 0.5) => ({
  asset,
  timestamp: onTime(second),
  power_kw,
});

/** Sum over the nodes of a metric with labels. */
async function count(name: string, label: string): Promise<number> {
  const lines = (await service.api.deps.metrics.text()).split('\n');
  return lines
    .filter((line) => line.startsWith(`voltstream_${name}{`) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const answered = () => count('snapshot_node_batches_total', 'outcome="answered"');

/** Until the map is read and the nodes are known. */
async function untilDirect(): Promise<void> {
  const home = await service.addHousehold();
  for (let second = 0; (await answered()) === 0; second += 1) {
    await home.send([row(home.assets.wallbox.id, -second)]);
  }
}

onNodes('batches go straight to the worker that holds their household, and are found there', async () => {
  await untilDirect();
  const before = await answered();
  const homes = await Promise.all(Array.from({ length: 12 }, () => service.addHousehold()));
  const batches = homes.map(({ assets }) =>
    [assets.wallbox, assets.heat_pump].flatMap(({ id }) =>
      Array.from({ length: 20 }, (_, second) => row(id, second)),
    ),
  );
  const answers = await Promise.all(homes.map((home, index) => home.send(batches[index] ?? [])));
  expect(answers.map(({ body }) => body.stored)).toEqual(homes.map(() => 40));
  expect((await answered()) - before).toBe(12);
  expect(await count('snapshot_node_batches_total', 'outcome="failed"')).toBe(0);
  for (const home of homes) expect(await home.count()).toBe(40);
  const { rows } = await service.admin.query<{ nodes: number }>(
    `SELECT count(DISTINCT p.groupid)::int AS nodes FROM pg_dist_placement AS p
      WHERE p.shardid IN (SELECT get_shard_id_for_distribution_column('asset_snapshots', key) FROM assets)`,
  );
  expect(rows[0]?.nodes).toBeGreaterThan(1);
});

onNodes('what is stored already counts as duplicates, and other values refuse the batch', async () => {
  await untilDirect();
  const home = await service.addHousehold();
  const { id } = home.assets.heat_pump;
  const rows = [0, 1, 2].map((second) => row(id, second));
  expect((await home.send(rows)).body).toMatchObject({ stored: 3, duplicates: 0 });
  expect((await home.send([...rows, row(id, 3)])).body).toMatchObject({ stored: 1, duplicates: 3 });
  const other = await home.send([row(id, 9), row(id, 1, 0.75)]);
  expect([other.status, entriesOf(other)]).toEqual([400, ['custom snapshots.1.power_kw']]);
  expect(await home.count()).toBe(4);
});

onNodes('late rows go through the coordinator, together with the question for their sums', async () => {
  await untilDirect();
  const home = await service.addHousehold();
  const before = await count('snapshot_coordinator_batches_total', 'reason="late"');
  const late = { asset: home.assets.heat_pump.id, timestamp: instant(0), power_kw: 1 };
  expect((await home.send([late])).body).toMatchObject({ stored: 1 });
  expect((await count('snapshot_coordinator_batches_total', 'reason="late"')) - before).toBe(1);
  const { rows } = await service.admin.query('SELECT FROM late_quarter_hours WHERE asset_id = $1', [
    home.assets.heat_pump.key,
  ]);
  expect(rows).toHaveLength(1);
});

onNodes('copies of one batch at once are stored once', async () => {
  await untilDirect();
  const home = await service.addHousehold();
  const rows = Array.from({ length: 200 }, (_, second) => row(home.assets.heat_pump.id, second - 100));
  const answers = await Promise.all(Array.from({ length: 6 }, () => home.send(rows)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(answers.reduce((sum, { body }) => sum + body.stored, 0)).toBe(200);
  expect(await home.count()).toBe(200);
});
