import { afterAll, describe, expect, test } from 'vitest';
import { runs } from '../../setup/tier.ts';
import {
  endOnInsert,
  holdRow,
  metric,
  ONE_AT_A_TIME,
  onInsert,
  untilBatchesWait,
  untilWaiting,
} from './held-rows.ts';
import { instant, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/** How often what happens at once is tried. */
const ROUNDS = runs(1);

/** Each batch has a transaction of its own, and four are under way. */
const ONE_BATCH_EACH = { INGEST_GROUP_ROWS_MAX: '1', INGEST_SMALL_GROUPS_MAX: '4' };

let service: SnapshotApi;
let home: SnapshotHousehold;
/** One for each environment: it costs more than most of these tests. */
const services = new Map<string, SnapshotApi>();

async function start(environment: Record<string, string> = ONE_AT_A_TIME): Promise<void> {
  const name = JSON.stringify(environment);
  service = services.get(name) ?? (await startSnapshotApi(environment));
  services.set(name, service);
  home = await service.addHousehold();
}
afterAll(async () => {
  for (const each of services.values()) await each.close();
});

function row(second: number, power_kw = second, asset = home.assets.household_net.id) {
  return { asset, timestamp: instant(second), power_kw };
}

function rows(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => row(from + index));
}

describe('batches in one group', () => {
  test('that wait at the same moment are written in one transaction', async () => {
    await start();
    const held = await holdRow(service, home, 0);
    const first = home.send([row(0)]);
    await untilWaiting(service, 1);
    const others = Array.from({ length: 20 }, (_, index) => home.send(rows(100 + index * 10, 10)));
    await untilBatchesWait(service, 20);
    const before = await metric(service, 'snapshot_groups_total');
    await held.letGo();
    for (const answer of await Promise.all([first, ...others])) expect(answer.status).toBe(200);
    expect((await metric(service, 'snapshot_groups_total')) - before).toBe(1);
    expect(await home.count()).toBe(201);
    const { rows: found } = await service.admin.query(
      'SELECT DISTINCT created_at FROM asset_snapshots WHERE asset_id = $1',
      [home.assets.household_net.key],
    );
    expect(found).toHaveLength(2);
  });

  test('F33 a conflict of one and a lost connection of another spoil neither the 30 others nor each other', async () => {
    await start();
    await onInsert(
      service,
      'IF NEW.power_kw = 666 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;',
    );
    expect((await home.send([row(5000, 1)])).status).toBe(200);
    const held = await holdRow(service, home, 0);
    const first = home.send([row(0)]);
    await untilWaiting(service, 1);
    const good = Array.from({ length: 30 }, (_, index) => home.send(rows(100 + index * 10, 10)));
    /* Does not begin with a row that was stored a moment ago: it joins the group. */
    const conflicting = home.send([row(4999), row(5000, 2)]);
    const breaking = home.send([row(6000), row(6001, 666), row(6002)]);
    await untilBatchesWait(service, 32);
    await held.letGo();
    expect((await first).status).toBe(200);
    for (const answer of await Promise.all(good)) {
      expect(answer.body).toMatchObject({ stored: 10, duplicates: 0 });
    }
    expect((await conflicting).body.errors).toMatchObject([{ field: 'snapshots.1.power_kw' }]);
    const broken = await breaking;
    expect(broken.status).toBe(503);
    expect(Number(broken.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await home.count()).toBe(1 + 1 + 300);
    expect((await home.send([row(7000)])).status).toBe(200);
    await endOnInsert(service);
  });

  test('that hold the same rows are written one after the other', async () => {
    await start();
    const held = await holdRow(service, home, 0);
    const first = home.send([row(0)]);
    await untilWaiting(service, 1);
    const same = Array.from({ length: 4 }, () => home.send(rows(100, 50)));
    const other = home.send([row(120, 1)]);
    await untilBatchesWait(service, 5);
    await held.letGo();
    await first;
    const stored = (await Promise.all(same)).map(({ body }) => body.stored);
    expect(stored.toSorted()).toEqual([0, 0, 0, 50]);
    expect((await other).status).toBe(400);
    expect(await home.count()).toBe(51);
  });

  test('a large one follows small ones on the only connection, and small ones follow it', async () => {
    await start({ DATABASE_CONNECTIONS_MAX: '1' });
    const some = (from: number, count: number) => rows(from, count).map((row) => ({ ...row, power_kw: 1 }));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const from = -7_000 * round;
      const small = Array.from({ length: 12 }, (_, index) => home.send(some(from + 6_000 + index * 10, 10)));
      const large = [home.send(some(from, 6_000)), home.send(some(from, 6_000))];
      const answers = await Promise.all([...small, ...large]);
      expect(answers.map(({ status }) => status)).toEqual(Array(14).fill(200));
    }
    expect(await home.count()).toBe(ROUNDS * 6_120);
  });

  test('a batch that is held up holds up no other', async () => {
    await start({});
    /* The chunk must be there: a new one belongs to the transaction that makes it. */
    await home.send([row(-1)]);
    const held = await holdRow(service, home, 0);
    const first = home.send([row(0)]);
    await untilWaiting(service, 1);
    expect((await home.send([row(1)])).status).toBe(200);
    expect((await home.send([row(2)])).status).toBe(200);
    await held.letGo();
    expect((await first).status).toBe(200);
  });

  test('a group has one batch in any case: none fits beside it where groups have one row', async () => {
    await start(ONE_BATCH_EACH);
    await home.send([row(0)]);
    const before = await metric(service, 'snapshot_groups_total');
    await Promise.all(Array.from({ length: 12 }, (_, index) => home.send([row(10 + index)])));
    expect((await metric(service, 'snapshot_groups_total')) - before).toBe(12);
  });
});

