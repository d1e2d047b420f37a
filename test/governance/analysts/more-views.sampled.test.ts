import fc from 'fast-check';
import { getHolidays, type Region } from 'feiertagejs';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookbook } from '../../../scripts/cookbook.ts';
import { newId } from '../../../src/platform/ids.ts';
import { clockWindows } from '../../../src/tariffs/reference-data/clock-windows.ts';
import { bandAt } from '../../../src/tariffs/reference-data/grid-bands.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { runs } from '../../setup/tier.ts';
import { type Fixture, startFixture, storePrices } from './fixture.ts';

/* What the views on fees, forecasts, leads, webhooks, days and charging say, computed once more without them. */
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  await insertReferenceRows(fixture);
});
afterAll(() => fixture?.close());

type Row = Record<string, unknown>;
const ask = async (text: string, values: unknown[] = []) =>
  (await fixture.analyst.query<Row>(text, values)).rows;
const asAdmin = (text: string, values: unknown[] = []) => fixture.admin.query<Row>(text, values);
const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 6));

/** Once only, in Berlin: the library does not know them. */
const ONCE = ['2020-05-08', '2025-05-08'];
const STATES = 'BW BY BE BB HB HH HE MV NI NW RP SL SN ST SH TH'.split(' ') as Region[];

test('holidays of each state are those of a calendar that others keep', async () => {
  const rows = await ask(
    "SELECT state, to_char(delivery_day, 'YYYY-MM-DD') AS day FROM holidays ORDER BY 1, 2",
  );
  const found = Map.groupBy(rows, ({ state }) => state);
  for (const state of STATES) {
    const needed = Array.from({ length: 100 }, (_, at) => 2000 + at).flatMap((year) =>
      getHolidays(year, state).map(({ dateString }) => dateString),
    );
    const days = new Set(found.get(state)?.map(({ day }) => day));
    /* Four states have Reformation Day since 2018 only; the library does not know either. */
    const differs = [...new Set(needed).symmetricDifference(days)].filter(
      (day) => !(String(day).endsWith('-10-31') && String(day) < '2018'),
    );
    expect([state, [...differs].slice(0, 10)]).toEqual([state, state === 'BE' ? ONCE : []]);
  }
});

test('the calendar says weekday, holiday and change of the clock', async () => {
  const rows = await ask(
    `SELECT to_char(delivery_day, 'YYYY-MM-DD') AS day, weekday, is_weekend, hours, clock_change, is_holiday, holiday, holiday_states
       FROM calendar WHERE delivery_day IN ('2026-03-29', '2026-10-25', '2026-10-31', '2026-12-25', '2026-11-18') ORDER BY 1`,
  );
  const ordinary = { is_weekend: false, hours: 24, clock_change: null, is_holiday: false };
  const sunday = { weekday: 7, is_weekend: true, is_holiday: false, holiday: null, holiday_states: [] };
  expect(rows).toEqual([
    { day: '2026-03-29', ...sunday, hours: 23, clock_change: 'forward' },
    { day: '2026-10-25', ...sunday, hours: 25, clock_change: 'back' },
    {
      ...{ day: '2026-10-31', ...ordinary, weekday: 6, is_weekend: true, holiday: 'Reformation Day' },
      holiday_states: ['BB', 'HB', 'HH', 'MV', 'NI', 'SH', 'SN', 'ST', 'TH'],
    },
    { day: '2026-11-18', ...ordinary, weekday: 3, holiday: 'Repentance Day', holiday_states: ['SN'] },
    {
      ...{ day: '2026-12-25', ...ordinary, weekday: 5, is_holiday: true, holiday: 'Christmas Day' },
      holiday_states: STATES.toSorted(),
    },
  ]);
});

