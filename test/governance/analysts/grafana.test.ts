import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queries } from '../../rules/grafana-files.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { type ExportWorld, exportWorld, insertSnapshots } from '../exports/fixture.ts';
import { Accounts } from './account.ts';

let world: ExportWorld;
let accounts: Accounts;
let analyst: pg.Client;

const FROM = '2026-10-24T22:00:00Z';
const TO = '2026-10-25T23:00:00Z';

beforeAll(async () => {
  world = await exportWorld();
  await insertSnapshots(world, '2026-10-25', '2026-10-25');
  const { key } = (
    await world.rows<{ key: number }>(
      `INSERT INTO assets (organization_id, customer_id, household_id, id, type)
       VALUES ($1, $2, $3, 'ast_net000000000000000000000', 'household_net') RETURNING key`,
      [world.a.organization, world.a.customers[0], world.a.households[0]],
    )
  )[0] ?? { key: 0 };
  await world.admin.query(
    `SET session_replication_role = replica;
     INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT ${key}, t, 1, 0, 900, 0.5, 0.25
       FROM generate_series('${FROM}'::timestamptz, '${TO}'::timestamptz - interval '15 min', interval '15 min') AS t;
     INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT 'DE-LU', t, 15, '2026-10-25', -20 + extract(hour FROM t) * 10, 'tests', 1
       FROM generate_series('${FROM}'::timestamptz, '${TO}'::timestamptz - interval '15 min', interval '15 min') AS t;
     RESET session_replication_role`,
  );
  accounts = new Accounts(world.database);
  analyst = await accounts.connect((await accounts.make(world.a.organization)).address);
});
afterAll(async () => {
  await accounts?.close();
  await world?.close();
});

/** As Grafana's data source for PostgreSQL replaces them. */
function withoutMacros(text: string): string {
  return text
    .replaceAll(
      /\$__timeFilter\(([^)]*)\)/g,
      (_, column: string) => `${column} BETWEEN '${FROM}' AND '${TO}'`,
    )
    .replaceAll('$__timeFrom()', `'${FROM}'`)
    .replaceAll('$__timeTo()', `'${TO}'`);
}

const TIMESTAMPTZ = 1184;
const TEXT = 25;
/** int2, int4, int8, float4, float8: what Grafana draws as it is. numeric would reach it as a text. */
const NUMBERS = [21, 23, 20, 700, 701];

const ofSql = queries.filter(({ target }) => target.rawSql !== undefined);

test('the dashboards have queries', () => {
  expect(ofSql.length).toBeGreaterThan(20);
});

test.each(ofSql)(
  'an analyst may run the query of $place, and Grafana can draw what it gives',
  async ({ panel, target }) => {
    const text = withoutMacros(target.rawSql ?? '');
    expect(text).not.toContain('$');
    const { fields } = await analyst.query(text);
    if (target.format === 'time_series') {
      expect(fields[0]).toMatchObject({ name: 'time', dataTypeID: TIMESTAMPTZ });
      for (const { name, dataTypeID } of fields.slice(1)) {
        expect([name, name === 'metric' ? TEXT : NUMBERS.includes(dataTypeID)]).toEqual([
          name,
          name === 'metric' ? dataTypeID : true,
        ]);
      }
    }
    if (panel === 'stat')
      expect(fields.map(({ dataTypeID }) => NUMBERS.includes(dataTypeID))).toEqual([true]);
  },
);

/** Rows of a query of a dashboard. */
async function shown(place: string): Promise<Record<string, unknown>[]> {
  const found = ofSql.find((query) => query.place === place);
  return (await analyst.query(withoutMacros(found?.target.rawSql ?? ''))).rows;
}

test('charts of the day with the repeated hour have each of its 100 quarter hours once, in their order', async () => {
  for (const place of [
    'voltstream-fleet: Mean power by type of device A',
    'voltstream-fleet: Energy of the households A',
    'voltstream-prices: Day-ahead price A',
  ]) {
    const times = (await shown(place)).map(({ time }) => (time as Date).toISOString());
    expect([place, new Set(times).size, times.length]).toEqual([place, 100, 100]);
    expect(times).toEqual(times.toSorted());
  }
});

