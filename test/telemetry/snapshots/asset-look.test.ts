import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CountedPages } from '../../lists/many-rows.ts';
import { type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';
import { type WatchedMaps, watchedMaps } from './watched-maps.ts';

/* The look at what changed since the last one: without messages it finds everything, once, at the cost of what changed. */

const ASSETS = 20_000;
const CHANGES_MAX = 5_000;
/** Two looks into the index of each of five tables. */
const PAGES_MAX = 80;

let service: SnapshotApi;
let organization: string;
let home: SnapshotHousehold;
let crowd: SnapshotHousehold;
beforeAll(async () => {
  service = await startSnapshotApi({});
  organization = service.organization;
  [home, crowd] = [await service.addHousehold(), await service.addHousehold()];
  /* All by one transaction: the statistics then say that any transaction may have written every row. */
  await service.admin.query(
    `INSERT INTO assets (organization_id, id, customer_id, household_id, type, external_id, max_power_kw)
     SELECT $1, 'ast_' || substr(md5('crowd' || n), 1, 24), $2, $3, 'heat_pump', 'pump-' || n, 5
       FROM generate_series(1, ${ASSETS}) n`,
    [organization, crowd.customer, crowd.household],
  );
  await service.admin.query('VACUUM ANALYZE assets');
});
afterAll(() => service?.close());

/** One that has looked and remembers `home`. */
async function lookingMaps(): Promise<WatchedMaps> {
  const looking = watchedMaps(service.api.deps);
  await looking.watch.look();
  await looking.remembers(organization, home.household);
  looking.told.length = 0;
  return looking;
}

const ofHome = () => ({ organization, object: home.household });

async function changeCrowd(assets: number): Promise<void> {
  await service.admin.query(
    `UPDATE assets SET display_name = 'x' WHERE external_id IN (SELECT 'pump-' || n FROM generate_series(1, $1::integer) n)`,
    [assets],
  );
}

/* First of all: later the statistics know other transactions too. */
test('a look reads a few pages of 20,000 assets when few of them changed, also beside transactions that stay open', async () => {
  const counted = await CountedPages.open(service.api.database, organization);
  const open: number[] = [];
  for (let index = 0; index < 10; index += 1) {
    const { rows } = await service.admin.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
    open.push(Number(rows[0]?.id));
  }
  const seen = `${open.at(0)}:${(open.at(-1) ?? 0) + 1}:${open.join(',')}`;
  await changeCrowd(3);
  const look = sql`SELECT * FROM find_changes(${seen}::pg_snapshot, 5000)`;
  /* The first call of a connection also reads the catalog, to plan the statement. */
  await look.execute(counted.connection);
  counted.pages = 0;
  await look.execute(counted.connection);
  await counted.close();
  expect(counted.pages).toBeGreaterThan(0);
  expect(counted.pages).toBeLessThan(PAGES_MAX);
});

test.each([
  ['changed without its updated_at', 'UPDATE assets SET max_power_kw = 2 WHERE id = $1'],
  ['decommissioned by an erasure', 'UPDATE assets SET decommissioned_at = now() WHERE id = $1'],
  [
    'added with an instant long ago',
    `INSERT INTO assets (organization_id, id, household_id, customer_id, type, max_power_kw, created_at, updated_at)
     SELECT organization_id, 'ast_' || substr(md5('late'), 1, 24), household_id, customer_id, type, 3, '2020-01-01', '2020-01-01'
       FROM assets WHERE id = $1`,
  ],
])('an asset that was %s, with no message at all, is found by the next look', async (_how, statement) => {
  const { watch, map, remembers, told } = await lookingMaps();
  const before = await map(organization, home.household);
  await service.admin.query(statement, [home.assets.heat_pump.id]);
  expect(await remembers(organization, home.household)).toBe(true);
  await watch.look();
  expect(told).toEqual([ofHome()]);
  expect(await remembers(organization, home.household)).toBe(false);
  expect((await map(organization, home.household)).assets).not.toEqual(before.assets);
});

test('a change is found when its transaction has ended, however many looks came before, and told once', async () => {
  const { watch, told, remembers } = await lookingMaps();
  const slow = new pg.Client(service.api.database.adminUrl);
  await slow.connect();
  try {
    await slow.query('BEGIN');
    await slow.query('UPDATE assets SET max_power_kw = 4 WHERE id = $1', [home.assets.wallbox.id]);
    await watch.look();
    /* Others come and go meanwhile, and each is told once as well. */
    await changeCrowd(1);
    await watch.look();
    await watch.look();
    expect(told).toEqual([{ organization, object: crowd.household }]);
    expect(await remembers(organization, home.household)).toBe(true);
    await slow.query('COMMIT');
    await watch.look();
    await watch.look();
    expect(told).toEqual([{ organization, object: crowd.household }, ofHome()]);
  } finally {
    await slow.end();
  }
});

test('what was taken back is no change', async () => {
  const { watch, told } = await lookingMaps();
  await service.admin.query("BEGIN; UPDATE assets SET max_power_kw = 4 WHERE type = 'wallbox'; ROLLBACK");
  await watch.look();
  expect(told).toEqual([]);
});

test('up to 5,000 changed assets are told one by one; behind more, every map is forgotten', async () => {
  const { watch, told, remembers } = await lookingMaps();
  await changeCrowd(CHANGES_MAX);
  await watch.look();
  expect(told).toHaveLength(CHANGES_MAX);
  expect(told).not.toContain('any');
  expect(await remembers(organization, home.household)).toBe(true);
  told.length = 0;
  await changeCrowd(CHANGES_MAX + 1);
  await watch.look();
  expect(told).toEqual(['any']);
  expect(await remembers(organization, home.household)).toBe(false);
  await watch.look();
  expect(await remembers(organization, home.household)).toBe(true);
});

test('a server that was started again, or another one, makes every map forgotten', async () => {
  const { watch, told, remembers } = await lookingMaps();
  const { rows } = await service.admin.query<{ definition: string }>(
    `SELECT pg_get_functiondef('find_changes'::regproc) AS definition`,
  );
  const definition = rows[0]?.definition ?? '';
  const started = 'pg_postmaster_start_time()';
  expect(definition).toContain(started);
  try {
    await service.admin.query(definition.replace(started, `(${started} + interval '1 second')`));
    await watch.look();
    expect(told).toEqual(['any']);
    expect(await remembers(organization, home.household)).toBe(false);
    await watch.look();
    expect(await remembers(organization, home.household)).toBe(true);
  } finally {
    await service.admin.query(definition);
  }
});
