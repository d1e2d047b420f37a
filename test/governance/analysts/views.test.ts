import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { readMigrations, sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Accounts } from './account.ts';

let api: TestApi;
let accounts: Accounts;
let organization: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  accounts = new Accounts(api.database);
  organization = await createOrganization(api.deps);
  await accounts.make(organization);
});
afterAll(async () => {
  await accounts?.close();
  await api?.close();
});

interface Shown {
  view: string;
  column: string | null;
  comment: string | null;
}

/** Views and columns of a schema with their comments. */
const shownIn = (schema: string) =>
  storedRows<Shown>(
    api,
    `SELECT c.relname AS view, a.attname AS column,
            CASE WHEN a.attnum IS NULL THEN obj_description(c.oid, 'pg_class') ELSE col_description(c.oid, a.attnum) END
              AS comment
       FROM pg_class c
       LEFT JOIN LATERAL (SELECT attnum, attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0
                          UNION ALL SELECT NULL, NULL) a ON true
      WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'v'
      ORDER BY c.relname, a.attnum NULLS FIRST`,
    [schema],
  );

test('every view of analysts and every column of it says what it is', async () => {
  const shown = await shownIn('analytics');
  expect(new Set(shown.map(({ view }) => view)).size).toBeGreaterThan(10);
  expect(shown.filter(({ comment }) => comment === null || comment.trim() === '')).toEqual([]);
});

/** What a column's comment has to say by the end of its name. */
const UNITS: readonly (readonly [RegExp, RegExp])[] = [
  [/_kw$/, /\bkW\b/],
  [/_kwh$|^kwh$/, /\bkWh\b/],
  [/_eur$/, /\bEUR\b/],
  [/eur_mwh$/, /EUR\/MWh/],
  [/ct_kwh$/, /ct\/kWh/],
  [/_seconds$/, /\bseconds\b/],
  [/minutes$/, /\bminutes\b/],
  [/hours$/, /\bhours?\b/i],
  [/_share$/, /0 to 1/],
  [/_degrees$/, /\bdegrees\b/],
  [/state_of_charge/, /0 to 1/],
  [/_day$|_on$/, /Europe\/Berlin/],
  [/local_time/, /Europe\/Berlin/],
];

test('a column of analysts whose name carries a unit says the unit in its comment', async () => {
  const silent = (await shownIn('analytics')).filter(({ column, comment }) =>
    UNITS.some(([name, unit]) => column !== null && name.test(column) && !unit.test(comment ?? '')),
  );
  expect(silent).toEqual([]);
});

test('the first analyst of an organization finds every view, with its comments and without the column of the organization', async () => {
  const house = (await shownIn('analytics')).filter(({ column }) => column !== 'organization_id');
  expect(await shownIn(`analytics_${organization}`)).toEqual(house);
});

test('an organization without analysts has no views, also behind an update; its first two analysts at once find them', async () => {
  const other = await createOrganization(api.deps);
  await withDatabaseClient(api.database.ownerUrl, (client) => migrate(client));
  expect(await shownIn(`analytics_${other}`)).toEqual([]);
  const addresses = await Promise.all([accounts.make(other), accounts.make(other)]);
  for (const { address } of addresses) {
    const client = await accounts.connect(address);
    expect((await client.query('SELECT * FROM customers')).rows).toEqual([]);
  }
});

test('I16 each view of an organization is a barrier, carries its id, and belongs to the reader of analysts', async () => {
  const rows = await storedRows<{ view: string; owner: string; options: string[]; text: string }>(
    api,
    `SELECT relname AS view, relowner::regrole::text AS owner, reloptions AS options, pg_get_viewdef(oid) AS text
       FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'v'`,
    [`analytics_${organization}`],
  );
  expect(rows.length).toBeGreaterThan(10);
  for (const { view, owner, options } of rows) {
    expect({ view, owner, options }).toEqual({
      view,
      owner: 'voltstream_analyst_reader',
      options: ['security_barrier=true'],
    });
  }
  const forAll = rows.filter(({ text }) => !text.includes(`(organization_id = '${organization}'::text)`));
  expect(forAll.map(({ view }) => view).sort()).toEqual([
    'calendar',
    'delivery_days',
    'fee_days',
    'grid_fee_bands',
    'grid_fees',
    'holidays',
    'reference_tariffs',
    'spot_price_quarter_hours',
    'spot_prices',
  ]);
});

test('nobody but their owner may read the views of all organizations', async () => {
  const rights = await storedRows(
    api,
    `SELECT c.relname, x.grantee::regrole::text FROM pg_class c, aclexplode(c.relacl) x
      WHERE c.relnamespace = 'analytics'::regnamespace AND x.grantee <> c.relowner`,
  );
  expect(rights).toEqual([]);
  for (const url of [api.database.appUrl, api.database.maintenanceUrl]) {
    await expect(
      withDatabaseClient(url, (client) => client.query('SELECT 1 FROM analytics.customers')),
    ).rejects.toMatchObject({ code: '42501' });
  }
});

test('days are those of Berlin: 23 hours in March, 25 in October, without a gap', async () => {
  const [facts] = await storedRows(
    api,
    `SELECT (SELECT hours FROM analytics.delivery_days WHERE delivery_day = '2026-03-29') AS march,
            (SELECT hours FROM analytics.delivery_days WHERE delivery_day = '2026-10-25') AS october,
            (SELECT starts_at = '2026-10-24T22:00Z' AND ends_at = '2026-10-25T23:00Z'
               FROM analytics.delivery_days WHERE delivery_day = '2026-10-25') AS bounds,
            (SELECT count(*)::int FROM (SELECT starts_at, lag(ends_at) OVER (ORDER BY delivery_day) AS before
                                          FROM analytics.delivery_days) d WHERE before <> starts_at) AS gaps`,
  );
  expect(facts).toEqual({ march: 23, october: 25, bounds: true, gaps: 0 });
});

test('views that an interrupted update did not make are made by the next one', async () => {
  const schema = `analytics_${organization}`;
  const before = await shownIn(schema);
  await withDatabaseClient(api.database.adminUrl, (client) =>
    client.query(`DROP SCHEMA "${schema}" CASCADE`),
  );
  expect(await withDatabaseClient(api.database.ownerUrl, (client) => migrate(client))).toEqual([]);
  expect(await shownIn(schema)).toEqual(before);
});

test('a migration may take the views away, and an update may change them: each organization has them again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  const run = () => withDatabaseClient(api.database.ownerUrl, (client) => migrate(client, { folder }));
  const schema = `analytics_${organization}`;
  try {
    await cp(sqlFolder, folder, { recursive: true });
    const before = await shownIn(schema);
    const number = (await readMigrations(folder)).filter((file) => !file.repeatable).length + 1;
    const name = `migrations/${String(number).padStart(4, '0')}-narrow.sql`;
    await writeFile(
      join(folder, name),
      'DROP SCHEMA analytics, measured CASCADE; ALTER TABLE plans ALTER COLUMN name TYPE varchar(200)',
    );
    expect(await run()).toEqual([name]);
    expect(await shownIn(schema)).toEqual(before);

    const file = join(folder, 'analytics/telemetry/21-assets.sql');
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      `${text.replace("COMMENT ON COLUMN analytics.assets.model IS 'Model; null: not known.';", '').replace('model, ', '')}`,
    );
    expect(await run()).toEqual(['analytics/telemetry/21-assets.sql']);
    expect(await shownIn(schema)).toEqual(before.filter(({ column }) => column !== 'model'));
    expect(await run()).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
