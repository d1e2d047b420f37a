import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { quarterHourGauges } from '../../../src/telemetry/quarter-hours/gauges.ts';
import { createAsset, createHousehold, createTenant } from '../../setup/factories.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { NOW, type SnapshotApi, startSnapshotApi } from '../snapshots/snapshot-api.ts';

let service: SnapshotApi;

beforeAll(async () => {
  service = await startSnapshotApi({});
});

afterAll(() => service?.close());

test('sums that are behind raise one alarm, and it ends with the run that catches up', async () => {
  const { api, clock, admin } = service;
  const lines: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics({ runtime: false });
  const refresh = quarterHourGauges({ database: api.deps.database, clock, metrics, log });
  const value = async (name: string) =>
    Number(new RegExp(`^voltstream_${name} (.+)$`, 'm').exec(await metrics.text())?.[1]);

  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(0);
  await sumAllQuarterHours(api.database, clock);
  clock.advance(3_600_000);
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(3_600);
  expect(lines).toEqual([]);

  clock.advance(900_000);
  await refresh();
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(4_500);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [50, 'sums by quarter hour are behind: analysts see old figures'],
  ]);
  await sumAllQuarterHours(api.database, clock);
  await refresh();
  expect(await value('quarter_hours_behind_seconds')).toBe(0);
  expect(lines.slice(1).map(({ msg }) => msg)).toEqual(['sums by quarter hour are up to date again']);

  await admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES (1, '2026-11-30', 4, $1)`,
    [new Date(clock.nowMilliseconds() - 4_000_000)],
  );
  await refresh();
  expect(await value('late_quarter_hours_waiting')).toBe(1);
  expect(await value('late_quarter_hours_oldest_seconds')).toBe(4_000);
  expect(lines).toHaveLength(3);
  await sumAllQuarterHours(api.database, clock);
  await refresh();
  expect(await value('late_quarter_hours_waiting')).toBe(0);
  expect(lines).toHaveLength(4);
});

test('while late rows wait, the sums of their organization say they know what was sent before these, and no more', async () => {
  const { api, clock, admin, organization } = service;
  const { key } = (await service.addHousehold()).assets.household_net;
  const other = await createTenant(api);
  await sumAllQuarterHours(api.database, clock);
  const instant = () => new Date(clock.nowMilliseconds());
  /* Summed by the end of a run that had no time for all late rows. */
  const summed = async () => {
    await withDatabaseClient(api.database.maintenanceUrl, (client) =>
      client.query(`SELECT advance_quarter_hours('2026-01-01Z', $1)`, [instant()]),
    );
    const { rows } = await admin.query<{ id: string; summed_at: Date }>(
      'SELECT organization_id AS id, summed_at FROM analytics.energy_progress',
    );
    return [organization, other.organization].map((name) => rows.find(({ id }) => id === name)?.summed_at);
  };
  clock.advance(60_000);
  const queued = instant();
  for (const minutes of [1, 0])
    await admin.query(
      `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES ($1, '2026-11-30', 4, $2)`,
      [key, new Date(queued.getTime() + minutes * 60_000)],
    );
  clock.advance(3_600_000);
  expect(await summed()).toEqual([queued, instant()]);
  await sumAllQuarterHours(api.database, clock);
  expect(await summed()).toEqual([instant(), instant()]);
});

test('parts of an entry that was split are as old as it was', async () => {
  const { api, clock, admin } = service;
  const { key } = (await service.addHousehold()).assets.household_net;
  const queued = clock.nowMilliseconds() - 7_200_000;
  for (const minutes of [0, 60])
    await admin.query(
      `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES ($1, '2026-11-30', 4, $2)`,
      [key, new Date(queued + minutes * 60_000)],
    );
  const { rows } = await withDatabaseClient(api.database.maintenanceUrl, async (maintenance) => {
    await maintenance.query('SELECT split_late_quarter_hours()');
    return await maintenance.query(
      'SELECT late_entries::int, oldest_late_at FROM find_quarter_hour_progress(10)',
    );
  });
  expect(rows).toEqual([{ late_entries: 5, oldest_late_at: new Date(queued) }]);
  await sumAllQuarterHours(api.database, clock);
});

test('entries of before organizations had turns are known to all of them, and taken with equal ones of today', async () => {
  const { api, clock, admin, organization } = service;
  const { key } = (await service.addHousehold()).assets.household_net;
  await sumAllQuarterHours(api.database, clock);
  const queued = new Date(clock.nowMilliseconds() - 60_000);
  const insert = (seconds: number) =>
    admin.query(
      `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours, queued_at) VALUES ($1, '2026-11-30', 4, $2)`,
      [key, new Date(queued.getTime() + seconds * 1_000)],
    );
  await insert(0);
  await admin.query("UPDATE late_quarter_hours SET organization = ''");
  await insert(1);
  const { rows } = await admin.query(
    'SELECT summed_at FROM analytics.energy_progress WHERE organization_id = $1',
    [organization],
  );
  expect(rows).toEqual([{ summed_at: queued }]);
  await withDatabaseClient(api.database.maintenanceUrl, async (maintenance) => {
    const { rows: taken } = await maintenance.query('SELECT quarter_hours FROM take_late_quarter_hours(10)');
    expect(taken).toEqual([{ quarter_hours: 4 }]);
  });
  expect((await admin.query('SELECT FROM late_quarter_hours')).rowCount).toBe(0);
});

test('equal entries are taken together however many organizations have some, and only rows of the portion are read', async () => {
  const { api, admin } = service;
  const { key } = (await service.addHousehold()).assets.household_net;
  await admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours) SELECT -n, '2026-11-30', 1 FROM generate_series(1, 1000) AS n`,
  );
  await admin.query(`UPDATE late_quarter_hours SET organization = 'org_' || -asset_id`);
  const start = `'2026-01-01Z'::timestamptz + n % 5000 * interval '15 minutes'`;
  await admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours) SELECT $1, ${start}, 1 FROM generate_series(1, 10000) AS n`,
    [key],
  );
  await withDatabaseClient(api.database.maintenanceUrl, async (maintenance) => {
    await maintenance.query('BEGIN');
    const { rowCount } = await maintenance.query('SELECT FROM take_late_quarter_hours(1099)');
    const { rows } = await maintenance.query(
      `SELECT n_tup_del::int AS deleted, seq_tup_read::int AS scanned, idx_tup_fetch::int AS found
         FROM pg_stat_xact_user_tables WHERE relname = 'late_quarter_hours'`,
    );
    await maintenance.query('ROLLBACK');
    expect([rowCount, rows]).toMatchObject([1099, [{ deleted: 1198, scanned: 0 }]]);
    expect(rows[0].found).toBeLessThan(6_000);
  });
  await admin.query('DELETE FROM late_quarter_hours');
});

test('organizations take turns: what one of them sends again after an outage holds up no other', async () => {
  const { api, clock } = service;
  clock.set(NOW);
  const home = await service.addHousehold();
  const theirs = await createTenant(api);
  const household = await createHousehold(api.deps, theirs.organization);
  const device = await createAsset(api.deps, theirs.organization, household, { type: 'heat_pump' });
  const rowsAt = (asset: string, hour: string) => [
    { asset, timestamp: `2026-12-01T${hour}:01:00Z`, power_kw: 1 },
  ];
  for (const hour of ['01', '02', '03', '04', '05', '06'])
    expect((await home.send(rowsAt(home.assets.household_net.id, hour))).status).toBe(200);
  const client = api.client(theirs.token);
  for (const hour of ['07', '08']) {
    const batch = { household: household.household, snapshots: rowsAt(device.id, hour) };
    expect((await client.post('/asset-snapshots', batch)).status).toBe(200);
  }
  await withDatabaseClient(api.database.maintenanceUrl, async (maintenance) => {
    const taken = async (entries: number) => {
      const text = 'SELECT start FROM take_late_quarter_hours($1)';
      const { rows } = await maintenance.query<{ start: Date }>(text, [entries]);
      return rows.map(({ start }) => start.toISOString().slice(11, 13));
    };
    expect((await taken(2)).sort()).toEqual(['01', '07']);
    /* Also where portions had to become as small as can be, each goes on behind the last turn. */
    expect([...(await taken(1)), ...(await taken(1))].sort()).toEqual(['02', '08']);
    await maintenance.query('SELECT split_late_quarter_hours()');
    expect(await taken(10)).toEqual(['04', '05', '06', '03']);
  });
});
