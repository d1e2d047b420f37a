import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { DURABLE_SETTINGS } from '../../src/platform/process/boot-check.ts';
import { startProblems } from '../../src/platform/process/node-check.ts';
import { listHeldPower } from '../../src/telemetry/snapshots/queries.ts';
import { Accounts } from '../governance/analysts/account.ts';
import { createTenant } from '../setup/factories.ts';
import { sumAllQuarterHours } from '../setup/quarter-hours.ts';
import {
  addHousehold,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
} from '../telemetry/snapshots/snapshot-api.ts';
import { bothEngines, uneven } from './both-engines.ts';

/* Rows, views of analysts, settings of nodes: in one file, because the two servers take ten times as long as all of it. */

const { onBoth, onCitus } = bothEngines('service');

const rowOf = (home: SnapshotHousehold, second: number, power_kw = second) => ({
  asset: home.assets.household_net.id,
  timestamp: instant(second),
  power_kw,
});

onCitus('a batch is stored once: duplicates count, missing rows are added', async ({ citus }) => {
  const home = await citus.addHousehold();
  const solar = (second: number) => ({ ...rowOf(home, second, -1), asset: home.assets.solar.id });
  const both = [rowOf(home, 1), solar(1)];
  expect((await home.send(both)).body).toMatchObject({ total: 2, stored: 2, duplicates: 0 });
  expect((await home.send(both)).body).toMatchObject({ total: 2, stored: 0, duplicates: 2 });
  const more = [...both, rowOf(home, 2), solar(3)];
  expect((await home.send(more)).body).toMatchObject({ total: 4, stored: 2, duplicates: 2 });
  expect(await home.count()).toBe(4);
});

onCitus('other values for a stored row refuse the whole batch', async ({ citus }) => {
  const home = await citus.addHousehold();
  await home.send([rowOf(home, 2)]);
  const refused = await home.send([rowOf(home, 9), rowOf(home, 2, 7)]);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'snapshots.1.power_kw' }] } });
  expect(await home.count()).toBe(1);
});

