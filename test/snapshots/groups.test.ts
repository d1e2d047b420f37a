import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { instant, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

let service: SnapshotApi;
let home: SnapshotHousehold;

/** One group at a time: what is sent while it is held up joins the next one. */
const ONE_AT_A_TIME = { INGEST_GROUPS_MAX: '1' };

async function start(environment: Record<string, string> = ONE_AT_A_TIME): Promise<void> {
  service = await startSnapshotApi(environment);
  home = await service.addHousehold();
}
afterEach(() => service?.close());

function row(second: number, power_kw = second, asset = home.assets.household_net.id) {
  return { asset, timestamp: instant(second), power_kw };
}

function rows(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => row(from + index));
}

/** Holds up every writer of this row, as a transaction of another process would, until it is let go. */
async function holdRow(second: number, key = home.assets.household_net.key) {
  const holder = new pg.Client({ connectionString: service.api.database.adminUrl });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 1)', [
    key,
    instant(second),
  ]);
  return {
    letGo: async (command: 'ROLLBACK' | 'COMMIT' = 'ROLLBACK') => {
      await holder.query(command);
      await holder.end();
    },
  };
}

/** Until the number of sessions of the service that wait for a lock is reached. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { rows: found } = await service.admin.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (Number(found[0]?.count) >= count) return;
  }
}

async function metric(name: string): Promise<number> {
  const text = await service.api.deps.metrics.text();
  return Number(new RegExp(`^voltstream_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function untilBatchesWait(count: number): Promise<void> {
  while ((await metric('snapshot_batches_waiting')) < count) await new Promise(setImmediate);
}

/** A row trigger: what the database does with a row, as a defect or another program could. */
async function onInsert(body: string): Promise<void> {
  await service.admin.query(`
    CREATE SEQUENCE attempts;
    GRANT USAGE ON SEQUENCE attempts TO PUBLIC;
    CREATE FUNCTION misbehave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NEW; END $$;
    CREATE TRIGGER misbehave BEFORE INSERT ON asset_snapshots FOR EACH ROW EXECUTE FUNCTION misbehave();
    GRANT EXECUTE ON FUNCTION misbehave TO PUBLIC`);
}

async function attempts(): Promise<number> {
  const { rows: found } = await service.admin.query<{ last_value: string }>(
    'SELECT last_value FROM attempts',
  );
  return Number(found[0]?.last_value);
}

describe('batches in one group', () => {
  test('that wait at the same moment are written in one transaction', async () => {
    await start();
    const held = await holdRow(0);
    const first = home.send([row(0)]);
    await untilWaiting(1);
    const others = Array.from({ length: 20 }, (_, index) => home.send(rows(100 + index * 10, 10)));
    await untilBatchesWait(20);
    const before = await metric('snapshot_groups_total');
    await held.letGo();
    for (const answer of await Promise.all([first, ...others])) expect(answer.status).toBe(200);
    expect((await metric('snapshot_groups_total')) - before).toBe(1);
    expect(await home.count()).toBe(201);
    const { rows: found } = await service.admin.query('SELECT DISTINCT created_at FROM asset_snapshots');
    expect(found).toHaveLength(2);
  });

  test('F33 a conflict of one and a lost connection of another spoil neither the 30 others nor each other', async () => {
    await start();
    await onInsert('IF NEW.power_kw = 666 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;');
    expect((await home.send([row(5000, 1)])).status).toBe(200);
    const held = await holdRow(0);
    const first = home.send([row(0)]);
    await untilWaiting(1);
    const good = Array.from({ length: 30 }, (_, index) => home.send(rows(100 + index * 10, 10)));
    const conflicting = home.send([row(5001), row(5000, 2)]);
    const breaking = home.send([row(6000), row(6001, 666), row(6002)]);
    await untilBatchesWait(32);
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
  });

  test('that hold the same rows are written one after the other', async () => {
    await start();
    const held = await holdRow(0);
    const first = home.send([row(0)]);
    await untilWaiting(1);
    const same = Array.from({ length: 4 }, () => home.send(rows(100, 50)));
    const other = home.send([row(120, 1)]);
    await untilBatchesWait(5);
    await held.letGo();
    await first;
    const stored = (await Promise.all(same)).map(({ body }) => body.stored);
    expect(stored.toSorted()).toEqual([0, 0, 0, 50]);
    expect((await other).status).toBe(400);
    expect(await home.count()).toBe(51);
  });

  test('with group commit switched off each request has its own transaction', async () => {
    await start({ INGEST_GROUP_COMMIT: 'false' });
    await home.send([row(0)]);
    const before = await metric('snapshot_groups_total');
    await Promise.all(Array.from({ length: 12 }, (_, index) => home.send([row(10 + index)])));
    expect((await metric('snapshot_groups_total')) - before).toBe(12);
  });
});

