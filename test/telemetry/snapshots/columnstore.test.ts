import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine, testOnlyOn } from '../../setup/engine.ts';
import { NOW, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/*
 * TimescaleDB's Community edition keeps old chunks in its columnstore, the Apache edition has none, nor has Citus as the
 * service uses it. What the API promises is the same: each test runs on whichever the server is, converts chunks where
 * that is possible, and expects the same answers.
 */

let database: TestDatabase;
let service: SnapshotApi;
let hasColumnstore: boolean;

const asOwner = <Result>(work: (owner: pg.Client) => Promise<Result>) =>
  withDatabaseClient(database.ownerUrl, work);

beforeAll(async () => {
  database = await createTestDatabase();
  hasColumnstore = engine === 'timescaledb' && (await limitUnpacking()) === 'timescale';
  service = await startSnapshotApi({}, database);
});

/** Gives the edition. */
async function limitUnpacking(): Promise<string | undefined> {
  const { rows } = await withDatabaseClient(database.adminUrl, async (admin) => {
    // Beyond so many unpacked rows a statement fails with 53400. One: nothing that the service does needs any.
    await admin.query(
      `ALTER DATABASE ${database.name} SET timescaledb.max_tuples_decompressed_per_dml_transaction = 1`,
    );
    return admin.query<{ license: string }>("SELECT current_setting('timescaledb.license') AS license");
  });
  return rows[0]?.license;
}

afterAll(async () => {
  await service?.close();
  await database?.drop();
});

/** What the policy does with old chunks; also with those that were written to since. */
async function convertChunks(): Promise<void> {
  if (!hasColumnstore) return;
  await asOwner(async (owner) => {
    const { rows } = await owner.query<{ chunk: string }>(
      "SELECT chunk::text FROM show_chunks('asset_snapshots') chunk",
    );
    for (const { chunk } of rows) {
      await owner.query(`CALL convert_to_columnstore('${chunk}', if_not_columnstore => true)`);
    }
  });
}

const CHUNKS = {
  timescaledb: `SELECT range_start AS "from", is_compressed AS is_converted
                  FROM timescaledb_information.chunks WHERE hypertable_name = 'asset_snapshots' ORDER BY 1`,
  citus: `SELECT range_start AS "from", false AS is_converted FROM list_week_partitions('asset_snapshots') ORDER BY 1`,
}[engine];

/** Instants of the chunks, oldest first, with where they lie. */
async function chunks(): Promise<{ from: Date; is_converted: boolean }[]> {
  const { rows } = await service.admin.query<{ from: Date; is_converted: boolean }>(CHUNKS);
  return rows;
}

const HOUR = 3600;

/** Whole seconds after the instant twelve months before the service's clock. */
const old = (seconds: number) =>
  new Date(Date.parse(NOW.replace('2026', '2025')) + seconds * 1000).toISOString();

/** Every second one from `from` on. */
function rowsOf(home: SnapshotHousehold, from: number, count: number, power_kw = 1) {
  const asset = home.assets.household_net.id;
  return Array.from({ length: count }, (_, index) => ({ asset, timestamp: old(from + 2 * index), power_kw }));
}

/** A household with rows at the even seconds from 0 on, in the columnstore where there is one. */
async function oldHousehold(count = 2_000): Promise<SnapshotHousehold> {
  const home = await service.addHousehold();
  expect((await home.send(rowsOf(home, 0, count))).body).toMatchObject({ stored: count });
  await convertChunks();
  for (const chunk of await chunks()) expect(chunk.is_converted).toBe(hasColumnstore);
  return home;
}

test('B112 rows of twelve months ago join those that are stored', async () => {
  const home = await oldHousehold();
  expect((await home.send(rowsOf(home, 1, 500))).body).toMatchObject({ stored: 500, duplicates: 0 });
  expect((await home.send(rowsOf(home, 4_000, 500))).body).toMatchObject({ stored: 500, duplicates: 0 });
  expect(await home.count()).toBe(3_000);
});

test('B112 the same old rows again are duplicates, alone and among new ones', async () => {
  const home = await oldHousehold();
  expect((await home.send(rowsOf(home, 0, 2_000))).body).toMatchObject({ stored: 0, duplicates: 2_000 });
  const mixed = await home.send([...rowsOf(home, 101, 500), ...rowsOf(home, 100, 500)]);
  expect(mixed.body).toMatchObject({ stored: 500, duplicates: 500 });
  expect(await home.count()).toBe(2_500);
});

test('B112 other values for old rows are refused with both, and nothing of their batch is stored', async () => {
  const home = await oldHousehold();
  const answer = await home.send([
    ...rowsOf(home, 1, 10),
    ...rowsOf(home, 100, 2, 7.5),
    ...rowsOf(home, 201, 9),
  ]);
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toEqual(
    [10, 11].map((position) => ({
      code: 'custom',
      field: `snapshots.${position}.power_kw`,
      message: '7.5 differs from 1 stored for the same asset and timestamp',
    })),
  );
  expect(await home.count()).toBe(2_000);
});

test('none of this unpacks stored rows, which a statement that must is refused here', async () => {
  const home = await oldHousehold(10);
  const update = service.admin.query('UPDATE asset_snapshots SET power_kw = 2 WHERE asset_id = $1', [
    home.assets.household_net.key,
  ]);
  if (hasColumnstore) await expect(update).rejects.toMatchObject({ code: '53400' });
  else await expect(update).resolves.toMatchObject({ rowCount: 10 });
});

test('a conflict in the first row loses none of the 9,999 after it', async () => {
  const home = await oldHousehold(1);
  expect((await home.send(rowsOf(home, 0, 10_000))).body).toMatchObject({ stored: 9_999, duplicates: 1 });
  expect(await home.count()).toBe(10_000);
});

test('F13 copies of one batch at once are stored once', async () => {
  const home = await oldHousehold(1_000);
  const batch = [...rowsOf(home, 0, 1_000), ...rowsOf(home, 1, 1_000)];
  const answers = await Promise.all(Array.from({ length: 5 }, () => home.send(batch)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.reduce((sum, { body }) => sum + body.stored, 0)).toBe(1_000);
  expect(await home.count()).toBe(2_000);
});

test('rows that are read are the same wherever they lie', async () => {
  const home = await service.addHousehold();
  const { wallbox, battery } = home.assets;
  const rows = [
    { asset: wallbox.id, timestamp: '2026-12-01T11:00:00.123456Z', connected: true },
    { asset: battery.id, timestamp: '2026-12-01T11:00:01.000Z', power_kw: 0.1, state_of_charge: 1 },
  ];
  expect((await home.send(rows)).status).toBe(200);
  const path = `/asset-snapshots?filter[household][eq]=${home.household}`;
  const before = await service.client.get<{ items: unknown[] }>(path);
  await convertChunks();
  const after = await service.client.get<{ items: unknown[] }>(path);
  expect(after.body.items).toEqual(before.body.items);
  expect(after.body.items).toHaveLength(2);
});

testOnlyOn('timescaledb', 'shards and partitions of Citus: test/rules/snapshot-barrier.test.ts')(
  'I15 nothing that holds the rows may be read or changed by the service',
  async () => {
    await oldHousehold(10);
    const { rows } = await service.admin.query<{ name: string; rights: string[] }>(`
    SELECT c.oid::regclass::text AS name,
           ARRAY(SELECT kind FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) kind
                  WHERE has_table_privilege('voltstream_app', c.oid, kind)) AS rights
      FROM pg_class c
     WHERE c.relnamespace = '_timescaledb_internal'::regnamespace AND c.relkind = 'r'
       AND c.relowner = 'voltstream_owner'::regrole`);
    expect(rows.length).toBe((await chunks()).length * (hasColumnstore ? 2 : 1));
    await withDatabaseClient(database.appUrl, async (app) => {
      for (const { name, rights } of rows) {
        expect([name, rights]).toEqual([name, ['INSERT']]);
        await expect(app.query(`SELECT 1 FROM ${name}`)).rejects.toMatchObject({ code: '42501' });
      }
    });
  },
);

test('the rows of one asset are erased, some at a time, those of its neighbours stay', async () => {
  const [erased, neighbour] = [await oldHousehold(1_500), await oldHousehold(1_500)];
  // Some beside the columnstore too: they share their chunk with it, so they go with it, at once.
  expect((await erased.send(rowsOf(erased, 1, 10))).status).toBe(200);
  const counts = await withDatabaseClient(database.maintenanceUrl, async (maintenance) => {
    const found: number[] = [];
    while (found.at(-1) !== 0) {
      /* Four at a time all along would take a minute. */
      const { rows } = await maintenance.query<{ rows: string }>(
        'SELECT erase_asset_snapshots($1, $2) AS rows',
        [erased.assets.household_net.key, found.length < 3 ? 4 : 1_000],
      );
      found.push(Number(rows[0]?.rows));
    }
    return found;
  });
  expect(counts.slice(0, 4)).toEqual(hasColumnstore ? [1_510, 0] : [4, 4, 4, 1_000]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_510);
  expect([await erased.count(), await neighbour.count()]).toEqual([0, 1_500]);
});

test('conversions while four write lose no row and refuse none', async () => {
  const home = await oldHousehold(1);
  let isWriting = true;
  const converting = (async () => {
    while (isWriting && hasColumnstore) await convertChunks();
  })();
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let batch = 0; batch < 9; batch += 1) {
      // Into three chunks in turn, each writer between the rows of the others.
      const from = (batch % 3) * 8 * 24 * HOUR + batch * 2_000 + 1_000;
      const rows = rowsOf(home, from, 500).map((row, index) => ({
        ...row,
        timestamp: old(from + index * 4 + writer),
      }));
      expect((await home.send(rows)).body).toMatchObject({ stored: 500, duplicates: 0 });
    }
  });
  await Promise.all(writers).finally(() => {
    isWriting = false;
  });
  await converting;
  expect(await home.count()).toBe(1 + 4 * 9 * 500);
});

testOnlyOn('timescaledb', 'Citus has no such policy')(
  'chunks are converted by a policy after 30 days, and dropped whole',
  async () => {
    await service.admin.query('TRUNCATE asset_snapshots');
    await service.admin.query(
      "INSERT INTO asset_snapshots (asset_id, timestamp) VALUES (1, now()), (1, now() - INTERVAL '60 days')",
    );
    const jobs = await asOwner(async (owner) => {
      const { rows } = await owner.query<{ id: number; after: string }>(
        `SELECT job_id AS id, config ->> 'compress_after' AS after FROM timescaledb_information.jobs
        WHERE hypertable_name = 'asset_snapshots'`,
      );
      for (const { id } of rows) await owner.query('CALL run_job($1)', [id]);
      return rows.map((row) => row.after);
    });
    expect(jobs).toEqual(hasColumnstore ? ['30 days'] : []);
    expect((await chunks()).map((chunk) => chunk.is_converted)).toEqual([hasColumnstore, false]);
    await withDatabaseClient(database.maintenanceUrl, (maintenance) =>
      maintenance.query("SELECT drop_old_snapshot_chunks(now() - INTERVAL '40 days')"),
    );
    expect(await chunks()).toHaveLength(1);
  },
);