onCitus('rows of a race for the same instants are stored once', async ({ citus }) => {
  const home = await citus.addHousehold();
  await home.send([rowOf(home, 0)]);
  const rows = Array.from({ length: 300 }, (_, second) => rowOf(home, second));
  const answers = await Promise.all(Array.from({ length: 6 }, () => home.send(rows)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const stored = answers.reduce((sum, { body }) => sum + body.stored, 0);
  expect([stored, await home.count()]).toEqual([299, 300]);
});

interface NewestPage {
  items: { timestamp: string }[];
  next_page: string | null;
}

onCitus('the newest snapshots come in pages, newest first, of the own organization', async ({ citus }) => {
  const homes = await Promise.all(Array.from({ length: 5 }, () => citus.addHousehold()));
  for (const [index, home] of homes.entries()) {
    await home.send([rowOf(home, 2 * index), rowOf(home, 100 + index)]);
    await home.send([{ ...rowOf(home, 50 + index), asset: home.assets.heat_pump.id, power_kw: 2 }]);
  }
  const path = `/asset-snapshots?limit=3&filter[household][in]=${homes.map(({ household }) => household).join(',')}`;
  const seen: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { body }: { body: NewestPage } = await citus.client.get<NewestPage>(
      next === '' ? path : `${path}&cursor=${encodeURIComponent(next)}`,
    );
    seen.push(...body.items.map(({ timestamp }) => timestamp));
    next = body.next_page;
  }
  const sent = [...homes.keys()].flatMap((index) => [instant(100 + index), instant(50 + index)]);
  expect(seen).toEqual(sent.sort().reverse());
  const stranger = citus.api.client((await createTenant(citus.api)).token);
  expect((await stranger.get(path)).body).toMatchObject({ items: [] });
});

onBoth('the power held at a connection is that of TimescaleDB', async ({ citus, timescale }) => {
  const span = { from: Date.parse('2026-12-01T03:00Z'), until: Date.parse('2026-12-01T09:00Z') };
  const held = async (service: SnapshotApi) => {
    const { home } = await uneven(service);
    const { organization } = service;
    return await service.api.deps.database.inOrganization({ organization }, (connection) =>
      listHeldPower(connection, organization, home.household, span),
    );
  };
  const found = await held(citus);
  expect(found.length).toBeGreaterThan(15);
  expect(found).toEqual(await held(timescale));
});

/* Rows that nothing covers are shown by no view. */
const SUMS = `
  SELECT start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max,
         round(covered_seconds::numeric, 6) AS seconds, round(consumed_kwh::numeric, 9) AS consumed,
         round(fed_kwh::numeric, 9) AS fed, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last
    FROM asset_quarter_hours WHERE asset_id = $1 AND covered_seconds > 0 ORDER BY start`;

onBoth('sums by quarter hour, also of late rows, are those of TimescaleDB', async ({ citus, timescale }) => {
  const sums = async (service: SnapshotApi) => {
    const { home, key } = await uneven(service);
    await sumAllQuarterHours(service.api.database, service.clock);
    const { rows: first } = await service.admin.query(SUMS, [key]);
    const late = ['03:01:00', '04:14:59', '06:40:00'].map((time, index) => ({
      asset: home.assets.household_net.id,
      timestamp: `2026-12-01T${time}.5Z`,
      power_kw: index - 1,
    }));
    expect((await home.send(late)).body).toMatchObject({ stored: 3 });
    await sumAllQuarterHours(service.api.database, service.clock);
    const { rows: second } = await service.admin.query(SUMS, [key]);
    expect(second).not.toEqual(first);
    return [first, second];
  };
  const found = await sums(citus);
  expect(found[0]?.length).toBeGreaterThan(15);
  expect(found).toEqual(await sums(timescale));
});

const DAYS = `
  SELECT day, quarter_hours, samples, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh
    FROM asset_days WHERE asset_id = $1 AND covered_seconds > 0 ORDER BY day`;

onBoth('sums by day, also of late rows, are those of TimescaleDB', async ({ citus, timescale }) => {
  const days = async (service: SnapshotApi) => {
    const home = await service.addHousehold();
    const { id: asset, key } = home.assets.household_net;
    const found: unknown[] = [];
    for (const at of ['2026-11-28T10:50:00Z', '2026-11-30T22:50:00Z', '2026-11-30T10:50:00Z']) {
      expect((await home.send([{ asset, timestamp: at, power_kw: 6 }])).body).toMatchObject({ stored: 1 });
      await sumAllQuarterHours(service.api.database, service.clock);
      found.push((await service.admin.query(DAYS, [key])).rows);
    }
    return found;
  };
  const found = await days(citus);
  expect(found).toMatchObject([{ length: 1 }, { length: 2 }, { length: 2 }]);
  expect(found).toEqual(await days(timescale));
});

onCitus('the rows of another organization are found by no function', async ({ citus, database }) => {
  const { organization } = await createTenant(citus.api);
  const home = await addHousehold(citus, organization);
  const { key } = home.assets.household_net;
  await citus.admin.query(
    'INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 4711)',
    [key, instant(1)],
  );
  const app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
  const ask = async (by: string) => {
    await app.query(`BEGIN; SELECT set_config('app.organization', '${by}', true)`);
    const { rows } = await app.query('SELECT * FROM stored_snapshots($1, $2, $3, $4, $5)', [
      ...[[key], [1], [instant(1)]],
      ...[instant(0), instant(2)],
    ]);
    const held = await app.query("SELECT FROM held_power($1, $2, $3, 'infinity')", [
      key,
      instant(0),
      instant(2),
    ]);
    const newest = await app.query('SELECT FROM newest_snapshots(NULL, NULL, $1, NULL, NULL, 9)', [
      instant(0),
    ]);
    await app.query('ROLLBACK');
    return [rows[0]?.power_kw !== null, held.rowCount, newest.rowCount];
  };
  try {
    expect(await ask(organization)).toEqual([true, 1, 1]);
    const stranger = (await createTenant(citus.api)).organization;
    expect(await ask(stranger)).toEqual([false, 0, 0]);
    /* Runs of one asset, asked for by its organization, by a stranger, and by its organization at another instant. */
    const { rows } = await app.query('SELECT * FROM stored_snapshots($1, $2, $3, $4, $5, $6, $7)', [
      ...[
        [key, key, key],
        [1, 2, 4],
        [instant(1), instant(1), instant(0), instant(2)],
      ],
      ...[instant(0), instant(2)],
      ...[
        [organization, stranger, organization],
        [1, 2, 3],
      ],
    ]);
    expect(rows.map(({ power_kw }) => power_kw !== null)).toEqual([true, false, false]);
  } finally {
    await app.end();
  }
});

const open: Accounts[] = [];
afterAll(() => Promise.all(open.map((accounts) => accounts.close())));

interface WithAnalyst {
  analyst: pg.Client;
  asset: string;
  household: string;
}

const made = new Map<SnapshotApi, Promise<WithAnalyst>>();

/** The same for all tests of a service: they only ask. */
function analystOf(service: SnapshotApi): Promise<WithAnalyst> {
  const known = made.get(service) ?? makeAnalyst(service);
  made.set(service, known);
  return known;
}

/** A household with uneven rows of a past day and their sums, and an analyst of its organization. */
async function makeAnalyst(service: SnapshotApi): Promise<WithAnalyst> {
  const { home } = await uneven(service, '2026-11-02');
  /* Tests above have summed later days. */
  await service.admin.query("UPDATE quarter_hour_progress SET summed_until = '-infinity', summed_at = NULL");
  await sumAllQuarterHours(service.api.database, service.clock);
  const accounts = new Accounts(service.api.database);
  open.push(accounts);
  await accounts.makeViews(service.organization);
  const { address } = await accounts.make(service.organization);
  const analyst = await accounts.connect(address);
  return { analyst, asset: home.assets.household_net.id, household: home.household };
}

const DAY = "delivery_day = '2026-11-02'";
const QUESTIONS: readonly [columns: string, view: string, by: 'asset' | 'household', condition: string][] = [
  ['timestamp, local_time, utc_offset_hours, power_kw, connected', 'snapshots', 'asset', DAY],
  ['timestamp, power_kw, state_of_charge', 'newest_snapshots', 'asset', 'true'],
  ['start, delivery_day, samples, round(mean_power_kw::numeric, 6)', 'quarter_hours', 'asset', DAY],
  [
    'start, round(consumed_kwh::numeric, 9), round(fed_kwh::numeric, 9)',
    'energy',
    'asset',
    "start >= '2026-11-02T04:00Z'",
  ],
  [
    'start, round(grid_import_kwh::numeric, 9), round(residual_kwh::numeric, 9)',
    'household_energy',
    'household',
    DAY,
  ],
  ['delivery_day, quarter_hours, round(covered_share::numeric, 9), first_at', 'completeness', 'asset', DAY],
  [
    'start, samples, round(consumed_kwh::numeric, 9)',
    'quarter_hours_filled',
    'asset',
    `${DAY} AND start < '2026-11-02T09:00Z'`,
  ],
  ['summed_until', 'energy_progress', 'asset', 'true'],
];

onBoth('views of analysts show what they show on TimescaleDB', async ({ citus, timescale }) => {
  const [own, beside] = [await analystOf(citus), await analystOf(timescale)];
  for (const [columns, view, by, condition] of QUESTIONS) {
    const ask = async ({ analyst, ...ids }: typeof own) => {
      const named = view === 'energy_progress' ? '' : `AND ${by} = '${ids[by]}'`;
      return (await analyst.query(`SELECT ${columns} FROM ${view} WHERE ${condition} ${named} ORDER BY 1`))
        .rows;
    };
    const rows = await ask(own);
    expect(rows.length, view).toBeGreaterThan(0);
    expect(rows, view).toEqual(await ask(beside));
  }
});

onCitus(
  'organization, asset and span go along to the nodes; a condition that could tell of rows does not',
  async ({ citus }) => {
    const { analyst, asset } = await analystOf(citus);
    const { rows } = await analyst.query(`
    EXPLAIN (VERBOSE) SELECT sum(power_kw) FROM snapshots
     WHERE asset = '${asset}' AND timestamp >= '2026-11-02' AND 1 / (power_kw - 4711)::numeric < 1e9`);
    const sent = rows.map((row) => row['QUERY PLAN']).find((line) => line.includes('Remote SQL')) ?? '';
    for (const part of [citus.organization, asset, 'timestamp']) expect(sent).toContain(part);
    expect(sent).not.toContain('4711');
  },
);

onCitus('no error tells an analyst of rows of another organization', async ({ citus }) => {
  const { analyst } = await analystOf(citus);
  await citus.admin.query(
    "INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES (987654321, '2026-11-02T05:00Z', 4711)",
  );
  const { rows } = await analyst.query('SELECT 1 FROM snapshots WHERE 1 / (power_kw - 4711)::numeric < 1e9');
  expect(rows.length).toBeGreaterThan(0);
});

onCitus('what lies below the views is closed to analysts', async ({ citus }) => {
  const { analyst } = await analystOf(citus);
  await analyst.query('SET default_transaction_read_only = off');
  const { rows } = await citus.admin.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'measured'::regnamespace AND relkind IN ('v', 'f')",
  );
  expect(rows.length).toBe(11);
  const statements = [
    ...[...rows.map(({ name }) => name), 'asset_snapshots', 'public.asset_snapshots'].map(
      (name) => `SELECT FROM ${name}`,
    ),
    'CREATE FOREIGN TABLE mine (id int) SERVER voltstream_nodes',
    'SET ROLE voltstream_analyst_reader',
  ];
  for (const statement of statements) {
    await expect(analyst.query(statement), statement).rejects.toMatchObject({
      code: statement.includes('FROM asset_snapshots') ? '42P01' : '42501',
    });
  }
  const { rows: mapped } = await analyst.query('SELECT umoptions FROM pg_user_mappings');
  expect(mapped).toEqual([{ umoptions: null }]);
});

