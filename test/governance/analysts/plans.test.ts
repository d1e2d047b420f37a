import { afterAll, beforeAll, expect, test } from 'vitest';
import { engine } from '../../setup/engine.ts';
import { type Fixture, startFixture } from './fixture.ts';

let fixture: Fixture;

const ROWS_OF_OTHERS = 50_000;

beforeAll(async () => {
  fixture = await startFixture();
  const { admin, own } = fixture;
  /* Two weeks of own values, one every five minutes, behind ten weeks with one every quarter hour. Stored as they come: by time. */
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT key, at, 1 FROM unnest($1::bigint[]) AS key,
            generate_series('2026-10-12T00:00Z', '2026-10-26T00:00Z', interval '5 minutes') AS at
      UNION ALL
     SELECT key, at, 1 FROM unnest($1::bigint[]) AS key,
            generate_series('2026-08-03T00:00Z', '2026-10-11T23:45Z', interval '15 minutes') AS at
      ORDER BY at`,
    [own.keys],
  );
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, at, 3, 0, 900, 0.25, 0 FROM unnest($1::bigint[]) AS key,
            generate_series('2026-08-03T00:00Z', '2026-10-26T00:00Z', interval '15 minutes') AS at
      ORDER BY at`,
    [own.keys],
  );
  await storeForecasts(own.organization, '2026-10-01', 31);
  await storeDays(own.keys);
  await storeEvents(own.organization, 0);
  await storeUsage(own.organization, 0);
  await storeOthers(0);
});
afterAll(() => fixture?.close());

/** Of every contract of an organization, for so many days from one on. */
async function storeForecasts(organization: string, first: string, days: number): Promise<void> {
  await fixture.admin.query(
    `INSERT INTO load_forecasts
       (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw)
     SELECT organization_id, customer_id, id, day, 'day_ahead', starts_at, ends_at,
            array_fill(0.25::float8, ARRAY[4 * hours])
       FROM subscriptions CROSS JOIN delivery_days
      WHERE organization_id = $1 AND day >= $2::date AND day < $2::date + $3::int`,
    [organization, first, days],
  );
}

/** Sums of every day of three years. */
async function storeDays(keys: readonly (number | string)[]): Promise<void> {
  await fixture.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, day, 96, 288, 86400, 24, 0 FROM unnest($1::bigint[]) AS key,
            generate_series('2024-01-01'::timestamp, '2026-12-31'::timestamp, interval '1 day') AS day`,
    [keys],
  );
}

/** One each half hour of the same weeks, and a delivery of each. */
async function storeEvents(organization: string, round: number): Promise<void> {
  await fixture.admin.query(
    `WITH made AS (
       INSERT INTO events (organization_id, id, topic, timestamp, context)
       SELECT $1, 'evt_' || left(md5(concat($1::text, $2::int, at)), 24), 'subscription.created', at, '{}'
         FROM generate_series('2026-08-03T00:00Z'::timestamptz, '2026-10-26T00:00Z', interval '30 minutes') AS at
       RETURNING organization_id, id, timestamp),
     heard AS (
       INSERT INTO webhook_endpoints (organization_id, id, url, secret)
       SELECT $1, 'whe_' || left(md5($2::text), 24), 'https://receiver.example/', '\\x00' RETURNING id)
     INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, next_at, created_at, kept_from)
     SELECT made.organization_id, made.id, heard.id, timestamp, timestamp, timestamp FROM made, heard`,
    [organization, round],
  );
}

/** Of every contract, for 300 days that end in October 2026, or so many times 300 days before. */
async function storeUsage(organization: string, round: number): Promise<void> {
  await fixture.admin.query(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT organization_id, customer_id, id, at, 0.1, 'metering_operator'
       FROM subscriptions, LATERAL (SELECT '2026-10-26T00:00Z'::timestamptz - $2::int * interval '300 days' AS until) AS span,
            generate_series(until - interval '299 days', until, interval '15 minutes') AS at
      WHERE organization_id = $1`,
    [organization, round],
  );
}

