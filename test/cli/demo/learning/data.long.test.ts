import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEARNING_ORGANIZATION } from '../../../../src/cli/demo/learning/households.ts';
import { createTestDatabase, type TestDatabase } from '../../../setup/database.ts';
import { storeLearningData } from '../../../setup/learning.ts';

let database: TestDatabase;
let admin: pg.Client;
let first: Awaited<ReturnType<typeof storeLearningData>>;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  first = await storeLearningData(database);
});
afterAll(async () => {
  await admin?.end();
  await database?.drop();
});

const rowsOf = async <Row>(text: string) => (await admin.query(text)).rows as Row[];

/** A sum over every stored value, in one order. */
const VALUES = `
  SELECT count(*)::int AS rows,
         md5(string_agg(concat_ws(' ', a.id, extract(epoch FROM s.timestamp), s.power_kw, s.state_of_charge, s.connected,
                                  s.vehicle_state_of_charge), E'\\n' ORDER BY a.id, s.timestamp)) AS sum
    FROM asset_snapshots AS s JOIN assets AS a ON a.key = s.asset_id`;

const PRICES = `
  SELECT count(*)::int AS rows, md5(string_agg(concat_ws(' ', extract(epoch FROM interval_start), amount), E'\\n'
                                               ORDER BY interval_start)) AS sum
    FROM spot_prices`;

test('every machine has the same values, to the last digit', async () => {
  expect(await rowsOf(VALUES)).toEqual([{ rows: 190_206, sum: '96d4aff1e2ea76f05ed998180b68f9bf' }]);
  expect(await rowsOf(PRICES)).toEqual([{ rows: 2884, sum: 'ae5c79b7c7b0b7e73fa9638307e77e6e' }]);
});

test('a day that a gateway sent twice is stored once', async () => {
  expect(first.snapshots).toMatchObject({ duplicates: 2016 });
  expect(first.snapshots.sent).toBe(first.snapshots.stored + 2016);
  expect(await rowsOf('SELECT count(*)::int AS rows FROM asset_snapshots')).toEqual([
    { rows: first.snapshots.stored },
  ]);
});

test('learning again doubles nothing', async () => {
  const before = [await rowsOf(VALUES), await rowsOf(PRICES)];
  const again = await storeLearningData(database);
  expect(again.snapshots).toEqual({
    sent: first.snapshots.sent,
    stored: 0,
    duplicates: first.snapshots.sent,
  });
  expect([await rowsOf(VALUES), await rowsOf(PRICES)]).toEqual(before);
  expect(
    await rowsOf(
      'SELECT (SELECT count(*)::int FROM organizations) AS organizations, (SELECT count(*)::int FROM households) AS households, (SELECT count(*)::int FROM assets) AS assets',
    ),
  ).toEqual([{ organizations: 1, households: 6, assets: 27 }]);
});

test('contracts are billed to their end once, one bill is paid, and no reminder leaves for the other one', async () => {
  expect(first.contracts).toEqual({ contracts: 2 });
  await storeLearningData(database);
  expect(
    await rowsOf(
      `SELECT s.id, s.status, i.type, i.status AS bill, i.is_final, i.is_estimated, i.due_on::text, h.cause
         FROM subscriptions AS s LEFT JOIN invoices AS i ON i.subscription_id = s.id
         LEFT JOIN dunning_holds AS h ON h.invoice_id = i.id ORDER BY s.id`,
    ),
  ).toEqual([
    {
      ...{ id: 'sub_learning0000000000000001', status: 'ended', type: 'usage', bill: 'paid' },
      ...{ is_final: true, is_estimated: false, due_on: '2026-11-26', cause: null },
    },
    {
      ...{ id: 'sub_learning0000000000000004', status: 'ended', type: 'usage', bill: 'open' },
      ...{ is_final: true, is_estimated: false, due_on: '2026-11-26', cause: 'disputed' },
    },
  ]);
  expect(
    await rowsOf(
      `SELECT (SELECT count(*)::int FROM billing_refusals) AS refusals, (SELECT count(*)::int FROM payments) AS payments,
              (SELECT count(*)::int FROM leads) AS leads, (SELECT count(*)::int FROM plans) AS plans`,
    ),
  ).toEqual([{ refusals: 0, payments: 1, leads: 4, plans: 1 }]);
});

test('what is missing is stored by the next run', async () => {
  const before = [await rowsOf(VALUES), await rowsOf(PRICES)];
  const { rowCount } = await admin.query("DELETE FROM asset_snapshots WHERE timestamp >= '2026-11-01'");
  expect(rowCount).toBeGreaterThan(10_000);
  const { sent } = first.snapshots;
  expect((await storeLearningData(database)).snapshots).toEqual({
    ...{ sent, stored: rowCount, duplicates: sent - (rowCount ?? 0) },
  });
  expect([await rowsOf(VALUES), await rowsOf(PRICES)]).toEqual(before);
  expect(
    await rowsOf(
      'SELECT (SELECT count(*)::int FROM organizations) AS organizations, (SELECT count(*)::int FROM households) AS households, (SELECT count(*)::int FROM assets) AS assets',
    ),
  ).toEqual([{ organizations: 1, households: 6, assets: 27 }]);
});

test('invented data say what they are: organization, customers, prices', async () => {
  expect(await rowsOf('SELECT id, name FROM organizations')).toEqual([
    { id: LEARNING_ORGANIZATION.id, name: 'Learning data (invented)' },
  ]);
  expect(
    await rowsOf(
      "SELECT count(*)::int AS rows FROM customers WHERE first_name = 'Learning' AND email LIKE '%@example.org'",
    ),
  ).toEqual([{ rows: 6 }]);
  expect(await rowsOf('SELECT DISTINCT source FROM spot_prices')).toEqual([{ source: 'synthetic' }]);
});

test('there are prices below zero, on the day of the clock change also in both forms of the repeated hour', async () => {
  expect(first.prices).toEqual({ days: 30 });
  const below = await rowsOf(
    `SELECT delivery_on::text AS day, count(*)::int AS quarter_hours FROM spot_prices WHERE amount < 0 GROUP BY 1 ORDER BY 1`,
  );
  expect(below).toEqual([
    { day: '2026-10-18', quarter_hours: 16 },
    { day: '2026-10-25', quarter_hours: 20 },
    { day: '2026-11-01', quarter_hours: 12 },
  ]);
  const repeated = `SELECT count(*)::int AS rows FROM spot_prices
                     WHERE interval_start >= '2026-10-25T00:00Z' AND interval_start < '2026-10-25T02:00Z' AND amount < 0`;
  expect(await rowsOf(repeated)).toEqual([{ rows: 8 }]);
});