onCitus(
  'no function of the extension is left to analysts but those that Citus puts into questions itself',
  async ({ citus }) => {
    const { analyst } = await analystOf(citus);
    const count = async (role: string) => {
      const { rows } = await analyst.query<{ count: string }>(
        `SELECT count(*) FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'citus'
        WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
          AND has_function_privilege(${role}, d.objid, 'EXECUTE')
          AND d.objid NOT IN (SELECT oid FROM pg_proc WHERE proname IN ('relation_is_a_known_shard', 'citus_table_is_visible'))`,
      );
      return Number(rows[0]?.count);
    };
    expect(await count('current_user')).toBe(0);
    expect(await count("'voltstream_app'")).toBeGreaterThan(0);
  },
);

/*
 * The stand-in has one node. Here it answers as four in a row: one of them does not keep what it acknowledged, and the last
 * one is away.
 */

/** The third node has another value of a setting; a setting that nobody asks for stays unknown. */
const fourNodes = (setting: string, value: string) => `
  CREATE OR REPLACE FUNCTION pg_catalog.run_command_on_all_nodes(
    command text, OUT nodeid integer, OUT success boolean, OUT result text
  ) RETURNS SETOF record LANGUAGE plpgsql AS $$
  BEGIN
    FOR node IN 1..4 LOOP
      nodeid := node;
      success := node <> 4;
      EXECUTE command INTO result;
      IF node = 3 THEN result := jsonb_set(result::jsonb, '{${setting}}', '"${value}"', false); END IF;
      IF node = 4 THEN result := 'could not connect'; END IF;
      RETURN NEXT;
    END LOOP;
  END
  $$`;

