import type pg from 'pg';
import { afterAll, expect } from 'vitest';
import { Accounts } from '../governance/analysts/account.ts';
import { sumAllQuarterHours } from '../setup/quarter-hours.ts';
import type { SnapshotApi } from '../telemetry/snapshots/snapshot-api.ts';
import { bothEngines, uneven } from './both-engines.ts';

const { onBoth, onCitus } = bothEngines('analysts');

const open: Accounts[] = [];
afterAll(() => Promise.all(open.map((accounts) => accounts.close())));

/** A household with uneven rows of a past day and their sums, and an analyst of its organization. */
async function analystOf(
  service: SnapshotApi,
): Promise<{ analyst: pg.Client; asset: string; household: string }> {
  const { home } = await uneven(service, '2026-11-02');
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
  expect(rows.length).toBe(8);
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
