import pino from 'pino';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { startProblems } from '../../src/platform/process/node-check.ts';
import { snapshotPartitionGauges } from '../../src/telemetry/snapshots/gauges.ts';
import { prepareSnapshotPartitions } from '../../src/telemetry/snapshots/prepare-partitions.ts';
import { fakeClock } from '../setup/clock.ts';
import type { TestDatabase } from '../setup/database.ts';
import { sumAllQuarterHours } from '../setup/quarter-hours.ts';
import type { SnapshotApi } from '../telemetry/snapshots/snapshot-api.ts';
import { bothEngines, uneven } from './both-engines.ts';

const { onBoth, onCitus } = bothEngines('storage');

onCitus('a database as init and migrate leave it passes the check at the start', async ({ database }) => {
  expect(await withDatabaseClient(database.appUrl, startProblems)).toEqual([]);
});

onCitus('snapshots and their sums are distributed by asset, and nothing else is', async ({ citus }) => {
  const { rows } = await citus.admin.query<{ name: string; place: number }>(
    `SELECT logicalrelid::text AS name, colocationid AS place FROM pg_dist_partition JOIN pg_class AS c ON c.oid = logicalrelid
      WHERE NOT c.relispartition ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['asset_days', 'asset_quarter_hours', 'asset_snapshots']);
  expect(new Set(rows.map(({ place }) => place)).size).toBe(1);
});

async function asMaintenance(database: TestDatabase, text: string, values: unknown[] = []): Promise<number> {
  return await withDatabaseClient(database.maintenanceUrl, async (client) => {
    const { rows } = await client.query<{ value: string }>(`SELECT ${text} AS value`, values);
    return Number(rows[0]?.value);
  });
}

const prepare = (database: TestDatabase, since: string, weeks: number) =>
  asMaintenance(database, 'prepare_snapshot_partitions($1, $2)', [since, weeks]);

onCitus(
  'weeks are made once; one whose rows lie among the others is left to them',
  async ({ citus, database }) => {
    const { key } = (await citus.addHousehold()).assets.household_net;
    const insert = (at: string) =>
      citus.admin.query('INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 1)', [
        key,
        at,
      ]);
    await insert('2030-01-10T00:00Z');
    expect(await prepare(database, '2030-01-03T00:00Z', 3)).toBe(5);
    expect(await prepare(database, '2030-01-03T00:00Z', 3)).toBe(0);
    await insert('2030-01-03T00:00Z');
    const { rows } = await citus.admin.query<{ stored_in: string }>(
      /* On a node of Citus with the number of the shard behind it. */
      "SELECT regexp_replace(tableoid::regclass::text, '_\\d{6}$', '') AS stored_in FROM asset_snapshots WHERE timestamp >= '2030-01-01' ORDER BY timestamp",
    );
    expect(rows.map(({ stored_in }) => stored_in)).toEqual([
      'asset_snapshots_20300103',
      'asset_snapshots_other',
    ]);
    await citus.admin.query("DELETE FROM asset_snapshots WHERE timestamp >= '2030-01-01'");
  },
);

onCitus('the weeks that are made ahead are counted', async ({ citus, database }) => {
  await prepare(database, '2031-01-02T00:00Z', 4);
  const ahead = async (at: string) => {
    const { rows } = await citus.admin.query('SELECT find_snapshot_weeks_ahead($1) AS weeks', [at]);
    return rows[0]?.weeks;
  };
  expect([await ahead('2031-01-01T00:00Z'), await ahead('2031-01-05T00:00Z')]).toEqual([4, 3]);
  expect(await ahead('2031-01-23T00:00Z')).toBe(0);
});

const run = async (url: string) => {
  const maintenance = openDatabase({ url, applicationName: 'test', connectionsMax: 1, onError: () => {} });
  try {
    const job = { signal: new AbortController().signal };
    return await prepareSnapshotPartitions({ maintenance, clock: in2040 }, job);
  } finally {
    await maintenance.close();
  }
};

const in2040 = fakeClock('2040-01-05T12:00:00.000Z');

/** The gauge of weeks, asked anew each time, and what was logged since the last time. */
function watchWeeks(database: Database) {
  const lines: { level: number; weeks: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics({ runtime: false });
  const refresh = snapshotPartitionGauges({ clock: in2040, metrics, log, database });
  return async () => {
    await refresh();
    const gauge = /^voltstream_snapshot_weeks_ahead (.+)$/m.exec(await metrics.text())?.[1];
    return [gauge, lines.splice(0).map(({ level, weeks }) => [level, weeks])];
  };
}

onCitus('a job makes eight weeks ahead; fewer than three raise an alarm until it ran', async ({ citus }) => {
  const weeks = watchWeeks(citus.api.deps.database);
  expect(await weeks()).toEqual(['0', [[50, 0]]]);
  expect(await weeks()).toEqual(['0', []]);
  const { maintenanceUrl } = citus.api.database;
  expect([await run(maintenanceUrl), await run(maintenanceUrl)]).toEqual([
    { partitions: 18 },
    { partitions: 0 },
  ]);
  expect(await weeks()).toEqual(['8', [[30, 8]]]);
});

onBoth('on TimescaleDB there is nothing to make ahead, and no alarm', async ({ timescale }) => {
  expect(await run(timescale.api.database.maintenanceUrl)).toEqual({ partitions: 0 });
  expect((await watchWeeks(timescale.api.deps.database)()).slice(1)).toEqual([[]]);
});

onCitus('retention drops the oldest weeks, then what lies among the others', async ({ citus, database }) => {
  const { key } = (await citus.addHousehold()).assets.household_net;
  await prepare(database, '2019-06-06T00:00Z', 2);
  await citus.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp)
     SELECT $1, unnest('{2018-01-01,2019-06-07,2019-06-14,2026-11-01}'::timestamptz[])`,
    [key],
  );
  const drop = () => asMaintenance(database, "drop_old_snapshot_chunks('2020-01-01', 1)");
  expect([await drop(), await drop(), await drop(), await drop()]).toEqual([1, 1, 1, 0]);
  const { rows } = await citus.admin.query('SELECT timestamp FROM asset_snapshots WHERE asset_id = $1', [
    key,
  ]);
  expect(rows).toEqual([{ timestamp: new Date('2026-11-01T00:00:00.000Z') }]);
  const { rows: progress } = await citus.admin.query(
    'SELECT snapshots_dropped_until AS until FROM quarter_hour_progress',
  );
  expect(progress).toEqual([{ until: new Date('2019-06-20T00:00:00.000Z') }]);
});

