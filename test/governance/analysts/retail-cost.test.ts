import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookbook } from '../../../scripts/cookbook.ts';
import { newId } from '../../../src/platform/ids.ts';
import { insertReferenceRows } from '../../setup/reference-rows.ts';
import { type Fixture, startFixture, storePrices } from './fixture.ts';

/* What a kWh of a contract costs in full, computed once more without the views. */
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
const berlin = (at: number) => DateTime.fromMillis(at, { zone: 'Europe/Berlin' });
const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 6));

test('full cost of a quarter hour is what its parts add up to, over the change of the clock and of modules', async () => {
  const { own, other } = fixture;
  await asAdmin('UPDATE plan_terms SET margin_ct_net = 1.25 WHERE organization_id = ANY ($1)', [
    [own.organization, other.organization],
  ]);
  const begin = Date.parse('2026-10-24T22:00:00Z');
  const end = Date.parse('2026-10-26T23:00:00Z');
  await storePrices(
    fixture.admin,
    { from: '2026-10-24T22:00Z', until: '2026-10-26T22:00Z', minutes: 15 },
    '20 + extract(epoch FROM at)::bigint / 900 % 77',
  );
  await asAdmin('DELETE FROM usage_quarter_hours');
  const { rows: contracts } = await asAdmin(
    'SELECT id, customer_id FROM subscriptions WHERE organization_id = $1 ORDER BY id',
    [own.organization],
  );
  const [contract] = contracts;
  await asAdmin('DELETE FROM grid_fee_reductions WHERE subscription_id = $1', [contract?.id]);
  await asAdmin(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT $1, $2, $3, at, (extract(epoch FROM at)::bigint / 900 % 13) / 10.0, 'metering_operator'
       FROM generate_series(to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000) - interval '1 s', interval '15 minutes') AS at`,
    [own.organization, contract?.customer_id, contract?.id, begin, end],
  );
  const changes = { three: Date.parse('2026-10-25T04:00:00Z'), two: Date.parse('2026-10-26T03:00:00Z') };
  for (const [type, from, until] of [
    ['enwg-14a-module-3', changes.three, changes.two],
    ['enwg-14a-module-2', changes.two, null],
  ] as const) {
    await asAdmin(
      `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from, valid_until)
       VALUES ($1, $2, $3, $4, $5, 'activated', to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000))`,
      [own.organization, newId('gfr'), contract?.customer_id, contract?.id, type, from, until],
    );
  }
  const needed: Row[] = [];
  for (let at = begin; at < end; at += 900_000) {
    const slot = at / 900_000;
    const minute = berlin(at).hour * 60 + berlin(at).minute;
    const band = minute < 420 ? 'low' : minute >= 900 && minute < 1_200 ? 'high' : 'standard';
    const grid =
      at >= changes.two ? 3.8 : at >= changes.three ? { low: 0.95, standard: 9.5, high: 15.65 }[band] : 9.5;
    const market = at < Date.parse('2026-10-26T22:00:00Z') ? (20 + (slot % 77)) / 10 : null;
    const ct = market === null ? null : (market + 1.25 + grid + 2.39 + 4.996) * 1.19;
    needed.push({
      at,
      kwh: near((slot % 13) / 10),
      band: at >= changes.two ? 'module_2' : at >= changes.three ? band : null,
      ct: near(ct),
      eur: near(ct === null ? null : (ct * (slot % 13)) / 1_000),
    });
  }
  const rows = await ask(
    `SELECT extract(epoch FROM start)::float8 * 1000 AS at, kwh::float8, band, gross_ct_kwh::float8 AS ct, gross_eur::float8 AS eur
       FROM retail_cost WHERE contract = $1 AND delivery_day BETWEEN '2026-10-25' AND '2026-10-26' ORDER BY start`,
    [contract?.id],
  );
  expect(rows).toEqual(needed);
  const [whole] = await ask(
    `SELECT quarter_hours, priced_quarter_hours, gross_eur::float8 AS eur,
            (market_gross_eur + margin_gross_eur + grid_gross_eur + levies_gross_eur)::float8 AS parts
       FROM retail_cost_days WHERE contract = $1 AND delivery_day = '2026-10-25'`,
    [contract?.id],
  );
  expect(whole).toMatchObject({
    quarter_hours: 100,
    priced_quarter_hours: 100,
    parts: near(Number(whole?.eur)),
  });
});

test('full cost goes by the terms of the day: in a gap by those that ended last, before the first ones by these', async () => {
  const margins = async () => {
    const rows = await ask(
      `SELECT to_char(delivery_day, 'DD') || ' ' || coalesce(margin_net_ct_kwh::text, 'none') AS margin
         FROM retail_cost WHERE delivery_day BETWEEN '2026-10-25' AND '2026-10-26' GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ margin }) => margin);
  };
  for (const dates of [
    "valid_from = NULL, valid_to = '2026-10-26'",
    "valid_from = '2026-01-01', valid_to = '2026-02-01'",
    "valid_from = '2026-10-27', valid_to = NULL",
    'valid_from = NULL, valid_to = NULL',
  ]) {
    await asAdmin(`UPDATE plan_terms SET ${dates} WHERE organization_id = $1`, [fixture.own.organization]);
    expect([dates, ...(await margins())]).toEqual([dates, '25 1.25', '26 1.25']);
  }
});

