import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportKind, isOfOrganization } from '../../../src/governance/exports/kinds.ts';
import { addDays } from '../../../src/platform/time/berlin-calendar.ts';
import { csvRows, type ExportWorld, exportWorld, HARD_NAMES, insertSnapshots } from './fixture.ts';

let world: ExportWorld;

beforeAll(async () => {
  world = await exportWorld();
  for (const day of ['2026-03-29', '2026-10-25']) await insertSnapshots(world, day, day);
});
afterAll(() => world?.close());

/** What the database holds of the first organization between the midnights of a day. */
const stored = async (day: string) => {
  const [found] = await world.rows<{ rows: number; power: number; charges: number }>(
    `SELECT count(*)::int AS rows, sum(power_kw) AS power, count(state_of_charge)::int AS charges
       FROM asset_snapshots s JOIN assets a ON a.key = s.asset_id
      WHERE a.organization_id = $1 AND timestamp >= $2::timestamp AT TIME ZONE 'Europe/Berlin'
        AND timestamp < ($2::timestamp + interval '1 day') AT TIME ZONE 'Europe/Berlin'`,
    [world.a.organization, day],
  );
  return found ?? { rows: 0, power: 0, charges: 0 };
};

test.each([
  ['2026-03-29', 92],
  ['2026-10-25', 100],
])(
  'export of %s holds %i quarter hours of each asset, and counts and sums are those of the database',
  async (day, quarterHours) => {
    const { file, report } = await world.run({ what: 'snapshots', from: day, to: addDays(day, 1) });
    const rows = await csvRows(file);
    const inDatabase = await stored(day);
    expect(rows.length).toBe(25 * quarterHours);
    expect(report).toEqual({ rows: inDatabase.rows, rowsBefore: 0, isComplete: true });
    expect(rows.length).toBe(inDatabase.rows);
    expect(rows.reduce((sum, row) => sum + Number(row.power_kw), 0)).toBeCloseTo(inDatabase.power, 6);
    expect(rows.filter((row) => row.state_of_charge !== '').length).toBe(inDatabase.charges);
    expect(new Set(rows.map((row) => row.delivery_day))).toEqual(new Set([day]));
  },
);

test('export tells the two forms of the repeated hour apart, and leaves the hour out that spring skips', async () => {
  const october = await csvRows((await world.run({ what: 'snapshots' })).file);
  const first = october.filter((row) => row.asset === october[0]?.asset);
  const repeated = first.filter((row) => row.local_time?.startsWith('2026-10-25 02:00:00'));
  expect(repeated.map((row) => row.utc_offset_hours)).toEqual(['2', '1']);
  expect(repeated.map((row) => row.timestamp?.slice(0, 19))).toEqual([
    '2026-10-25 00:00:00',
    '2026-10-25 01:00:00',
  ]);
  expect(new Set(first.map((row) => `${row.local_time} ${row.utc_offset_hours}`)).size).toBe(100);
  const march = await csvRows(
    (await world.run({ what: 'snapshots', from: '2026-03-29', to: '2026-03-30' })).file,
  );
  expect(march.filter((row) => row.local_time?.startsWith('2026-03-29 02:'))).toEqual([]);
});

test('export holds instants in UTC to the microsecond, ordered by day, asset and instant', async () => {
  const rows = await csvRows((await world.run({ what: 'snapshots' })).file);
  expect(rows.every((row) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/.test(row.timestamp ?? ''))).toBe(
    true,
  );
  const keys = rows.map((row) => `${row.asset} ${row.timestamp}`);
  expect(keys).toEqual(keys.toSorted());
});

test('B113 for spreadsheets a text of customers that they would calculate begins with an apostrophe', async () => {
  const rows = await csvRows((await world.run({ what: 'snapshots', isForSpreadsheets: true })).file);
  const names = [...new Set(rows.map((row) => row.external_id ?? ''))];
  expect(names.filter((name) => /^[=+@\t\r-]/.test(name))).toEqual([]);
  for (const name of HARD_NAMES) expect(names).toContain(/^[=+@-]/.test(name) ? `'${name}` : name);
  /* Numbers stay numbers. */
  expect(rows.every((row) => !row.power_kw?.startsWith("'"))).toBe(true);
});