onCitus(
  'erasure deletes snapshots of one asset in portions, and then their sums',
  async ({ citus, database }) => {
    const [mine, theirs] = [await uneven(citus), await uneven(citus)];
    await sumAllQuarterHours(citus.api.database, citus.clock);
    const portions: number[] = [];
    for (let rows = 1; rows > 0; portions.push(rows)) {
      rows = await asMaintenance(database, 'erase_asset_snapshots($1, 40)', [mine.key]);
    }
    expect(portions.slice(0, 2)).toEqual([40, 21]);
    const left = async (table: string, key: number) =>
      (await citus.admin.query(`SELECT FROM ${table} WHERE asset_id = $1`, [key])).rowCount;
    expect([await left('asset_snapshots', mine.key), await left('asset_quarter_hours', mine.key)]).toEqual([
      0, 0,
    ]);
    expect(await left('asset_snapshots', theirs.key)).toBe(61);
  },
);

onCitus('what operators ask about the storage is told by the nodes', async ({ citus, database }) => {
  await uneven(citus);
  await citus.admin.query('ANALYZE asset_snapshots');
  const { rows } = await withDatabaseClient(database.appUrl, (client) =>
    client.query('SELECT * FROM list_hypertables()'),
  );
  expect(rows.map(({ hypertable }) => hypertable)).toEqual([
    'asset_days',
    'asset_quarter_hours',
    'asset_snapshots',
  ]);
  const { rowCount } = await citus.admin.query('SELECT FROM asset_snapshots');
  expect(Number(rows[2]?.rows_estimated)).toBe(rowCount);
  expect(Number(rows[2]?.bytes)).toBeGreaterThan(Number(rows[2]?.index_bytes));
});

onCitus(
  'neither service nor maintenance may do more than insert, in no partition either',
  async ({ citus, database }) => {
    const { rows } = await citus.admin.query<{ name: string }>(
      "SELECT oid::regclass::text AS name FROM pg_class WHERE relname ~ '^asset_(snapshots|quarter_hours)' AND relkind IN ('r', 'p')",
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const url of [database.appUrl, database.maintenanceUrl]) {
      await withDatabaseClient(url, async (client) => {
        for (const { name } of rows) {
          for (const start of ['SELECT FROM', 'DELETE FROM', 'TRUNCATE', 'DROP TABLE']) {
            await expect(client.query(`${start} ${name}`), `${start} ${name}`).rejects.toMatchObject({
              code: '42501',
            });
          }
        }
      });
    }
  },
);

/** What a table is, whatever the engine makes of its storage. */
const SHAPE = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS is_required,
         pg_get_expr(d.adbin, d.adrelid) AS fallback, col_description(c.oid, a.attnum) AS comment,
         (SELECT array_agg(pg_get_constraintdef(k.oid) ORDER BY k.conname) FROM pg_constraint k
           WHERE k.conrelid = c.oid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)) AS checks,
         (SELECT array_agg(acl.grantee::regrole || ' ' || acl.privilege_type ORDER BY 1) FROM aclexplode(c.relacl) acl
           WHERE acl.grantee <> c.relowner) AS rights
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (c.oid, a.attnum)
   WHERE c.oid = to_regclass($1) ORDER BY a.attnum`;

onBoth(
  'tables have the same columns, rules, comments and rights on both engines',
  async ({ citus, timescale }) => {
    for (const table of [
      'asset_snapshots',
      'asset_quarter_hours',
      'asset_days',
      'late_quarter_hours',
      'quarter_hour_progress',
    ]) {
      const { rows } = await citus.admin.query(SHAPE, [table]);
      expect(rows.length).toBeGreaterThan(3);
      expect(rows).toEqual((await timescale.admin.query(SHAPE, [table])).rows);
    }
  },
);

const FUNCTIONS = `
  SELECT p.oid::regprocedure || ' ' || pg_get_function_result(p.oid) || ' ' || pg_get_userbyid(p.proowner) || ' '
           || coalesce(array_to_string(ARRAY(SELECT acl.grantee::regrole::text FROM aclexplode(p.proacl) acl
                                              WHERE acl.grantee <> p.proowner ORDER BY 1), ' '), 'PUBLIC') AS name
    FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

onBoth(
  'functions, their owners and who may call them are the same on both engines',
  async ({ citus, timescale }) => {
    const functions = async ({ admin }: SnapshotApi) =>
      (await admin.query<{ name: string }>(FUNCTIONS)).rows.map(({ name }) => name);
    const [own, others] = [await functions(citus), await functions(timescale)];
    expect(others.filter((name) => !own.includes(name))).toEqual([]);
    const more = own.filter((name) => !others.includes(name)).map((name) => name.split('(')[0]);
    expect(more.sort()).toEqual(['list_week_partitions', 'newest_of_assets', 'stored_of_assets']);
  },
);