test('full cost of a day looks for the quarter hours of that day alone', async () => {
  await ask('BEGIN');
  try {
    /* In a table as small as this one, nothing is quicker than to read all of it. */
    await ask('SET LOCAL enable_seqscan = off');
    for (const view of ['retail_cost', 'retail_cost_days']) {
      const plan = await ask(`EXPLAIN SELECT * FROM ${view} WHERE delivery_day = '2026-10-25'`);
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).toMatch(
        /Index Cond: .*interval_start >= d\.starts_at\) AND \(interval_start < d\.ends_at/,
      );
      expect(text).toMatch(/Index Cond: .*delivery_on = d\.day/);
    }
  } finally {
    await ask('ROLLBACK');
  }
});

/** The 26th, of whose quarter hours the last four have no price. */
const dayOfCost = async () =>
  (
    await ask(
      `SELECT kwh::float8, gross_eur::float8 AS eur, priced_quarter_hours AS priced, is_synthetic, grid_gross_eur::float8 AS grid,
              (market_gross_eur + margin_gross_eur + grid_gross_eur + levies_gross_eur)::float8 AS parts
         FROM retail_cost_days WHERE delivery_day = '2026-10-26'`,
    )
  )[0];

test('quarter hours of which a part is not known are left out of energy, parts and mean price of a day', async () => {
  const [priced] = await ask(
    `SELECT sum(kwh)::float8 AS kwh, sum(gross_eur)::float8 AS eur FROM retail_cost
      WHERE delivery_day = '2026-10-26' AND gross_ct_kwh IS NOT NULL`,
  );
  const day = await dayOfCost();
  expect(day).toMatchObject({ kwh: near(Number(priced?.kwh)), eur: near(Number(priced?.eur)), priced: 92 });
  expect(day?.parts).toEqual(near(Number(day?.eur)));
  const query = (await cookbook()).find(({ name }) => name.startsWith('33-'));
  const shown = (await ask(query?.statement ?? '')).at(-1);
  expect(shown).toMatchObject({ whole: false, is_synthetic: false });
  expect(Number(shown?.mean_gross_ct_kwh)).toBeCloseTo((100 * Number(priced?.eur)) / Number(priced?.kwh), 2);
  /* Without a price sheet of the grid those that go by the bands of module 3 remain. */
  await asAdmin("UPDATE grid_fees SET valid_to = '2026-10-26'");
  const rest = await dayOfCost();
  expect(rest).toMatchObject({ priced: 16, parts: near(Number(rest?.eur)) });
  await asAdmin('UPDATE grid_fees SET valid_to = NULL');
});

test('prices of a feed on this machine are marked as none of the market, as the database decides', async () => {
  const marks = async () =>
    (
      await ask(
        `SELECT (SELECT bool_and(is_synthetic) FROM spot_prices) AS prices,
                (SELECT bool_and(is_synthetic) FROM spot_price_quarter_hours) AS quarters,
                (SELECT bool_and(is_synthetic) FROM retail_cost_days WHERE delivery_day = '2026-10-26') AS cost,
                (SELECT count(*)::int FROM retail_cost
                  WHERE delivery_day = '2026-10-26' AND market_net_ct_kwh IS NULL AND is_synthetic IS NOT NULL) AS without_price`,
      )
    )[0];
  expect(await marks()).toEqual({ prices: false, quarters: false, cost: false, without_price: 0 });
  await asAdmin("INSERT INTO price_kind (kind) VALUES ('local')");
  expect(await marks()).toEqual({ prices: true, quarters: true, cost: true, without_price: 0 });
  await asAdmin('DELETE FROM price_kind');
});

test('a day with an invented price says so', async () => {
  expect(await dayOfCost()).toMatchObject({ is_synthetic: false });
  await asAdmin("BEGIN; SET LOCAL session_replication_role = 'replica'");
  await asAdmin("UPDATE spot_prices SET source = 'synthetic' WHERE interval_start = '2026-10-26T12:00Z'");
  await asAdmin('COMMIT');
  expect(await dayOfCost()).toMatchObject({ is_synthetic: true });
});

test('with module 3 a price is not known where the bands have ended, and the ordinary one where there never were any', async () => {
  const withModule3 = () =>
    ask(
      `SELECT band, grid_net_ct_kwh::float8 AS grid, count(gross_ct_kwh)::int AS priced FROM retail_cost
        WHERE start >= '2026-10-25T22:00Z' AND start < '2026-10-25T23:00Z' AND delivery_day = '2026-10-25'
        GROUP BY 1, 2`,
    );
  expect(await withModule3()).toEqual([{ band: 'standard', grid: 9.5, priced: 4 }]);
  await asAdmin("UPDATE grid_fee_schedules SET valid_to = '2026-10-25'");
  expect(await withModule3()).toEqual([{ band: null, grid: null, priced: 0 }]);
  await asAdmin("UPDATE grid_fee_schedules SET valid_from = '2026-10-26', valid_to = NULL");
  expect(await withModule3()).toEqual([{ band: null, grid: 9.5, priced: 4 }]);
});