test('texts of customers are exported as they are where nobody asked for spreadsheets', async () => {
  const rows = await csvRows((await world.run({ what: 'snapshots' })).file);
  expect(new Set(rows.map((row) => row.external_id))).toEqual(
    new Set(
      (
        await world.rows<{ name: string }>(
          `SELECT coalesce(external_id, '') AS name FROM assets WHERE organization_id = $1`,
          [world.a.organization],
        )
      ).map(({ name }) => name),
    ),
  );
});

test('I22 export never holds rows of another organization, nor of another household', async () => {
  const assetsOf = async (organization: string) => {
    const { file } = await world.run({ what: 'snapshots', organization });
    return [...new Set((await csvRows(file)).map((row) => row.asset ?? ''))].sort();
  };
  expect(await assetsOf(world.b.organization)).toEqual([...world.b.assets].sort());
  expect(await assetsOf(world.a.organization)).toHaveLength(25);
  const { file } = await world.run({ what: 'snapshots', household: world.a.households[1] });
  const rows = await csvRows(file);
  expect(new Set(rows.map((row) => row.household))).toEqual(new Set([world.a.households[1]]));
  expect(rows).toHaveLength(100);
  await expect(world.run({ what: 'snapshots', household: world.b.households[0] })).rejects.toThrow(
    `There is no household ${world.b.households[0]}`,
  );
});

test('export of prices and of usage holds every stored digit', async () => {
  await world.admin.query(
    `SET session_replication_role = replica;
     INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     VALUES ('DE-LU', '2026-10-24T22:00Z', 15, '2026-10-25', -12.345, 'tests', 1),
            ('DE-LU', '2026-10-24T22:15Z', 15, '2026-10-25', 0, 'tests', 1),
            ('DE-LU', '2026-10-25T23:00Z', 15, '2026-10-26', 1, 'tests', 1);
     RESET session_replication_role`,
  );
  const prices = await csvRows((await world.run({ what: 'prices' })).file);
  expect(prices.map((row) => [row.local_time, row.eur_mwh, row.ct_kwh, row.is_synthetic])).toEqual([
    ['2026-10-25 00:00:00', '-12.345', '-1.2345', 'false'],
    ['2026-10-25 00:15:00', '0', '0', 'false'],
  ]);
  const usage = { what: 'usage', from: '2026-12-01', to: '2026-12-02' } as const;
  const used = await csvRows((await world.run(usage)).file);
  expect(used.map((row) => [row.start, row.local_time, row.kwh])).toEqual([
    ['2026-12-01 00:00:00+00', '2026-12-01 01:00:00', '0.1'],
    ['2026-12-01 00:00:00+00', '2026-12-01 01:00:00', '0.1'],
  ]);
  expect(new Set(used.map((row) => row.household))).toEqual(new Set(world.a.households));
});

test('export of invoices holds the documents that were issued on a day, with their cents', async () => {
  const documents = await world.rows<{ id: string; total: string; day: string }>(
    `SELECT id, total, (created_at AT TIME ZONE 'Europe/Berlin')::date::text AS day FROM invoices
      WHERE organization_id = $1 ORDER BY id`,
    [world.a.organization],
  );
  const [day = ''] = documents.map((document) => document.day);
  expect(documents.every((document) => document.day === day)).toBe(true);
  const read = async (from: string) =>
    await csvRows((await world.run({ what: 'invoices', from, to: addDays(from, 1) })).file);
  const rows = await read(day);
  expect(rows.map((row) => [row.invoice, row.total_eur]).toSorted()).toEqual(
    documents.map(({ id, total }) => [id, total]),
  );
  expect(new Set(rows.map((row) => row.household))).toEqual(new Set(world.a.households));
  expect(await read('2026-01-02')).toEqual([]);
});

