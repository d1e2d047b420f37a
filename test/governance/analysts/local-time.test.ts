import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, startFixture, storePrices } from './fixture.ts';

let fixture: Fixture;
let household: string;

const DAYS = { march: '2026-03-29', october: '2026-10-25', plain: '2026-06-15' };

beforeAll(async () => {
  fixture = await startFixture();
  const { admin, own } = fixture;
  household = own.households[0] ?? '';
  const { rows } = await admin.query<{ key: string }>(
    `INSERT INTO assets (organization_id, id, household_id, customer_id, type)
     SELECT organization_id, 'ast_' || repeat('9', 24), id, customer_id, 'household_net' FROM households WHERE id = $1
     RETURNING key`,
    [household],
  );
  for (const day of Object.values(DAYS)) {
    await admin.query(
      `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh,
                                        first_at, last_at)
       SELECT $1, at, 1, 0, 900, 0.5, 0.25, at, at
         FROM delivery_days AS d, generate_series(d.starts_at, d.ends_at - interval '1 minute', interval '15 minutes') AS at
        WHERE d.day = $2`,
      [rows[0]?.key, day],
    );
  }
  await admin.query(
    'INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) SELECT $1, unnest($2::timestamptz[]), 1',
    [
      rows[0]?.key,
      [
        '2026-10-25T00:30Z',
        '2026-10-25T01:30Z',
        '2026-10-24T21:59Z',
        '2026-10-25T22:59Z',
        '2026-10-25T23:00Z',
      ],
    ],
  );
  /* Hours until October 2025, quarter hours from then on; here one day of each kind. */
  await storePrices(admin, { from: '2026-10-24T22:00Z', until: '2026-10-25T23:00Z', minutes: 15 }, '100');
  await storePrices(
    admin,
    { from: '2026-03-28T23:00Z', until: '2026-03-29T22:00Z', minutes: 60 },
    "CASE WHEN at < '2026-03-29T10:00Z' THEN 100 ELSE -20 END",
  );
});
afterAll(() => fixture?.close());

const ask = async (text: string) => (await fixture.analyst.query(text)).rows as unknown[];

test('both forms of the repeated hour are told apart, and a day begins and ends at midnight in Berlin', async () => {
  const rows = await ask(`
    SELECT to_char(timestamp AT TIME ZONE 'UTC', 'DD HH24:MI') AS utc, local_time::text, utc_offset_hours, delivery_day::text
      FROM snapshots WHERE asset = 'ast_999999999999999999999999' ORDER BY timestamp`);
  expect(rows).toEqual([
    { utc: '24 21:59', local_time: '2026-10-24 23:59:00', utc_offset_hours: 2, delivery_day: '2026-10-24' },
    { utc: '25 00:30', local_time: '2026-10-25 02:30:00', utc_offset_hours: 2, delivery_day: '2026-10-25' },
    { utc: '25 01:30', local_time: '2026-10-25 02:30:00', utc_offset_hours: 1, delivery_day: '2026-10-25' },
    { utc: '25 22:59', local_time: '2026-10-25 23:59:00', utc_offset_hours: 1, delivery_day: '2026-10-25' },
    { utc: '25 23:00', local_time: '2026-10-26 00:00:00', utc_offset_hours: 1, delivery_day: '2026-10-26' },
  ]);
});

test('a session counts days from midnight in Berlin', async () => {
  expect(
    await ask(`SELECT count(*)::int AS count FROM energy
                WHERE household = '${household}' AND start >= '2026-10-25' AND start < '2026-10-26'`),
  ).toEqual([{ count: 100 }]);
});

