import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engine, testOnlyOn } from '../../setup/engine.ts';
import {
  attempts,
  endOnInsert,
  holdRow,
  metric,
  ONE_AT_A_TIME,
  onInsert,
  untilBatchesWait,
  untilWaiting,
} from './held-rows.ts';
import { instant, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

let service: SnapshotApi;
let home: SnapshotHousehold;

/** For the tests that neither need other limits nor end it. */
let shared: SnapshotApi;

beforeAll(async () => {
  shared = await startSnapshotApi(ONE_AT_A_TIME);
});
afterAll(() => shared?.close());

async function use(started: SnapshotApi): Promise<void> {
  service = started;
  home = await service.addHousehold();
}
afterEach(async () => {
  if (service === shared) await endOnInsert(service);
  else await service.close();
});

function row(second: number, power_kw = second, asset = home.assets.household_net.id) {
  return { asset, timestamp: instant(second), power_kw };
}

function rows(from: number, count: number) {
  return Array.from({ length: count }, (_, index) => row(from + index));
}

const counted = async () => ({
  fallbacks: await metric(service, 'snapshot_fallbacks_total'),
  retries: await metric(service, 'snapshot_retries_total'),
});

/*
 * Citus passes on what a node says against a row of a COPY without its code. So after a group it may always be a row that is
 * stored already: the batch is compared and written alone, and that is what is repeated.
 */
const IS_CODE_LOST = engine === 'citus';

describe('a transaction that fails', () => {
  test.each([
    ['40001', 'serialization_failure'],
    ['40P01', 'deadlock_detected'],
  ])('F14 %s is repeated', async (_code, condition) => {
    await use(shared);
    expect((await home.send([row(0)])).status).toBe(200);
    const before = await counted();
    await onInsert(service, `IF nextval('attempts') < 4 THEN RAISE ${condition}; END IF;`);
    expect((await home.send([row(1)])).status).toBe(200);
    expect(await attempts(service)).toBe(4);
    const after = await counted();
    expect(after.fallbacks - before.fallbacks).toBe(IS_CODE_LOST ? 1 : 0);
    expect(after.retries - before.retries).toBe(IS_CODE_LOST ? 2 : 3);
    expect(await home.count()).toBe(2);
  });

  test.each([
    ['F14 after three repetitions', 'deadlock_detected', 4],
    ['F07 because the disk of the database is full', 'disk_full', 1],
    ['that would unpack too much of the columnstore (53400)', 'configuration_limit_exceeded', 1],
  ])('%s is answered with 503, and nothing is stored', async (_title, condition, times) => {
    await use(shared);
    await onInsert(service, `PERFORM nextval('attempts'); RAISE ${condition};`);
    const answer = await home.send([row(1)]);
    expect(answer).toMatchObject({ status: 503, body: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect([await attempts(service), await home.count()]).toEqual([IS_CODE_LOST ? 5 : times, 0]);
  });

  test('F14 a race for a row beside stored ones is repeated as well', async () => {
    await use(shared);
    await home.send([row(1)]);
    const before = await counted();
    await onInsert(service, `IF nextval('attempts') = 1 THEN RAISE unique_violation; END IF;`);
    expect((await home.send([row(1), row(2)])).body).toMatchObject({ stored: 1, duplicates: 1 });
    expect((await counted()).retries - before.retries).toBe(1);
  });

  testOnlyOn('timescaledb', 'Citus counts rows of a COPY as they were sent: docs/scale-out.md, limits')(
    'with a row that disappears is rolled back: all or nothing',
    async () => {
      await use(shared);
      await onInsert(service, 'IF NEW.power_kw = 666 THEN RETURN NULL; END IF;');
      const answer = await home.send([row(1), row(2, 666), row(3)]);
      expect(answer.status).toBe(503);
      expect(await home.count()).toBe(0);
      expect(await metric(service, 'snapshot_row_count_mismatches_total')).toBe(1);
      /* Beside stored rows too. */
      expect((await home.send([row(1)])).status).toBe(200);
      expect((await home.send([row(1), row(2, 666), row(3)])).status).toBe(503);
      expect(await home.count()).toBe(1);
    },
  );

  test('F09 without a free connection the answer is 503 after a bounded wait, and then all is well again', async () => {
    await use(
      await startSnapshotApi({ DATABASE_CONNECTIONS_MAX: '2', DATABASE_WAIT_MILLISECONDS_MAX: '500' }),
    );
    await home.send([row(0)]);
    const { database } = service.api.deps;
    let isOver = false;
    const hold = async () => {
      while (!isOver)
        await database.withClient((client) => client.query('SELECT pg_sleep(100)')).catch(() => {});
    };
    const slow = [hold(), hold()];
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                        AND query LIKE '%pg_sleep(100)' AND wait_event = 'PgSleep'`;
    await expect.poll(async () => (await service.admin.query(sleeping)).rowCount).toBe(2);
    const started = performance.now();
    const answers = await Promise.all([home.send([row(1)]), home.send([row(2)])]);
    const seconds = (performance.now() - started) / 1000;
    expect(answers.map((answer) => answer.status)).toEqual([503, 503]);
    expect(seconds).toBeGreaterThan(0.45);
    expect(seconds).toBeLessThan(50);
    isOver = true;
    await service.admin.query(`SELECT pg_cancel_backend(pid) FROM (${sleeping}) AS held`);
    await Promise.all(slow);
    expect((await home.send([row(1)])).status).toBe(200);
  });
});

describe('whoever leaves', () => {
  test('F24 while the batch waits writes nothing; while it is written it is stored entirely or not at all', async () => {
    await use(shared);
    const held = await holdRow(service, home, 0);
    const leaving = new AbortController();
    const post = (snapshots: unknown[]) =>
      service.client
        .post('/asset-snapshots', { household: home.household, snapshots }, { signal: leaving.signal })
        .catch(() => null);
    const first = post([row(0), ...rows(1, 9)]);
    await untilWaiting(service, 1);
    const second = post(rows(100, 10));
    await untilBatchesWait(service, 1);
    leaving.abort();
    expect(await Promise.all([first, second])).toEqual([null, null]);
    const third = home.send(rows(200, 10));
    await untilBatchesWait(service, 2);
    await held.letGo();
    expect((await third).status).toBe(200);
    const { rows: found } = await service.admin.query<{ timestamp: Date }>(
      'SELECT timestamp FROM asset_snapshots WHERE asset_id = $3 AND timestamp >= $1 AND timestamp < $2',
      [instant(100), instant(200), home.assets.household_net.key],
    );
    expect(found).toEqual([]);
    expect([10, 20]).toContain(await home.count());
  });

  testOnlyOn('timescaledb', 'the rows of a group wait on several nodes')(
    'while a group waits writes nothing when its batches are written one by one behind it',
    async () => {
      await use(shared);
      await onInsert(
        service,
        `IF NEW.timestamp >= '${instant(100)}' AND nextval('attempts') = 1 THEN
           PERFORM pg_advisory_xact_lock(77);
           RAISE lock_not_available;
         END IF;`,
      );
      const gate = await service.admin.connect();
      await gate.query('SELECT pg_advisory_lock(77)');
      const held = await holdRow(service, home, 0);
      const first = home.send([row(0)]);
      await untilWaiting(service, 1);
      const leaving = new AbortController();
      const [gone, stays] = [rows(100, 10), rows(200, 10)];
      const left = service.client
        .post('/asset-snapshots', { household: home.household, snapshots: gone }, { signal: leaving.signal })
        .catch(() => null);
      await untilBatchesWait(service, 1);
      const stayed = home.send(stays);
      await untilBatchesWait(service, 2);
      await held.letGo();
      expect((await first).status).toBe(200);
      await untilWaiting(service, 1);
      leaving.abort();
      expect(await left).toBeNull();
      await expect.poll(() => service.client.get('/households')).toMatchObject({ status: 200 });
      await gate.query('SELECT pg_advisory_unlock(77)');
      gate.release();
      expect((await stayed).status).toBe(200);
      expect(await home.count()).toBe(1 + stays.length);
    },
  );

  test('closing waits for what is under way', async () => {
    await use(await startSnapshotApi(ONE_AT_A_TIME));
    const held = await holdRow(service, home, 0);
    const writing = home.send(rows(0, 5));
    await untilWaiting(service, 1);
    const closing = service.api.app.close().then(() => service.api.deps.close());
    await held.letGo();
    expect((await writing).status).toBe(200);
    await closing;
    expect(await home.count()).toBe(5);
    service = { ...service, close: () => service.api.database.drop() };
  });
});