const anyTime = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '45'));
const anyWindow = fc
  .tuple(anyTime, anyTime)
  .map(([from, until]) => [from, until].map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`))
  .filter(([from, until]) => from !== until)
  .map((times) => times.join('-'));
const anyWindows = fc.array(anyWindow, { minLength: 1, maxLength: 2 }).map((windows) => windows.join(';'));

test('bands of module 3 are those that prices are made of, at each quarter hour of each quarter', async () => {
  const schedules = fc.sample(
    fc.tuple(anyWindows, anyWindows, fc.subarray([1, 2, 3, 4], { minLength: 2 })),
    runs(4),
  );
  await asAdmin('BEGIN');
  for (const [index, [low, high, quarters]] of schedules.entries()) {
    await asAdmin(
      `INSERT INTO grid_fee_schedules (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows, high_windows,
         weight_low, weight_standard, weight_high, share_of_year, valid_from, source)
       VALUES ($1, 1, 2, 3, $2, $3, $4, 0.2, 0.5, 0.3, 1, '2026-01-01', 'tests')`,
      [`random-${index}`, quarters.join(';'), low, high],
    );
  }
  await asAdmin('COMMIT');
  for (const [index, [low, high, quarters]] of schedules.entries()) {
    const rows = await ask(
      `SELECT quarter, extract(epoch FROM local_time)::integer / 60 AS minute, band, net_ct_kwh::float8 AS ct FROM grid_fee_bands
        WHERE grid_operator = $1 ORDER BY quarter, local_time`,
      [`random-${index}`],
    );
    const windows = { quarters, lowWindows: clockWindows(low) ?? [], highWindows: clockWindows(high) ?? [] };
    const needed = [1, 2, 3, 4].flatMap((quarter) =>
      Array.from({ length: 96 }, (_, at) => {
        const band = bandAt(windows, { quarter, minuteOfDay: at * 15 });
        return { quarter, minute: at * 15, band, ct: { low: 1, standard: 2, high: 3 }[band] };
      }),
    );
    expect(rows, JSON.stringify(schedules[index])).toEqual(needed);
  }
});

test('households and contracts show zip and grid operator, and no more of an address', async () => {
  const [household] = await ask('SELECT * FROM households');
  expect(household).toMatchObject({ zip: '20354', grid_operator: 'test-netz' });
  expect(
    JSON.stringify([await ask('SELECT * FROM households'), await ask('SELECT * FROM contracts')]),
  ).not.toMatch(/Weg|Hamburg/);
});

const setForecasts = (state: 'on' | 'off') =>
  runCommand(
    testEnvironment(fixture.database, 'redis://127.0.0.1:1'),
    ...['organizations', 'set-forecasts', fixture.own.organization, state, '--reason', 'ordered forecasts'],
  );

test('forecasts show the frozen and the newest curve of a day, and what came, while they are enabled', async () => {
  await storePrices(
    fixture.admin,
    { from: '2026-10-24T22:00Z', until: '2026-10-26T22:00Z', minutes: 15 },
    '20 + extract(epoch FROM at)::bigint / 900 % 77',
  );
  expect(await setForecasts('on')).toMatchObject({ exitCode: 0, stderr: '' });
  await asAdmin(
    `WITH made AS (
       INSERT INTO price_forecast_captures (source, zone, captured_at, payload_hash)
       SELECT 'model:tests', 'DE-LU', at, sha256(at::text::bytea)
         FROM unnest(ARRAY['2026-10-24T08:00Z', '2026-10-24T11:00Z', '2026-10-24T20:00Z']::timestamptz[]) AS at RETURNING id, captured_at
     ), days AS (
       INSERT INTO price_forecast_days (capture_id, zone, delivery_on, source, captured_at, complete)
       SELECT id, 'DE-LU', '2026-10-25', 'model:tests', captured_at, true FROM made
     ), frozen AS (
       INSERT INTO price_forecast_frozen (zone, delivery_on, capture_id, frozen_at)
       SELECT 'DE-LU', '2026-10-25', id, now() FROM made WHERE captured_at = '2026-10-24T08:00Z'
     )
     INSERT INTO price_forecast_values (capture_id, interval_start, minutes, amount)
     SELECT id, at, 60, extract(hour FROM captured_at AT TIME ZONE 'UTC')
       FROM made, generate_series('2026-10-24T22:00Z'::timestamptz, '2026-10-25T22:00Z', interval '1 hour') AS at`,
  );
  const rows = await ask(
    `SELECT kind, extract(epoch FROM start)::float8 * 1000 AS at, eur_mwh::float8 AS eur, came_eur_mwh::float8 AS came
       FROM price_forecasts WHERE delivery_day = '2026-10-25' ORDER BY kind, start`,
  );
  const hours = Array.from(
    { length: 25 },
    (_, hour) => Date.parse('2026-10-24T22:00:00Z') + hour * 3_600_000,
  );
  const came = (at: number) =>
    [0, 1, 2, 3].reduce((sum, step) => sum + 20 + ((at / 900_000 + step) % 77), 0) / 4;
  expect(rows).toEqual(
    (['frozen', 'newest'] as const).flatMap((kind) =>
      hours.map((at) => ({ kind, at, eur: kind === 'frozen' ? 8 : 20, came: near(came(at)) })),
    ),
  );
  /* At once: the views are not made anew. */
  const seen = async () => (await ask('SELECT FROM price_forecasts')).length;
  await setForecasts('off');
  expect(await seen()).toBe(0);
  await setForecasts('on');
  expect(await seen()).toBe(50);
  await setForecasts('off');
});

test('leads say what became of them, webhooks what was taken', async () => {
  const { own } = fixture;
  const [first, second] = (
    await asAdmin('SELECT id, plan_id FROM subscriptions WHERE organization_id = $1 ORDER BY id', [
      own.organization,
    ])
  ).rows;
  for (const contract of [null, first?.id, second?.id]) {
    await asAdmin(
      `INSERT INTO leads (organization_id, id, plan_id, details, subscription_id, subscribed_at)
       VALUES ($1, $2, $3, '{"customer": {"email": "hidden@example.org"}}', $4, $5)`,
      [own.organization, newId('lead'), first?.plan_id, contract, contract === null ? null : new Date()],
    );
  }
  const leads = await ask('SELECT * FROM leads WHERE contract IS NULL OR contract = $1', [first?.id]);
  expect(leads.map(({ outcome }) => outcome).sort()).toEqual(['open', 'signed']);
  /* Supplied; refused with a day of supply that has passed since, and without one; withdrawn from. */
  for (const [start, end, reason, outcome] of [
    ["now() - interval '1 day'", 'NULL', 'NULL', 'supplied'],
    ["now() - interval '1 day'", "now() - interval '9 days'", 'NULL', 'refused'],
    ['NULL', "now() - interval '1 day'", 'NULL', 'refused'],
    ['NULL', "now() - interval '1 day'", "'WITHDRAWAL'", 'withdrawn'],
    ['NULL', "now() + interval '9 days'", "'ORDINARY'", 'signed'],
  ]) {
    await asAdmin(
      `UPDATE subscriptions SET start_at = ${start}, confirmed_at = ${start}, end_at = ${end}, termination_reason = ${reason},
              terminated_at = CASE WHEN ${reason} IS NOT NULL THEN now() END
        WHERE id = $1`,
      [first?.id],
    );
    const shown = await ask('SELECT outcome FROM leads WHERE contract = $1', [first?.id]);
    expect([start, end, reason, ...shown]).toEqual([start, end, reason, { outcome }]);
  }
  expect(JSON.stringify(leads)).not.toContain('hidden@');
  const deliveries = await ask('SELECT state, topic, attempts, took_seconds FROM webhook_deliveries');
  expect(deliveries).toEqual([
    { state: 'pending', topic: 'subscription.created', attempts: 0, took_seconds: null },
  ]);
  expect(JSON.stringify(await ask('SELECT * FROM webhook_endpoints'))).not.toContain('receiver.example');
});

test('the question about receivers says what failed without an answer, and what needed further attempts', async () => {
  const { own } = fixture;
  for (const [attempts, state, status] of [
    [3, 'delivered', 204],
    [2, 'pending', null],
    [12, 'failed', null],
    [1, 'cancelled', 500],
    [0, 'pending', null],
  ] as const) {
    await asAdmin(
      `WITH happened AS (
         INSERT INTO events (organization_id, id, topic, timestamp, context) VALUES ($1, $2, 'asset.created', now(), '{}'))
       INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, state, attempts, attempts_in_all, next_at, delivered_at,
                                     last_status)
       SELECT $1, $2, (SELECT min(id) FROM webhook_endpoints WHERE organization_id = $1), $3, $4, $4,
              CASE WHEN $3 = 'pending' THEN now() END, CASE WHEN $3 = 'delivered' THEN now() END, $5::smallint`,
      [own.organization, newId('evt'), state, attempts, status],
    );
  }
  const question = (await cookbook()).find(({ name }) => name.startsWith('31-'));
  const rows = await ask(question?.statement ?? '');
  expect(rows.filter(({ topic }) => topic === 'asset.created')).toMatchObject([
    { deliveries: '5', delivered: '1', given_up: '1', retried: '3', usual_status: 'no answer' },
  ]);
});

test('assets in use that never sent a value are found, and no others', async () => {
  const { own } = fixture;
  const silent = newId('ast');
  await asAdmin(
    `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, decommissioned_at)
     VALUES ($1, $2, $3, $4, 'heat_pump', 'silent', 3, NULL), ($1, $2, $3, $5, 'heat_pump', 'out of use', 3, now())`,
    [own.organization, own.customers[0], own.households[0], silent, newId('ast')],
  );
  expect((await ask('SELECT asset FROM never_sent_assets')).map(({ asset }) => asset)).toEqual([silent]);
});

const anyCharge = fc.option(
  fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  { nil: null },
);
const anyQuarterHours = fc.array(
  fc.record({
    isThere: fc.boolean(),
    isConnected: fc.boolean(),
    /* Into the vehicle and out of it, within the same quarter hour, too. */
    kwh: fc.constantFrom([0, 0], [0, 0], [1.5, 0], [0, 0.5], [1, 0.25]),
    greatest: fc.option(fc.nat(11), { nil: null }),
    charge: anyCharge,
    snapshots: fc.uniqueArray(fc.record({ second: fc.nat(899), charge: anyCharge }), {
      maxLength: 2,
      selector: ({ second }) => second,
    }),
  }),
  { minLength: 110, maxLength: 110 },
);

test('charging sessions are the runs of quarter hours in which a vehicle was connected or charged', async () => {
  const { own } = fixture;
  for (const [drawn, slots] of fc.sample(anyQuarterHours, 2 * runs(2)).entries()) {
    const begin = Date.parse(drawn % 2 === 0 ? '2026-10-24T20:00:00Z' : '2026-03-28T20:00:00Z');
    const asset = newId('ast');
    const { rows } = await asAdmin(
      `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
       VALUES ($1, $2, $3, $4::text, 'wallbox', $4::text, 11, true) RETURNING key`,
      [own.organization, own.customers[0], own.households[0], asset],
    );
    const known = slots
      .map((slot, at) => ({ ...slot, at: begin + at * 900_000 }))
      .filter(({ isThere }) => isThere);
    await asAdmin(
      `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh,
         power_kw_max, vehicle_state_of_charge_last)
       SELECT $1, to_timestamp(a / 1000), 1, b, 900, c, d, e, f
         FROM unnest($2::float8[], $3::integer[], $4::float8[], $5::float8[], $6::float8[], $7::float8[]) AS s (a, b, c, d, e, f)`,
      [
        rows[0]?.key,
        known.map(({ at }) => at),
        known.map(({ isConnected }) => Number(isConnected)),
        known.map(({ kwh }) => kwh[0]),
        known.map(({ kwh }) => kwh[1]),
        known.map(({ greatest }) => greatest),
        known.map(({ charge }) => charge),
      ],
    );
    const values = slots.flatMap(({ snapshots }, at) =>
      snapshots.map(({ second, charge }) => ({ at: begin + at * 900_000 + second * 1_000, charge })),
    );
    await asAdmin(
      `INSERT INTO asset_snapshots (asset_id, timestamp, vehicle_state_of_charge)
       SELECT $1, to_timestamp(a / 1000), b FROM unnest($2::float8[], $3::float8[]) AS s (a, b)`,
      [rows[0]?.key, values.map(({ at }) => at), values.map(({ charge }) => charge)],
    );
    /** The first state of charge that was sent within a quarter hour. */
    const firstIn = (start: number) =>
      values
        .filter(({ at, charge }) => at >= start && at < start + 900_000 && charge !== null)
        .sort((a, b) => a.at - b.at)[0]?.charge ?? null;
    const sessions: { at: number; end: number; in: number; out: number; kw: number[]; soc: number[] }[] = [];
    for (const { at, isConnected, kwh, greatest, charge } of known) {
      const net = (kwh[0] ?? 0) - (kwh[1] ?? 0);
      if (!isConnected && net === 0) continue;
      const last = sessions.at(-1);
      const session = last?.end === at ? last : { at, end: at, in: 0, out: 0, kw: [], soc: [] };
      if (session !== last) sessions.push(session);
      session.end = at + 900_000;
      session.in += Math.max(net, 0);
      session.out += Math.max(-net, 0);
      if (greatest !== null) session.kw.push(greatest);
      if (charge !== null) session.soc.push(charge);
    }
    const [from, until] = [begin + 10 * 900_000, begin + 100 * 900_000];
    const found = await ask(
      `SELECT extract(epoch FROM start)::float8 * 1000 AS at, extract(epoch FROM ended_at)::float8 * 1000 AS end, charged_kwh, fed_kwh,
              local_time::text, delivery_day::text AS day, utc_offset_hours, max_power_kw, state_of_charge_before AS before, state_of_charge_after AS after
         FROM charging_sessions($2, $3) WHERE asset = $1 ORDER BY start`,
      [asset, new Date(from), new Date(until)],
    );
    expect(found).toEqual(
      sessions
        .filter(({ at }) => at >= from && at < until)
        .map(({ at, end, in: charged, out, kw, soc }) => {
          const local = DateTime.fromMillis(at, { zone: 'Europe/Berlin' });
          return {
            ...{ at, end, charged_kwh: near(charged), fed_kwh: near(out) },
            ...{ local_time: local.toFormat('yyyy-MM-dd HH:mm:ss'), day: local.toISODate() },
            utc_offset_hours: local.offset / 60,
            max_power_kw: kw.length === 0 ? null : Math.max(...kw),
            ...{ before: near(firstIn(at) ?? soc[0] ?? null), after: near(soc.at(-1) ?? null) },
          };
        }),
    );
  }
});

test('of a vehicle that stays nine days a session has the first seven, whatever span is asked for', async () => {
  const { own } = fixture;
  const [asset, household] = [newId('ast'), own.households[1]];
  await asAdmin(
    `WITH box AS (
       INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
       VALUES ($1, $2, $3, $4::text, 'wallbox', $4::text, 11, true) RETURNING key)
     INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, at, 1, 1, 900, 0.25, 0
       FROM box, generate_series('2026-11-03T22:45Z'::timestamptz, '2026-11-12T22:30Z', interval '15 minutes') AS at`,
    [own.organization, own.customers[1], household, asset],
  );
  const begin = { at: '2026-11-03 23:45:00', utc_offset_hours: 1, day: '2026-11-03' };
  const session = { ...begin, ended_at: new Date('2026-11-10T22:45Z'), charged_kwh: 168 };
  for (const [from, to, found] of [
    ['2026-11-03', '2026-11-04', [session]],
    ['2026-11-01', '2026-12-01', [session]],
    ['2026-11-04', '2026-12-01', []],
    ['2026-11-11', '2026-11-12', []],
  ] as const) {
    const rows = await ask(
      `SELECT local_time::text AS at, utc_offset_hours, delivery_day::text AS day, ended_at, charged_kwh
         FROM charging_sessions($1, $2) WHERE household = $3`,
      [from, to, household],
    );
    expect([from, to, rows]).toEqual([from, to, found]);
  }
  const text = JSON.stringify(
    await ask(
      `EXPLAIN SELECT * FROM charging_sessions('2026-11-03', '2026-11-04') WHERE household = '${household}' AND asset > 'ast_'`,
    ),
  );
  expect(text).toContain(`household_id = '${household}'`);
  expect(text).toContain("id > 'ast_'");
});