/** As many further assets of the other organization with values in the same weeks. */
async function storeOthers(round: number): Promise<void> {
  const { admin, other } = fixture;
  const { rows } = await admin.query<{ key: string }>(
    `INSERT INTO assets (organization_id, id, household_id, customer_id, type, external_id, max_power_kw)
     SELECT $1, 'ast_' || lpad((1000 * $4::int + n)::text, 24, '0'), $2, $3, 'heat_pump', $4::text || '-' || n, 3
       FROM generate_series(1, 25) AS n RETURNING key`,
    [other.organization, other.households[0], other.customers[0], round],
  );
  const keys = rows.map(({ key }) => key);
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT key, '2026-08-03T00:00Z'::timestamptz + n * interval '1 second' * (84 * 86400 / ($2::int / 25)), 1
       FROM unnest($1::bigint[]) AS key, generate_series(0, $2 / 25 - 1) AS n
      ORDER BY n`,
    [keys, ROWS_OF_OTHERS],
  );
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, at, 3, 0, 900, 0.25, 0 FROM unnest($1::bigint[]) AS key,
            generate_series('2026-08-03T00:00Z', '2026-10-26T00:00Z', interval '15 minutes') AS at
      ORDER BY at`,
    [keys],
  );
  await storeDays(keys);
  await storeEvents(other.organization, round);
  await storeUsage(other.organization, round);
  await storeForecasts(other.organization, `20${26 + 5 * round}-01-01`, 5 * 365);
  await admin.query('ANALYZE');
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** Of TimescaleDB the chunks; of Citus the foreign tables, whose rows come over from the nodes. */
const READ_FROM = {
  timescaledb: /^(_hyper_|load_forecasts$|asset_days$|events$|event_deliveries$|usage_quarter_hours$)/,
  citus:
    /^(stored_snapshots|stored_quarter_hours|snapshots|quarter_hours|days|load_forecasts|events|event_deliveries|usage_quarter_hours)$/,
}[engine];

/** Rows that a query read of values, usage, forecasts and events: those that it kept, and those that it threw away. */
function rowsRead(node: PlanNode, from = READ_FROM): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, from), 0);
  if (!from.test(node['Relation Name'] ?? '')) return below;
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return below + each * node['Actual Loops'];
}

async function readBy(query: string, from = READ_FROM): Promise<number> {
  const { rows } = await fixture.analyst.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('No plan');
  return rowsRead(plan, from);
}

