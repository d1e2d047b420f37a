import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administrator } from '../../setup/administrator.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import {
  createAsset,
  createHousehold,
  createOrganization,
  createTenant,
  type TestHousehold,
} from '../../setup/factories.ts';
import { devices } from './devices.ts';

/* The internal keys that snapshots are stored under: keys of one household share a bucket of their hash. */

const BUCKETS = 1_024;

let api: TestApi;
let admin: pg.Pool;
let organization: string;
beforeAll(async () => {
  api = await startApi();
  admin = administrator(api.database.adminUrl);
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

interface StoredKey {
  key: string;
  hash: number;
  bucket: number;
}

async function keysOf(household: string): Promise<StoredKey[]> {
  const { rows } = await admin.query<StoredKey>(
    `SELECT key::text, hashint8(key) AS hash, hashint8(key) >> 22 AS bucket
       FROM assets WHERE household_id = $1 ORDER BY key`,
    [household],
  );
  return rows;
}

/** Straight into the table, as another program would. */
const insertPump = (client: pg.ClientBase | pg.Pool, home: TestHousehold, name: string) =>
  client.query<{ key: string }>(
    `INSERT INTO assets (organization_id, id, customer_id, household_id, type, max_power_kw)
     VALUES ($1, 'ast_' || substr(md5($4), 1, 24), $2, $3, 'heat_pump', 5) RETURNING key::text`,
    [organization, home.customer, home.household, name],
  );

test('all assets of a household share a bucket, also those that two processes add at one moment', async () => {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, BASE_URL } = api.deps.config;
  const keys = { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, BASE_URL };
  const other = await startApi({ database: api.database, environment: keys });
  try {
    const tenant = await createTenant(api);
    const clients = [api.client(tenant.token), other.client(tenant.token)];
    const homes = await Promise.all(
      Array.from({ length: 4 }, () => createHousehold(api.deps, tenant.organization)),
    );
    const added = homes.flatMap(({ household }) =>
      Array.from({ length: 6 }, (_, index) =>
        clients[index % 2]?.post('/assets', { household, ...devices.wallbox }),
      ),
    );
    for (const answer of await Promise.all(added)) expect(answer?.status).toBe(200);
    for (const { household } of homes) {
      const stored = await keysOf(household);
      expect(stored).toHaveLength(8);
      expect(new Set(stored.map(({ bucket }) => bucket)).size).toBe(1);
    }
  } finally {
    await other.close();
  }
});

test('who adds an asset waits for nobody else who adds one: the bucket follows from the ids alone', async () => {
  const home = await createHousehold(api.deps, organization);
  const slow = new pg.Client(api.database.adminUrl);
  await slow.connect();
  try {
    await slow.query('BEGIN');
    await insertPump(slow, home, 'first');
    await insertPump(admin, home, 'second');
    await slow.query('COMMIT');
  } finally {
    await slow.end();
  }
  expect(new Set((await keysOf(home.household)).map(({ bucket }) => bucket)).size).toBe(1);
});

test('a bucket lies in one shard, however many of them a cluster has', async () => {
  /* Citus hashes with the function that the default operator class of the type names, and gives each shard an equal part. */
  const { rows } = await admin.query<{ name: string }>(
    `SELECT amproc::regproc::text AS name FROM pg_amproc p JOIN pg_opclass c ON c.opcfamily = p.amprocfamily
       JOIN pg_am a ON a.oid = c.opcmethod
      WHERE a.amname = 'hash' AND c.opcintype = 'bigint'::regtype AND c.opcdefault
        AND p.amproclefttype = 'bigint'::regtype AND p.amprocrighttype = 'bigint'::regtype AND p.amprocnum = 1`,
  );
  expect(rows).toEqual([{ name: 'hashint8' }]);
  const home = await createHousehold(api.deps, organization);
  for (let index = 0; index < 40; index += 1) await insertPump(admin, home, `shard ${index}`);
  const hashes = (await keysOf(home.household)).map(({ hash }) => hash);
  expect(new Set(hashes).size).toBeGreaterThan(30);
  for (let shards = 1; shards <= BUCKETS; shards *= 2) {
    const shardOf = (hash: number) => Math.floor((hash + 2 ** 31) / (2 ** 32 / shards));
    expect([shards, new Set(hashes.map(shardOf)).size]).toEqual([shards, 1]);
  }
});

test('households spread over all buckets, those of one organization as well', async () => {
  const home = await createHousehold(api.deps, organization);
  const { rows } = await admin.query<{ assets: number; shards: number; most: number }>(
    `WITH new_households AS (
       INSERT INTO households (organization_id, id, customer_id)
       SELECT $1, 'dom_' || substr(md5('spread' || n), 1, 24), $2 FROM generate_series(1, 2000) n RETURNING id
     ), new_assets AS (
       INSERT INTO assets (organization_id, id, customer_id, household_id, type)
       SELECT $1, 'ast_' || substr(id, 5), $2, id, 'household_net' FROM new_households RETURNING key
     ), by_shard AS (
       SELECT hashint8(key) >> 26 AS shard, count(*)::integer AS assets FROM new_assets GROUP BY 1
     )
     SELECT sum(assets)::integer AS assets, count(*)::integer AS shards, max(assets) AS most FROM by_shard`,
    [organization, home.customer],
  );
  /* 31 on average. */
  expect(rows[0]).toMatchObject({ assets: 2_000, shards: 64 });
  expect(rows[0]?.most).toBeLessThan(70);
});

test('a key that is given stays: rows from another database keep theirs', async () => {
  const home = await createHousehold(api.deps, organization);
  await admin.query(
    `INSERT INTO assets (organization_id, id, customer_id, household_id, type, key)
     VALUES ($1, 'ast_' || substr(md5('given'), 1, 24), $2, $3, 'household_net', 17)`,
    [organization, home.customer, home.household],
  );
  expect(await keysOf(home.household)).toMatchObject([{ key: '17' }]);
});

test('the last key is a number that JavaScript holds, and behind it there is an error and no key twice', async () => {
  const home = await createHousehold(api.deps, organization);
  const { rows } = await admin.query<{ last: string }>('SELECT last_value::text AS last FROM asset_keys');
  await admin.query("SELECT setval('asset_keys', 137438953470)");
  const { key } = await createAsset(api.deps, organization, home, { type: 'heat_pump' });
  expect(key).toBeGreaterThan(2 ** 52);
  expect(Number.isSafeInteger(key)).toBe(true);
  await expect(createAsset(api.deps, organization, home, { type: 'wallbox' })).rejects.toThrow('asset_keys');
  await admin.query("SELECT setval('asset_keys', $1::bigint)", [rows[0]?.last]);
});
