import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BatchAnswer,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';

/* In a process of its own, as all long files: it measures the memory of that. */

let service: SnapshotApi;
let home: SnapshotHousehold;

beforeAll(async () => {
  service = await startSnapshotApi({});
  home = await service.addHousehold();
});
afterAll(() => service?.close());

test('P4 memory stays flat over bodies that are bad from end to end', async () => {
  const snapshots = Array.from({ length: 10_000 }, (_, index) => ({
    asset: home.assets.household_net.id,
    timestamp: instant(index),
    power_kw: 1,
    soc: 1,
  }));
  const body = JSON.stringify({ household: home.household, snapshots });
  const heapAfter = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1)
      await service.client.post<BatchAnswer>('/asset-snapshots', body);
    return process.memoryUsage().rss;
  };
  const warm = await heapAfter(15);
  const end = await heapAfter(50);
  expect((end - warm) / 1024 ** 2).toBeLessThan(150);
});
