import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabaseProxy } from '../faults/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { metric, ONE_AT_A_TIME } from '../snapshots/held-rows.ts';
import { instant, type SnapshotApi, startSnapshotApi } from '../snapshots/snapshot-api.ts';

/*
 * A node of Citus that refuses a row of a COPY is reported by the coordinator without its code, as an internal error. Both
 * texts get the same length, so that they can be changed on the wire.
 */

let database: TestDatabase;
let service: SnapshotApi;
const open: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.appUrl, { rewritten: asCoordinator });
  open.push(proxy.close);
  service = await startSnapshotApi(ONE_AT_A_TIME, { ...database, appUrl: proxy.url });
});
afterAll(async () => {
  await service?.close();
  for (const close of open) await close();
  await database?.drop();
});

function asCoordinator(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (!text.includes('C23505\0')) return bytes;
  const changed = text
    .replaceAll('C23505\0', 'CXX000\0')
    .replaceAll(/L(\d+)\0R_bt_check_unique\0/g, 'L0$1\0RReportCopyError\0');
  return Buffer.from(changed, 'latin1');
}

test('a batch whose rows a node refused is compared with what is stored', async () => {
  const home = await service.addHousehold();
  const row = (second: number, power_kw = 1) => ({
    asset: home.assets.household_net.id,
    timestamp: instant(second),
    power_kw,
  });
  expect((await home.send([row(1), row(2)])).body).toMatchObject({ stored: 2, duplicates: 0 });
  expect((await home.send([row(1), row(2)])).body).toMatchObject({ stored: 0, duplicates: 2 });
  expect((await home.send([row(1), row(3)])).body).toMatchObject({ stored: 1, duplicates: 1 });
  expect((await home.send([row(4), row(1, 5)])).status).toBe(400);
  expect(await home.count()).toBe(3);
  expect(await metric(service, 'snapshot_fallbacks_total')).toBe(3);
});