test.each([
  [DAYS.march, 92, 8],
  [DAYS.plain, 96, 12],
  [DAYS.october, 100, 16],
])(
  'energy of %s has %i quarter hours, each once, and %i before three o’clock',
  async (day, expected, early) => {
    const rows = await ask(`
    SELECT count(*)::int AS quarter_hours, count(DISTINCT (local_time, utc_offset_hours))::int AS different,
           count(*) FILTER (WHERE local_time < date '${day}' + time '03:00')::int AS early,
           sum(grid_import_kwh) AS import, sum(grid_export_kwh) AS export
      FROM household_energy WHERE household = '${household}' AND delivery_day = '${day}'`);
    expect(rows).toEqual([
      { quarter_hours: expected, different: expected, early, import: expected / 2, export: expected / 4 },
    ]);
    const [complete] = await ask(`
    SELECT expected_quarter_hours, quarter_hours, value_share, covered_share, longest_gap_seconds
      FROM completeness WHERE household = '${household}' AND type = 'household_net' AND delivery_day = '${day}'`);
    expect(complete).toEqual({
      expected_quarter_hours: expected,
      quarter_hours: expected,
      value_share: 1,
      covered_share: 1,
      longest_gap_seconds: 900,
    });
  },
);

test('prices are those of the local day: 100 quarter hours in October, 23 hours in March, repeated for their quarter hours', async () => {
  const rows = await ask(`
    SELECT delivery_day::text, minutes, count(*)::int AS count, min(local_time)::text AS first, max(local_time)::text AS last
      FROM spot_prices GROUP BY delivery_day, minutes ORDER BY delivery_day`);
  expect(rows).toEqual([
    {
      delivery_day: DAYS.march,
      minutes: 60,
      count: 23,
      first: '2026-03-29 00:00:00',
      last: '2026-03-29 23:00:00',
    },
    {
      delivery_day: DAYS.october,
      minutes: 15,
      count: 100,
      first: '2026-10-25 00:00:00',
      last: '2026-10-25 23:45:00',
    },
  ]);
  expect(
    await ask(`SELECT delivery_day::text, count(*)::int AS count, count(DISTINCT start)::int AS different
                 FROM spot_price_quarter_hours GROUP BY delivery_day ORDER BY delivery_day`),
  ).toEqual([
    { delivery_day: DAYS.march, count: 92, different: 92 },
    { delivery_day: DAYS.october, count: 100, different: 100 },
  ]);
});

test('cost is price times energy, by quarter hour, day and month; a day without prices has none', async () => {
  const costs = (view: string, key: string) =>
    ask(`SELECT ${key}::text AS key, grid_import_kwh AS import, round(import_cost_eur::numeric, 6)::float AS cost,
                round(export_value_eur::numeric, 6)::float AS value, round(paid_ct_kwh::numeric, 6)::float AS paid,
                quarter_hours, priced_quarter_hours AS priced
           FROM ${view} WHERE household = '${household}' ORDER BY 1`);
  /* March: 11 hours at 10 ct/kWh, 12 at -2; each quarter hour takes 0.5 kWh and gives 0.25. */
  const march = {
    import: 46,
    cost: 44 * 0.5 * 0.1 - 48 * 0.5 * 0.02,
    value: 44 * 0.25 * 0.1 - 48 * 0.25 * 0.02,
  };
  const october = { import: 50, cost: 5, value: 2.5, paid: 10, quarter_hours: 100, priced: 100 };
  const june = { import: 48, cost: null, value: null, paid: null, quarter_hours: 96, priced: 0 };
  const paid = Number(((march.cost * 100) / march.import).toFixed(6));
  const expected = [
    { key: DAYS.march, ...march, paid, quarter_hours: 92, priced: 92 },
    { key: DAYS.plain, ...june },
    { key: DAYS.october, ...october },
  ];
  expect(await costs('energy_cost_days', 'delivery_day')).toEqual(
    expected.map((row) => ({
      ...row,
      cost: row.cost && expect.closeTo(row.cost, 6),
      value: row.value && expect.closeTo(row.value, 6),
    })),
  );
  expect((await costs('energy_cost_months', 'month')).map((row) => (row as { key: string }).key)).toEqual([
    '2026-03-01',
    '2026-06-01',
    '2026-10-01',
  ]);
  expect(
    await ask(
      `SELECT sum(import_cost_eur) AS sum FROM energy_cost WHERE household = '${household}' AND delivery_day = '${DAYS.october}'`,
    ),
  ).toEqual([{ sum: expect.closeTo(5, 6) }]);
});

