import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { untilWaiting } from '../telemetry/snapshots/held-rows.ts';
import {
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from '../telemetry/snapshots/snapshot-api.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: SnapshotApi;
let home: SnapshotHousehold;

beforeEach(() => begin());
afterEach(() => end());

async function begin(environment: Record<string, string> = {}): Promise<void> {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.appUrl);
  service = await startSnapshotApi(environment, { ...database, appUrl: proxy.url });
  home = await service.addHousehold();
  expect((await home.send(rows(10_000, 5))).status).toBe(200);
}

async function end(): Promise<void> {
  proxy?.heal();
  await service?.close();
  await proxy?.close();
  await database?.drop();
}

function rows(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    asset: home.assets.household_net.id,
    timestamp: instant(-from - index),
    power_kw: index,
  }));
}

const batch = () => rows(0, 100);
const STORED_BEFORE = 5;

describe('F34 the connection breaks at COMMIT', () => {
  test('after the server has committed: the batch is answered as stored, its rows as found', async () => {
    proxy.fault = 'lose-answer-of-commit';
    const answer = await home.send(batch());
    expect(proxy.strikes).toBe(1);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ total: 100, stored: 0, duplicates: 100 });
    expect(await home.count()).toBe(STORED_BEFORE + 100);
  });

  test('before the server has heard of it: the batch is written once more', async () => {
    proxy.fault = 'lose-commit';
    const answer = await home.send(batch());
    expect(proxy.strikes).toBe(1);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ total: 100, stored: 100, duplicates: 0 });
    expect(await home.count()).toBe(STORED_BEFORE + 100);
  });

  test.each(['lose-answer-of-commit', 'lose-commit'] as const)(
    'and no other is to be had (%s): 503 says that the outcome is unknown, the same body again succeeds',
    async (fault) => {
      proxy.refusesAfterFault = true;
      proxy.fault = fault;
      const answer = await home.send(batch());
      expect(answer.status).toBe(503);
      expect(answer.body.message).toContain('outcome of the commit is unknown');
      expect(answer.body.message).toContain('send the same body again');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
      expect(await home.count()).toBe(STORED_BEFORE + (fault === 'lose-commit' ? 0 : 100));
      proxy.heal();
      const again = await home.send(batch());
      expect(again.status).toBe(200);
      expect(again.body.stored + again.body.duplicates).toBe(100);
      expect(await home.count()).toBe(STORED_BEFORE + 100);
    },
  );

  test('of a group: every batch of it is answered, and all of them are stored', async () => {
    const batches = Array.from({ length: 12 }, (_, index) => rows(index * 100, 100));
    proxy.fault = 'lose-answer-of-commit';
    const answers = await Promise.all(batches.map((batch) => home.send(batch)));
    expect(proxy.strikes).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual(batches.map(() => 200));
    expect(await home.count()).toBe(STORED_BEFORE + 1200);
  });

  test('with groups behind it on the same connection: they are written on another one', async () => {
    await end();
    /* Each batch is a group of its own. */
    await begin({ INGEST_GROUP_ROWS_MAX: '100' });
    const batches = Array.from({ length: 12 }, (_, index) => rows(index * 100, 100));
    proxy.fault = 'lose-answer-of-commit';
    const answers = await Promise.all(batches.map((batch) => home.send(batch)));
    expect(proxy.strikes).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual(batches.map(() => 200));
    expect(await home.count()).toBe(STORED_BEFORE + 1200);
  });
});

describe('the database ends connections', () => {
  const terminate = (condition: string) =>
    service.admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename = 'voltstream_app' AND ${condition}`,
    );

  test('F04 while they are idle, also inside a transaction: nothing crashes and the next request is served', async () => {
    const waiting = service.api.deps.database.inOrganization(
      { organization: service.organization },
      async () => {
        await terminate("state = 'idle in transaction'");
        await terminate('true');
        return 'done';
      },
    );
    await expect(waiting).rejects.toThrow();
    /* Whoever asks before the end of a connection has arrived hears 503. What is written behind answers takes new ones. */
    const { pool } = service.api.deps.database;
    const open = pool.totalCount;
    let closed = 0;
    pool.on('remove', () => {
      closed += 1;
    });
    await terminate('true');
    await expect.poll(() => closed).toBeGreaterThanOrEqual(open);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => home.send(rows(index * 10, 10))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });

  test('F05 in the middle of a COPY: 503, nothing stored, nothing crashes', async () => {
    const holder = await service.admin.connect();
    await holder.query('BEGIN');
    await holder.query('INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 1)', [
      home.assets.household_net.key,
      instant(-50),
    ]);
    const sending = home.send(batch());
    await untilWaiting(service, 1);
    let ended = 0;
    while (ended === 0) ended = (await terminate("state = 'active'")).rowCount ?? 0;
    const answer = await sending;
    await holder.query('ROLLBACK');
    holder.release();
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect(await home.count()).toBe(STORED_BEFORE);
    expect((await home.send(batch())).body).toMatchObject({ stored: 100 });
  });
});

test('F06 the network swallows everything: 503 in the end, and it serves again when the network is back', async () => {
  proxy.fault = 'black-hole';
  const started = performance.now();
  const answers = await Promise.all([home.send(batch()), home.send(rows(200, 10))]);
  const seconds = (performance.now() - started) / 1000;
  expect(answers.map((answer) => answer.status)).toEqual([503, 503]);
  /* 20 s, and what a busy machine adds; without limits it would be minutes. */
  expect(seconds).toBeLessThan(45);
  expect(await home.count()).toBe(STORED_BEFORE);
  proxy.heal();
  expect((await home.send(batch())).body).toMatchObject({ stored: 100 });
});
