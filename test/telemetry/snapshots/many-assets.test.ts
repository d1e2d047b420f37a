import { afterAll, beforeAll, expect, test } from 'vitest';
import { listNamedAssets } from '../../../src/telemetry/snapshots/queries.ts';
import { CountedPages } from '../../lists/many-rows.ts';
import { NOW, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/* Nobody limits the assets of a household: a batch costs what it names, not what the household has. */

const ASSETS = 20_000;
const PAGES_MAX = 60;

let service: SnapshotApi;
let home: SnapshotHousehold;
let neighbour: SnapshotHousehold;
beforeAll(async () => {
  service = await startSnapshotApi({});
  [home, neighbour] = [await service.addHousehold(), await service.addHousehold()];
  await service.admin.query(
    `INSERT INTO assets (organization_id, id, customer_id, household_id, type, external_id, max_power_kw)
     SELECT $1, 'ast_' || substr(md5('many' || n), 1, 24), $2, $3, 'heat_pump', 'pump-' || n, 5
       FROM generate_series(1, ${ASSETS}) n`,
    [service.organization, home.customer, home.household],
  );
  await service.admin.query('VACUUM ANALYZE assets');
});
afterAll(() => service?.close());

const row = (external_id: string, power_kw = 1) => ({ external_id, timestamp: NOW, power_kw });

test('a batch for a household of 20,000 assets is stored, by id and by external id', async () => {
  const { id } = home.assets.heat_pump;
  const rows = [row('pump-17'), row(`pump-${ASSETS}`), { asset: id, timestamp: NOW, power_kw: 2 }];
  const answer = await home.send(rows);
  expect([answer.status, answer.body.stored]).toEqual([200, 3]);
  const again = await home.send(rows);
  expect([again.status, again.body.duplicates]).toEqual([200, 3]);
});

test('its rules hold as for any other: rating, unknown assets, those of another household', async () => {
  const { body } = await home.send([
    row('pump-1', 8),
    row('pump-0'),
    { asset: neighbour.assets.heat_pump.id, timestamp: NOW, power_kw: 1 },
    row(neighbour.assets.wallbox.external_id),
    17,
  ]);
  expect(body.errors?.map(({ code, field }) => `${code} ${field}`)).toEqual([
    'too_big snapshots.0.power_kw',
    'custom snapshots.1.external_id',
    'custom snapshots.2.asset',
    'custom snapshots.3.external_id',
    'invalid_type snapshots.4',
  ]);
});

test('B23 a name with NUL is refused by its path, as for any other', async () => {
  const { status, body } = await home.send([
    row('pump-1\0'),
    { ...row('pump-1'), external_id: undefined, asset: '\0' },
  ]);
  expect(status).toBe(400);
  expect(body.errors?.map(({ code, field }) => `${code} ${field}`)).toEqual([
    'invalid_format snapshots.0.external_id',
    'invalid_format snapshots.1.asset',
  ]);
});

test('looking up the assets of a batch reads a few pages, however many the household has', async () => {
  const counted = await CountedPages.open(service.api.database, service.organization);
  const named = { ids: [home.assets.battery.id], externalIds: ['pump-1', 'pump-9000', 'nobody'] };
  await listNamedAssets(counted.connection, service.organization, home.household, named);
  await counted.close();
  expect(counted.pages).toBeGreaterThan(0);
  expect(counted.pages).toBeLessThan(PAGES_MAX);
});

test('a batch looks at no more than 1,000 of them', async () => {
  await flushCounts();
  const before = await scanned();
  await home.send([row('pump-2')]);
  await flushCounts();
  await expect.poll(async () => (await scanned()) - before).toBeGreaterThan(0);
  expect((await scanned()) - before).toBeLessThan(3_000);
});

/** Connections count by themselves, and tell the server ten seconds after their last statement unless they are asked. */
async function flushCounts(): Promise<void> {
  const { pool } = service.api.deps.database;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) {
    await client.query('SELECT pg_stat_force_next_flush()');
    client.release();
  }
}

/** Rows of assets that statements have read so far, as the server counts them. */
async function scanned(): Promise<number> {
  const { rows } = await service.admin.query<{ count: string }>(
    `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS count
       FROM pg_stat_user_tables WHERE relname = 'assets'`,
  );
  return Number(rows[0]?.count);
}
