import { afterEach, expect, test } from 'vitest';
import { startDatabaseProxy } from '../faults/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { holdRow, metric, ONE_AT_A_TIME, untilWaiting } from '../telemetry/snapshots/held-rows.ts';
import {
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from '../telemetry/snapshots/snapshot-api.ts';
import { startStandIn } from './stand-in.ts';

/*
 * A node of Citus that refuses a row of a COPY is reported by the coordinator without its code, as an internal error. Both
 * texts get the same length, so that they can be changed on the wire.
 */

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.toReversed()) await end();
  close = [];
});

async function serviceBehindCoordinator(database: TestDatabase): Promise<SnapshotApi> {
  const proxy = await startDatabaseProxy(database.appUrl, { rewritten: asCoordinator });
  close.push(proxy.close);
  const service = await startSnapshotApi(ONE_AT_A_TIME, { ...database, appUrl: proxy.url });
  close.push(() => service.close());
  return service;
}

function asCoordinator(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  if (!text.includes('C23505\0')) return bytes;
  const changed = text
    .replaceAll('C23505\0', 'CXX000\0')
    .replaceAll(/L(\d+)\0R_bt_check_unique\0/g, 'L0$1\0RReportCopyError\0');
  return Buffer.from(changed, 'latin1');
}

const rowOf = (home: SnapshotHousehold, second: number, power_kw = 1) => ({
  asset: home.assets.household_net.id,
  timestamp: instant(second),
  power_kw,
});

test('a batch whose rows a node refused is compared with what is stored', async () => {
  const database = await createTestDatabase();
  close.push(() => database.drop());
  const service = await serviceBehindCoordinator(database);
  const home = await service.addHousehold();
  const row = (second: number, power_kw = 1) => rowOf(home, second, power_kw);
  expect((await home.send([row(1), row(2)])).body).toMatchObject({ stored: 2, duplicates: 0 });
  /* None begins with a row that was stored a moment ago: each goes into a COPY first. */
  expect((await home.send([row(0), row(1), row(2)])).body).toMatchObject({ stored: 1, duplicates: 2 });
  expect((await home.send([row(-1), row(1), row(3)])).body).toMatchObject({ stored: 2, duplicates: 1 });
  expect((await home.send([row(-2), row(1, 5)])).status).toBe(400);
  expect(await home.count()).toBe(5);
  expect(await metric(service, 'snapshot_fallbacks_total')).toBe(3);
});

/* On the SQL for Citus. */
test('a row that somebody stores between the look and the COPY is looked for once more', async ({ skip }) => {
  const standIn = await startStandIn();
  if (standIn === null) return skip();
  close.push(standIn.stop);
  const service = await serviceBehindCoordinator(await standIn.createDatabase('errors'));
  const home = await service.addHousehold();
  await home.send([rowOf(home, 1)]);
  const held = await holdRow(service, home, 2);
  const answer = home.send([rowOf(home, 1), rowOf(home, 2), rowOf(home, 3)]);
  await Promise.race([untilWaiting(service, 1), answer]);
  await held.letGo('COMMIT');
  expect(await answer).toMatchObject({ status: 200, body: { stored: 1, duplicates: 2 } });
  expect(await metric(service, 'snapshot_retries_total')).toBe(1);
  expect(await home.count()).toBe(3);
});