/** What is asked, and how many rows of values it may read: two to three times the rows of the answer. */
const questions = (): [string, string, number][] => {
  const [asset = ''] = fixture.own.assets;
  const [household = ''] = fixture.own.households;
  const contract = '(SELECT min(contract) FROM contracts)';
  /* To the nodes of Citus goes what is known before, and no function of the moment. */
  const hourAgo = {
    timescaledb: "now() - interval '1 hour'",
    citus: "(SELECT now() - interval '1 hour')",
  }[engine];
  const day = (column: string) => `${column} >= '2026-10-20' AND ${column} < '2026-10-21'`;
  const hours = (column: string) => `${column} >= '2026-10-20 06:00' AND ${column} < '2026-10-20 12:00'`;
  return [
    [
      'an asset and a span',
      `SELECT * FROM snapshots WHERE asset = '${asset}' AND ${hours('timestamp')}`,
      150,
    ],
    [
      'an asset and a day',
      `SELECT * FROM snapshots WHERE asset = '${asset}' AND delivery_day = '2026-10-20'`,
      600,
    ],
    [
      'an asset and three days',
      `SELECT * FROM snapshots WHERE asset = '${asset}' AND delivery_day BETWEEN '2026-09-07' AND '2026-09-09'`,
      600,
    ],
    [
      'a household and a span',
      `SELECT * FROM snapshots WHERE household = '${household}' AND ${hours('timestamp')}`,
      150,
    ],
    [
      'a type and a day',
      `SELECT * FROM snapshots WHERE type = 'heat_pump' AND delivery_day = '2026-10-20'`,
      1_200,
    ],
    ['a span alone', `SELECT * FROM snapshots WHERE ${hours('timestamp')}`, 300],
    ['a span of the last hours', `SELECT * FROM snapshots WHERE timestamp > ${hourAgo}`, 10],
    ['the newest of all', 'SELECT * FROM newest_snapshots', 4],
    ['the newest of an asset', `SELECT * FROM newest_snapshots WHERE asset = '${asset}'`, 2],
    [
      'energy of an asset and a span',
      `SELECT * FROM energy WHERE asset = '${asset}' AND ${hours('start')}`,
      60,
    ],
    ['energy of a day', "SELECT * FROM energy WHERE delivery_day = '2026-10-20'", 400],
    [
      'energy of days',
      "SELECT sum(consumed_kwh) FROM energy WHERE delivery_day BETWEEN '2026-10-20' AND '2026-10-21'",
      800,
    ],
    [
      'energy between instants of a day',
      `SELECT * FROM energy WHERE start >= (SELECT starts_at FROM delivery_days WHERE delivery_day = '2026-10-20')
                              AND start < (SELECT ends_at FROM delivery_days WHERE delivery_day = '2026-10-20')`,
      400,
    ],
    [
      'power of an asset and a day',
      `SELECT * FROM quarter_hours WHERE asset = '${asset}' AND delivery_day = '2026-10-20'`,
      200,
    ],
    [
      'power of an asset and a week',
      `SELECT * FROM quarter_hours WHERE asset = '${asset}' AND delivery_day BETWEEN '2026-09-07' AND '2026-09-13'`,
      1_400,
    ],
    [
      'energy of a household and a day',
      `SELECT * FROM household_energy WHERE household = '${household}' AND delivery_day = '2026-10-20'`,
      200,
    ],
    [
      'cost of a household and a span',
      `SELECT * FROM energy_cost WHERE household = '${household}' AND ${hours('start')}`,
      60,
    ],
    [
      'cost of a household by day',
      `SELECT * FROM energy_cost_days WHERE household = '${household}' AND delivery_day = '2026-10-20'`,
      200,
    ],
    [
      'completeness of an asset and a day',
      `SELECT * FROM completeness WHERE asset = '${asset}' AND delivery_day = '2026-10-20'`,
      200,
    ],
    [
      'filled quarter hours of an asset and a day',
      `SELECT * FROM quarter_hours_filled WHERE asset = '${asset}' AND delivery_day = '2026-10-20'`,
      200,
    ],
    [
      'energy of an asset by day, for a year',
      `SELECT * FROM energy_days WHERE asset = '${asset}' AND delivery_day >= '2025-01-01' AND delivery_day < '2026-01-01'`,
      365,
    ],
    [
      'energy of an asset by month, for a year',
      `SELECT * FROM energy_months WHERE asset = '${asset}' AND month >= '2025-01-01' AND month < '2026-01-01'`,
      365,
    ],
    ['energy of a month', "SELECT sum(consumed_kwh) FROM energy_months WHERE month = '2025-03-01'", 130],
    ['energy of all by day, for a day', "SELECT * FROM energy_days WHERE delivery_day = '2025-03-30'", 8],
    [
      'energy of a household by month, for a quarter',
      `SELECT * FROM household_energy_months
        WHERE household = '${household}' AND month >= '2025-01-01' AND month < '2025-04-01'`,
      200,
    ],
    [
      'filled energy of a household by month, for a quarter',
      `SELECT * FROM household_energy_filled('2025-01-01', '2025-04-01', 'month') WHERE household = '${household}'`,
      260,
    ],
    [
      'filled energy of a household by hour, for a day',
      `SELECT * FROM household_energy_filled('2026-10-20', '2026-10-21', 'hour') WHERE household = '${household}'`,
      210,
    ],
    ['usage of a day', "SELECT * FROM usage_quarter_hours WHERE delivery_day = '2026-10-20'", 192],
    [
      'usage of a week',
      "SELECT * FROM usage_quarter_hours WHERE delivery_day BETWEEN '2026-10-12' AND '2026-10-18'",
      1_344,
    ],
    ['events of a day', "SELECT * FROM events WHERE delivery_day = '2026-10-20'", 48],
    [
      'deliveries of a day, each with its event',
      `SELECT * FROM webhook_deliveries WHERE ${day('created_at')}`,
      96,
    ],
    ['forecasts of a day', "SELECT * FROM load_forecasts WHERE delivery_day = '2026-10-20'", 4],
    [
      'forecasts of a contract and a month',
      `SELECT sum(kwh) FROM load_forecasts
        WHERE contract = ${contract} AND delivery_day BETWEEN '2026-10-01' AND '2026-10-31'`,
      31,
    ],
  ];
};