test('gaps have rows where they are asked for: days and quarter hours without a value', async () => {
  const days = await ask(`
    SELECT delivery_day::text, quarter_hours, value_share, longest_gap_seconds
      FROM completeness WHERE asset = 'ast_999999999999999999999999' AND delivery_day BETWEEN '2026-03-28' AND '2026-03-30'
     ORDER BY 1`);
  expect(days).toEqual([
    { delivery_day: '2026-03-29', quarter_hours: 92, value_share: 1, longest_gap_seconds: 900 },
    { delivery_day: '2026-03-30', quarter_hours: 0, value_share: 0, longest_gap_seconds: 86_400 },
  ]);
  expect(
    await ask(`SELECT count(*)::int AS count, sum(samples)::int AS samples, count(consumed_kwh)::int AS known
                 FROM quarter_hours_filled
                WHERE asset = 'ast_999999999999999999999999' AND delivery_day BETWEEN '2026-10-24' AND '2026-10-25'`),
  ).toEqual([{ count: 196, samples: 100, known: 100 }]);
});

test('the residual is what was measured, and else what no device explains', async () => {
  const { admin, own } = fixture;
  const second = own.households[1] ?? '';
  /* What the household has beside these sends nothing, and is in use no more. */
  await admin.query("UPDATE assets SET decommissioned_at = '2026-06-01' WHERE household_id = $1", [second]);
  const types: Record<string, [number, number]> = {
    household_net: [1, 0.25],
    solar: [0, 2],
    battery: [0.5, 0.125],
    wallbox: [0.75, 0],
    heat_pump: [0.25, 0],
  };
  for (const [index, [type, [consumed, fed]]] of Object.entries(types).entries()) {
    await admin.query('SET session_replication_role = replica');
    const { rows } = await admin.query<{ key: string }>(
      `INSERT INTO assets (key, organization_id, id, household_id, customer_id, type, external_id, parent_inverter, max_power_kw,
                           peak_power_kw, capacity_kwh, max_charge_power_kw, max_discharge_power_kw, bidirectional)
       SELECT nextval('asset_keys') << 16, organization_id, 'ast_' || lpad($2::text, 24, '8'), id, customer_id, $3, nullif('d' || $2, 'd0'),
              CASE WHEN $3 = 'solar' THEN 'ast_' || repeat('7', 24) END,
              CASE WHEN $3 IN ('wallbox', 'heat_pump') THEN 3 END, CASE WHEN $3 = 'solar' THEN 3 END,
              CASE WHEN $3 = 'battery' THEN 3 END, CASE WHEN $3 = 'battery' THEN 3 END,
              CASE WHEN $3 = 'battery' THEN 3 END, CASE WHEN $3 = 'wallbox' THEN false END
         FROM households WHERE id = $1 RETURNING key`,
      [second, String(index), type],
    );
    await admin.query('SET session_replication_role = origin');
    await admin.query(
      `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
       VALUES ($1, '2026-07-01T10:00Z', 1, 0, 900, $2, $3)`,
      [rows[0]?.key, consumed, fed],
    );
  }
  const [row] =
    await ask(`SELECT consumption_kwh, residual_kwh, is_residual_measured, solar_kwh, battery_charge_kwh
                             FROM household_energy WHERE household = '${second}'`);
  /* 1 - 0.25 from the grid, 2 from the sun, 0.125 - 0.5 of the battery. */
  expect(row).toEqual({
    consumption_kwh: 2.375,
    residual_kwh: 1.375,
    is_residual_measured: false,
    solar_kwh: 2,
    battery_charge_kwh: 0.5,
  });
});