test('charts by day and sums hold the day shown and no other', async () => {
  expect(await shown('voltstream-prices: Negative quarter hours A')).toEqual([{ quarter_hours: '8' }]);
  const [cost] = await shown('voltstream-prices: Cost of the import A');
  const [sum] = await world.rows<{ eur: number }>('SELECT sum(amount) * 0.5 / 1000 AS eur FROM spot_prices');
  expect(cost?.eur).toBeCloseTo(Number(sum?.eur), 9);
  const days = await shown('voltstream-prices: Cost and value of each day A');
  expect(days.map(({ time }) => (time as Date).toISOString())).toEqual(['2026-10-24T22:00:00.000Z']);
});

test('a device that is silent for longer than values are kept fell silent, and is not one that never sent', async () => {
  const { households, keys } = world.a;
  const before = await shown('voltstream-fleet: Never sent A');
  await world.admin.query('DELETE FROM asset_snapshots WHERE asset_id = $1', [keys[1]]);
  await world.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     VALUES ($1, '2025-06-01', 96, 96, 86400, 1, 0)`,
    [keys[1]],
  );
  expect(await shown('voltstream-fleet: Never sent A')).toEqual(before);
  const [longest] = await shown('voltstream-fleet: Households that fell silent A');
  expect(longest).toMatchObject({
    household: households[1],
    devices: '1',
    newest: new Date('2025-06-01T22:00:00Z'),
  });
});

test('dashboards show sessions of vehicles, the full cost of contracts, fees of today and deliveries that failed', async () => {
  const { organization, customers, households } = world.a;
  await insertReferenceRows(world);
  await world.admin.query(
    `WITH box AS (
       INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
       VALUES ($1, $2, $3, 'ast_box000000000000000000000', 'wallbox', 'box', 11, false) RETURNING key)
     INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, at, 1, 1, 900, 2, 0
       FROM box, generate_series('2026-10-25T00:30Z'::timestamptz, '2026-10-25T01:15Z', interval '15 min') AS at`,
    [organization, customers[0], households[0]],
  );
  expect(await shown('voltstream-fleet: Charging sessions A')).toMatchObject([
    { household: households[0], ended_at: new Date('2026-10-25T01:30Z'), charged_kwh: 8 },
  ]);
  await world.admin.query(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT organization_id, customer_id, id, '2026-10-25T10:00Z', 1, 'metering_operator' FROM subscriptions WHERE organization_id = $1`,
    [organization],
  );
  const [cost] = await shown('voltstream-prices: Full cost of each day A');
  const [stored] = await world.rows<{ ct: number }>(
    "SELECT amount::float8 / 10 AS ct FROM spot_prices WHERE interval_start = '2026-10-25T10:00Z'",
  );
  expect(cost?.time).toEqual(new Date('2026-10-24T22:00:00Z'));
  expect(Number(cost?.market) / Number(cost?.grid)).toBeCloseTo(Number(stored?.ct) / 9.5, 6);
  expect(await shown('voltstream-prices: Fees and taxes of today A')).toMatchObject([
    { zip: '20354', households: '2', grid_operator: 'test-netz', gross_ct_kwh: '20.09434' },
  ]);
  await world.admin.query(
    `UPDATE event_deliveries SET state = 'failed', next_at = NULL, created_at = '2026-10-25T10:00Z', attempts = 13,
            attempts_in_all = 13, last_status = 503, last_attempt_at = '2026-10-25T11:00Z'`,
  );
  expect(await shown('voltstream-health: Webhook deliveries that failed A')).toMatchObject([
    { given_up: '1', retried: '0', usual_status: 503 },
  ]);
});

test('the price that households paid is that of the energy whose price is known', async () => {
  await world.admin.query(
    `SET session_replication_role = replica;
     DELETE FROM spot_prices WHERE interval_start >= '2026-10-25T11:00Z';
     UPDATE spot_prices SET amount = 300;
     RESET session_replication_role`,
  );
  const [day] = await shown('voltstream-prices: Price that households paid, and mean price A');
  const [household] = await shown('voltstream-prices: Households by cost A');
  expect([day?.paid, household?.paid_ct_kwh, household?.import_kwh]).toEqual(
    [30, 30, 50].map((value) => expect.closeTo(value, 9)),
  );
});