test('a question reads the rows that it asks for through both views, however many others have', async () => {
  const readNow = async () => {
    const found: Record<string, number> = {};
    for (const [what, query] of questions()) found[what] = await readBy(query);
    return found;
  };
  const before = await readNow();
  const tooMany = questions().filter(([what, , rowsMax]) => Number(before[what]) > rowsMax);
  expect(tooMany.map(([what, , rowsMax]) => [what, rowsMax, before[what]])).toEqual([]);
  await storeOthers(1);
  await storeOthers(2);
  expect(await readNow()).toEqual(before);
});

test('silent devices of a household are joined with those that sent, not compared with each of them', async () => {
  for (const view of ['household_energy', 'household_energy_days']) {
    const { rows } = await fixture.analyst.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM ${view} WHERE household = '${fixture.own.households[0]}'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect([view, plan]).toEqual([view, expect.stringMatching(/Hash (Right )?Anti Join/)]);
  }
});

test('usage and cost of a contract or a household look for its own meter alone', async () => {
  const { admin, own } = fixture;
  const { rows } = await admin.query<{ id: string }>('SELECT id FROM subscriptions WHERE household_id = $1', [
    own.households[0],
  ]);
  await admin.query(
    `WITH homes AS (
       INSERT INTO households (organization_id, customer_id, id)
       SELECT $1, $2, 'dom_' || lpad(n::text, 24, '0') FROM generate_series(1, 2000) AS n RETURNING id),
     made AS (
       INSERT INTO meters (organization_id, customer_id, household_id, id, number, type)
       SELECT $1, $2, id, 'mtr_' || substr(id, 5), upper(right(id, 6)), 'analog' FROM homes RETURNING id)
     INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type)
     SELECT $1, $2, id, '2026-01-01', 'smart' FROM made`,
    [own.organization, own.customers[0]],
  );
  await admin.query(
    `INSERT INTO subscriptions (organization_id, customer_id, id, plan_id, type, household_id, billing_address_id, meter_id,
                                payment_method_id, status, estimated_usage, intended_start_on)
     SELECT organization_id, customer_id, 'sub_' || lpad(n::text, 24, '0'), plan_id, type, 'dom_' || lpad(n::text, 24, '0'),
            billing_address_id, 'mtr_' || lpad(n::text, 24, '0'), payment_method_id, status, estimated_usage, intended_start_on
       FROM (SELECT * FROM subscriptions WHERE id = $1) AS contract, generate_series(1, 2000) AS n`,
    [rows[0]?.id],
  );
  await admin.query(
    `INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
     SELECT organization_id, customer_id, id, '2026-10-20', 1, 96 FROM subscriptions ON CONFLICT DO NOTHING`,
  );
  await admin.query('ANALYZE');
  for (const view of ['usage_quarter_hours', 'usage_days', 'retail_cost', 'retail_cost_days']) {
    for (const whose of [`contract = '${rows[0]?.id}'`, `household = '${own.households[0]}'`]) {
      const query = `SELECT * FROM ${view} WHERE ${whose} AND delivery_day = '2026-10-20'`;
      expect([view, whose, await readBy(query, /^(meters|meter_changes|subscriptions)$/)]).toEqual([
        ...[view, whose],
        expect.toSatisfy((read: number) => read > 0 && read < 10),
      ]);
    }
  }
});