describe('batches in parallel', () => {
  test('F13 five copies of one batch are all answered with 200 and stored once', async () => {
    await start({});
    for (let round = 0; round < ROUNDS; round += 1) {
      const batch = rows(round * 1000, 500);
      const answers = await Promise.all(Array.from({ length: 5 }, () => home.send(batch)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
      expect(answers.reduce((sum, { body }) => sum + body.stored, 0)).toBe(500);
      expect(answers.every(({ body }) => body.stored + body.duplicates === 500)).toBe(true);
    }
    expect(await home.count()).toBe(500 * ROUNDS);
  });

  test('the same rows in another order each time wait for each other without a deadlock', async () => {
    await start(ONE_BATCH_EACH);
    const names = Object.values(home.assets).filter((asset) => asset.type !== 'solar');
    const batch = names.flatMap((asset) => Array.from({ length: 60 }, (_, index) => row(index, 1, asset.id)));
    /* The chunk exists: into a new one even unsorted batches do not meet. */
    await home.send([row(-1)]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const shifted = batch.map((row) => ({ ...row, timestamp: row.timestamp.replace('T06', `T0${round}`) }));
      const orders = Array.from({ length: 12 }, (_, index) => [
        ...shifted.slice(index * 29),
        ...shifted.slice(0, index * 29).reverse(),
      ]);
      const answers = await Promise.all(orders.map((order) => home.send(order)));
      expect(answers.map((answer) => answer.status)).toEqual(orders.map(() => 200));
    }
    const { rows: found } = await service.admin.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(found).toEqual([{ deadlocks: '0' }]);
    expect(await home.count()).toBe(1 + ROUNDS * batch.length);
  });

  test('F11 one connection is enough for everything', async () => {
    await start({ DATABASE_CONNECTIONS_MAX: '1' });
    /* Before the row that contradicts it: of two that arrive together either may be the first. */
    expect((await home.send(rows(0, 10))).status).toBe(200);
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => home.send(rows(index * 10, 10))),
      ...Array.from({ length: 5 }, () => home.send(rows(0, 10))),
      home.send([row(3, 1)]),
      service.client.get(`/asset-snapshots?filter[household][eq]=${home.household}`),
    ]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([...Array(16).fill(200), 400]);
    expect(await home.count()).toBe(100);
  });
});