describe('batches in parallel', () => {
  test('F13 five copies of one batch are all answered with 200 and stored once', async () => {
    await start({});
    for (let round = 0; round < 10; round += 1) {
      const batch = rows(round * 1000, 500);
      const answers = await Promise.all(Array.from({ length: 5 }, () => home.send(batch)));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
      expect(answers.reduce((sum, { body }) => sum + body.stored, 0)).toBe(500);
      expect(answers.every(({ body }) => body.stored + body.duplicates === 500)).toBe(true);
    }
    expect(await home.count()).toBe(5000);
  });

  test('the same rows in another order each time wait for each other without a deadlock', async () => {
    await start({ INGEST_GROUP_COMMIT: 'false' });
    const names = Object.values(home.assets).filter((asset) => asset.type !== 'solar');
    const batch = names.flatMap((asset) => Array.from({ length: 60 }, (_, index) => row(index, 1, asset.id)));
    /* The chunk exists: into a new one even unsorted batches do not meet. */
    await home.send([row(-1)]);
    for (let round = 0; round < 5; round += 1) {
      const shifted = batch.map((one) => ({ ...one, timestamp: one.timestamp.replace('T06', `T0${round}`) }));
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
    expect(await home.count()).toBe(1 + 5 * batch.length);
  });

  test('F11 one connection is enough for everything', async () => {
    await start({ DATABASE_CONNECTIONS_MAX: '1' });
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

describe('a transaction that fails', () => {
  test.each([
    ['40001', 'serialization_failure'],
    ['40P01', 'deadlock_detected'],
  ])('F14 %s is repeated', async (_code, condition) => {
    await start();
    await onInsert(`IF nextval('attempts') < 4 THEN RAISE ${condition}; END IF;`);
    expect((await home.send([row(1)])).status).toBe(200);
    expect(await attempts()).toBe(4);
    expect(await metric('snapshot_retries_total')).toBe(3);
    expect(await home.count()).toBe(1);
  });

  test.each([
    ['F14 after three repetitions', 'deadlock_detected', 4],
    ['that would unpack too much of the columnstore (53400)', 'configuration_limit_exceeded', 1],
  ])('%s is answered with 503, and nothing is stored', async (_title, condition, times) => {
    await start();
    await onInsert(`PERFORM nextval('attempts'); RAISE ${condition};`);
    const answer = await home.send([row(1)]);
    expect(answer).toMatchObject({ status: 503, body: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect([await attempts(), await home.count()]).toEqual([times, 0]);
  });

  test('F14 a race for a row beside stored ones is repeated as well', async () => {
    await start();
    await home.send([row(1)]);
    await onInsert(`IF nextval('attempts') = 2 THEN RAISE unique_violation; END IF;`);
    expect((await home.send([row(1), row(2)])).body).toMatchObject({ stored: 1, duplicates: 1 });
    expect(await metric('snapshot_retries_total')).toBe(1);
  });

  test('with a row that disappears is rolled back: all or nothing', async () => {
    await start();
    await onInsert('IF NEW.power_kw = 666 THEN RETURN NULL; END IF;');
    const answer = await home.send([row(1), row(2, 666), row(3)]);
    expect(answer.status).toBe(503);
    expect(await home.count()).toBe(0);
    expect(await metric('snapshot_row_count_mismatches_total')).toBe(1);
    /* Beside stored rows too. */
    expect((await home.send([row(1)])).status).toBe(200);
    expect((await home.send([row(1), row(2, 666), row(3)])).status).toBe(503);
    expect(await home.count()).toBe(1);
  });

  test('F09 without a free connection the answer is 503 after two seconds, and then all is well again', async () => {
    await start({ DATABASE_CONNECTIONS_MAX: '2' });
    await home.send([row(0)]);
    const { database } = service.api.deps;
    const sleep = () => database.withClient((client) => client.query('SELECT pg_sleep(10)')).catch(() => {});
    const slow = [sleep(), sleep()];
    const started = performance.now();
    const answers = await Promise.all([home.send([row(1)]), home.send([row(2)])]);
    const seconds = (performance.now() - started) / 1000;
    expect(answers.map((answer) => answer.status)).toEqual([503, 503]);
    expect(seconds).toBeGreaterThan(1.9);
    expect(seconds).toBeLessThan(8);
    await service.admin.query(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(10)'",
    );
    await Promise.all(slow);
    expect((await home.send([row(1)])).status).toBe(200);
  });
});

describe('whoever leaves', () => {
  test('F24 while the batch waits writes nothing; while it is written it is stored entirely or not at all', async () => {
    await start();
    const held = await holdRow(0);
    const leaving = new AbortController();
    const post = (snapshots: unknown[]) =>
      service.client
        .post('/asset-snapshots', { household: home.household, snapshots }, { signal: leaving.signal })
        .catch(() => null);
    const first = post([row(0), ...rows(1, 9)]);
    await untilWaiting(1);
    const second = post(rows(100, 10));
    await untilBatchesWait(1);
    leaving.abort();
    expect(await Promise.all([first, second])).toEqual([null, null]);
    const third = home.send(rows(200, 10));
    await untilBatchesWait(2);
    await held.letGo();
    expect((await third).status).toBe(200);
    const { rows: found } = await service.admin.query<{ timestamp: Date }>(
      'SELECT timestamp FROM asset_snapshots WHERE timestamp >= $1 AND timestamp < $2',
      [instant(100), instant(200)],
    );
    expect(found).toEqual([]);
    expect([10, 20]).toContain(await home.count());
  });

  test('closing waits for what is under way', async () => {
    await start();
    const held = await holdRow(0);
    const writing = home.send(rows(0, 5));
    await untilWaiting(1);
    const closing = service.api.app.close().then(() => service.api.deps.close());
    await held.letGo();
    expect((await writing).status).toBe(200);
    await closing;
    expect(await home.count()).toBe(5);
    await service.admin.end();
    service = { ...service, close: () => service.api.database.drop() };
  });
});