test('export of energy holds the sums of quarter hours, as its view gives them', async () => {
  await world.admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT a.key, t, 1, 0, 900, 0.1 * a.place, 0.25
       FROM (SELECT key, row_number() OVER (ORDER BY key) AS place FROM assets) AS a,
            generate_series('2026-10-24T22:00Z'::timestamptz, '2026-10-25T23:00Z', interval '15 min') AS t`,
  );
  const { file, report } = await world.run({ what: 'energy' });
  const rows = await csvRows(file);
  expect(report.rows).toBe(25 * 100);
  const [sums] = await world.rows<{ consumed: number; fed: number }>(
    `SELECT sum(consumed_kwh) AS consumed, sum(fed_kwh) AS fed FROM analytics.energy
      WHERE organization_id = $1 AND delivery_day = '2026-10-25'`,
    [world.a.organization],
  );
  expect(rows.reduce((sum, row) => sum + Number(row.consumed_kwh), 0)).toBeCloseTo(sums?.consumed ?? 0, 6);
  expect(rows.reduce((sum, row) => sum + Number(row.fed_kwh), 0)).toBeCloseTo(sums?.fed ?? 0, 6);
  expect(new Set(rows.map((row) => row.delivery_day))).toEqual(new Set(['2026-10-25']));
});

test('export of energy of households holds what their assets took from and gave to the grid, with the cover', async () => {
  const day = '2026-10-23';
  await world.admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT a.key, t, 1, 0, 450, 0.1 * a.place, 0.25
       FROM (SELECT key, row_number() OVER (ORDER BY key) AS place FROM assets) AS a,
            generate_series('2026-10-22T22:00Z'::timestamptz, '2026-10-23T21:45Z', interval '15 min') AS t`,
  );
  const { file } = await world.run({ what: 'household_energy', from: day, to: addDays(day, 1) });
  const rows = await csvRows(file);
  /* Out of the tables: what was measured at the connection of each household. */
  const measured = await world.rows<{ household: string; bought: number; sold: number; rows: number }>(
    `SELECT a.household_id AS household, sum(q.consumed_kwh) FILTER (WHERE a.type = 'household_net') AS bought,
            sum(q.fed_kwh) FILTER (WHERE a.type = 'household_net') AS sold, count(DISTINCT q.start)::int AS rows
       FROM asset_quarter_hours AS q JOIN assets AS a ON a.key = q.asset_id
      WHERE a.organization_id = $1 AND q.start >= '2026-10-22T22:00Z' AND q.start < '2026-10-23T22:00Z'
      GROUP BY 1 ORDER BY 1`,
    [world.a.organization],
  );
  const sum = (household: string, name: string) =>
    rows.filter((row) => row.household === household).reduce((all, row) => all + Number(row[name]), 0);
  for (const { household, bought, sold, rows: count } of measured) {
    expect(rows.filter((row) => row.household === household)).toHaveLength(count);
    expect(sum(household, 'grid_import_kwh')).toBeCloseTo(bought ?? 0, 6);
    expect(sum(household, 'grid_export_kwh')).toBeCloseTo(sold ?? 0, 6);
  }
  expect(new Set(rows.map((row) => row.household))).toEqual(
    new Set(measured.map(({ household }) => household)),
  );
  const inView = await world.rows<{ share: number }>(
    `SELECT sum(covered_share)::float8 AS share FROM analytics.household_energy
      WHERE organization_id = $1 AND delivery_day = $2`,
    [world.a.organization, day],
  );
  expect(rows.reduce((all, row) => all + Number(row.covered_share), 0)).toBeCloseTo(
    inView[0]?.share ?? -1,
    6,
  );
});

