import { afterEach, expect, test } from 'vitest';
import { onInsert, untilBatchesWait } from './held-rows.ts';
import { instant, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/* Batches that wait for seconds because the database is slow: one group at a time, and rows that take long to be written. */

const SLOW = 777;

let service: SnapshotApi;
let home: SnapshotHousehold;

async function start(environment: Record<string, string>, seconds: number): Promise<void> {
  service = await startSnapshotApi({ INGEST_GROUPS_MAX: '1', ...environment });
  home = await service.addHousehold();
  await onInsert(service, `IF NEW.power_kw = ${SLOW} THEN PERFORM pg_sleep(${seconds}); END IF;`);
}
afterEach(() => service.close());

function row(second: number, power_kw = second) {
  return { asset: home.assets.household_net.id, timestamp: instant(second), power_kw };
}

async function untilWritten(): Promise<void> {
  const sleeping =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
  await expect.poll(async () => (await service.admin.query(sleeping)).rowCount).toBe(1);
}

test('a batch whose sender was told that it took too long is not written any more', async () => {
  /* One such row is in time, a second behind it is not: a request has 20 s. */
  await start({ INGEST_GROUP_ROWS_MAX: '1' }, 14);
  const first = home.send([row(0, SLOW)]);
  await untilWritten();
  const second = home.send([row(1, SLOW)]);
  await untilBatchesWait(service, 1);
  const late = home.send([row(2)]);
  await untilBatchesWait(service, 2);
  expect((await first).status).toBe(200);
  expect((await late).status).toBe(503);
  const next = home.send([row(3)]);
  expect((await second).status).toBe(503);
  expect((await next).body).toMatchObject({ stored: 1 });
  /* The second was being written when its sender was told. */
  expect(await home.count()).toBe(3);
});

test('a batch that can be tried no more does not take others of its group along', async () => {
  await start({ INGEST_GROUP_ROWS_MAX: '12' }, 6);
  await home.send([row(0), row(500), row(510), row(520)]);
  const slow = home.send([row(600, SLOW), ...Array.from({ length: 11 }, (_, index) => row(601 + index))]);
  await untilWritten();
  const old = home.send([row(0), row(1)]);
  await untilBatchesWait(service, 1);
  const others = [500, 510, 520].map((stored) => home.send([row(stored - 1), row(stored)]));
  await untilBatchesWait(service, 4);
  expect((await slow).status).toBe(200);
  for (const answer of await Promise.all(others)) {
    expect(answer).toMatchObject({ status: 200, body: { stored: 1, duplicates: 1 } });
  }
  expect((await old).status).toBe(503);
  expect(await home.count()).toBe(4 + 12 + 3);
});