/** As Citus shows a setting of its own; the stand-in has none. */
const settingOfCitus = (name: string, value: string) => `
  CREATE TEMPORARY VIEW pg_settings AS
    SELECT name, setting FROM pg_catalog.pg_settings UNION ALL SELECT '${name}', '${value}';
  GRANT SELECT ON pg_temp.pg_settings TO voltstream_app`;

/** What the service finds at its start. */
async function problemsAfter(client: pg.Client, change: string): Promise<string[]> {
  await client.query('BEGIN');
  try {
    await client.query(change);
    await client.query('SET LOCAL ROLE voltstream_app');
    return await startProblems(client);
  } finally {
    await client.query('ROLLBACK');
  }
}

onBoth(
  'a node that may lose what it acknowledged is named with its setting, and one that is away keeps nobody away',
  async ({ database }) => {
    await withDatabaseClient(database.adminUrl, async (client) => {
      for (const [setting, safe] of Object.entries(DURABLE_SETTINGS)) {
        const [kept = ''] = safe;
        expect(await problemsAfter(client, fourNodes(setting, kept))).toEqual([]);
        const lost = kept === 'on' ? 'off' : 'on';
        expect(await problemsAfter(client, fourNodes(setting, lost))).toEqual([
          expect.stringContaining(`Node 3: ${setting} is ${lost}: what was acknowledged could be lost`),
        ]);
      }
    });
  },
);

onBoth(
  'a coordinator that looks too seldom for what a dead node acknowledged is told so at the start',
  async ({ database }) => {
    await withDatabaseClient(database.adminUrl, async (client) => {
      const interval = (milliseconds: string) => settingOfCitus('citus.recover_2pc_interval', milliseconds);
      expect(await problemsAfter(client, interval('5000'))).toEqual([]);
      expect(await problemsAfter(client, interval('60000'))).toEqual([
        expect.stringContaining('citus.recover_2pc_interval is 60 s'),
      ]);
    });
  },
);