test('export of days, cost, lines of invoices, payments, reminders, forecasts, fees and the calendar holds the rows of each day, as their views give them', async () => {
  await world.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT a.key, d::date, 96, 96, 86400, 1.5 * extract(day FROM d), 0.25
       FROM assets AS a, generate_series('2026-10-24'::timestamp, '2026-10-26', interval '1 day') AS d;
     SET session_replication_role = replica;
     INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on, created_at,
                           updated_at)
     SELECT organization_id, customer_id, 'pay_' || substr(id, 5), id, 'in', 'entered', abs(total), 'settled', '2026-10-24',
            '2026-10-24T22:00Z', now() FROM invoices;
     INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, source)
     VALUES ('10115', 'tests', 'T4', 1, '2026-01-01', 'tests') ON CONFLICT DO NOTHING;
     RESET session_replication_role;
     UPDATE organizations SET forecast_enabled = true;
     WITH made AS (
       INSERT INTO price_forecast_captures (source, zone, captured_at, payload_hash)
       VALUES ('model:tests', 'DE-LU', '2026-10-24T08:00Z', sha256('tests')) RETURNING id, captured_at
     ), days AS (
       INSERT INTO price_forecast_days (capture_id, zone, delivery_on, source, captured_at, complete)
       SELECT id, 'DE-LU', '2026-10-25', 'model:tests', captured_at, true FROM made
     )
     INSERT INTO price_forecast_values (capture_id, interval_start, minutes, amount)
     SELECT id, at, 60, 12.5 FROM made, generate_series('2026-10-24T22:00Z'::timestamptz, '2026-10-25T22:00Z', interval '1 hour') AS at`,
  );
  for (const [what, day, condition] of [
    ['energy_days', '2026-10-25', `delivery_day = '2026-10-25'`],
    ['household_energy_days', '2026-10-25', `delivery_day = '2026-10-25'`],
    ['retail_cost', '2026-12-01', `delivery_day = '2026-12-01'`],
    ['retail_cost_days', '2026-12-01', `delivery_day = '2026-12-01'`],
    ['reminders', '2026-12-22', `reminded_on = '2026-12-22'`],
    ['payments', '2026-10-25', `created_at >= '2026-10-24T22:00Z' AND created_at < '2026-10-25T23:00Z'`],
    ['price_forecasts', '2026-10-25', `delivery_day = '2026-10-25'`],
    ['invoice_lines', '2026-12-01', `created_at >= '2026-11-30T23:00Z' AND created_at < '2026-12-01T23:00Z'`],
    ['fee_days', '2026-10-25', `delivery_day = '2026-10-25'`],
    ['calendar', '2026-10-25', `delivery_day = '2026-10-25'`],
  ] as const) {
    const rows = await csvRows((await world.run({ what, from: day, to: addDays(day, 1) })).file);
    const kind = exportKind(what);
    const names = kind.columns
      .filter(({ of, type }) => of === 'v' && !['instant', 'words'].includes(type))
      .map(({ name }) => name);
    const own = isOfOrganization(kind) ? `organization_id = '${world.a.organization}'` : 'true';
    const inView = await world.rows<Record<string, string>>(
      `SELECT ${names.map((name) => `coalesce(${name}::text, '') AS ${name}`).join(', ')} FROM analytics.${what}
        WHERE ${own} AND ${condition}`,
    );
    const told = (row: Record<string, string>) =>
      names.map((name) => (Number.isFinite(Number(row[name])) ? Number(row[name]) : row[name])).join(' ');
    expect([what, rows.length > 0]).toEqual([what, true]);
    expect([what, rows.map(told).toSorted()]).toEqual([what, inView.map(told).toSorted()]);
  }
  const household = world.a.households[1];
  const day = { from: '2026-10-25', to: '2026-10-26', household };
  for (const what of ['energy_days', 'payments'] as const) {
    const rows = await csvRows((await world.run({ what, ...day })).file);
    expect([what, new Set(rows.map((row) => row.household))]).toEqual([what, new Set([household])]);
  }
});

test('a day without rows gives the header alone, and the file is for its owner only', async () => {
  const { file, report } = await world.run({ what: 'snapshots', from: '2026-05-01', to: '2026-05-03' });
  expect(report.rows).toBe(0);
  expect(await csvRows(file)).toEqual([]);
  const { mode, size } = await stat(file);
  expect(mode & 0o777).toBe(0o600);
  expect(size).toBeGreaterThan(50);
});

test('each export leaves who, why and of which household in the audit log', async () => {
  await world.run({ what: 'snapshots', household: world.a.households[0] });
  await world.run({ what: 'prices', from: '2026-05-01', to: '2026-05-02' });
  const lines = await world.rows(
    `SELECT organization_id, act, staff, reason, object_id, result FROM audit_log
      WHERE act LIKE '%.export' ORDER BY id DESC LIMIT 2`,
  );
  const common = { staff: 'ada', reason: 'forecast of the load', result: 'done' };
  expect(lines).toEqual([
    { ...common, organization_id: null, act: 'prices.export', object_id: null },
    {
      ...common,
      organization_id: world.a.organization,
      act: 'snapshots.export',
      object_id: world.a.households[0],
    },
  ]);
});
