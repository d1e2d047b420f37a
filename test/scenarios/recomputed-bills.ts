import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import type { TestApi } from '../setup/api.ts';
import { storedRows } from '../setup/stored-rows.ts';

export interface RecomputedBill {
  subscription: string;
  /** First day of the period. */
  from: string;
  until: string;
  /** Decimal texts: kWh with 6 decimals, EUR with cents. */
  usage: string;
  net: string;
  tax: string;
  deducted: string;
  total: string;
}

/**
 * Bills from the tables that everything begins with: contracts, terms, readings, quarter hours, spot prices and reference
 * rows. Nothing of the service takes part: days, pieces, load profile, bands, rounding and tax are written here once more.
 * Consumption contracts from the first day of supply until $2; holidays of these days are listed.
 */
const RECOMPUTED = `
WITH contract AS MATERIALIZED (
  SELECT s.id, s.meter_id, s.plan_id, s.estimated_usage, a.zip,
         (s.start_at AT TIME ZONE 'Europe/Berlin')::date AS first,
         least($2::date, (s.end_at AT TIME ZONE 'Europe/Berlin')::date) AS until,
         (s.end_at AT TIME ZONE 'Europe/Berlin')::date AS ends,
         EXISTS (SELECT FROM billing_terms b WHERE b.subscription_id = s.id AND b.mode = 'advance') AS in_advance
    FROM subscriptions s JOIN addresses a ON a.id = s.address_id
   WHERE s.organization_id = $1 AND s.type = 'consumption'
),
meter_part AS MATERIALIZED (
  SELECT id AS meter_id, valid_from AS first, coalesce(lead(valid_from) OVER (PARTITION BY id ORDER BY valid_from), 'infinity') AS until,
         register, type
    FROM (SELECT m.id, '-infinity'::date AS valid_from, 1 AS register, m.type FROM meters m
          UNION ALL
          SELECT c.meter_id, c.valid_from, coalesce(c.register, 1), coalesce(c.type, m.type)
            FROM meter_changes c JOIN meters m ON m.id = c.meter_id) AS state
),
quarter AS MATERIALIZED (
  SELECT at, local, local::date AS day, extract(year FROM local)::int AS year,
         extract(hour FROM local)::int * 4 + extract(minute FROM local)::int / 15 AS index,
         CASE WHEN local::date IN ('2027-01-01', '2027-03-26', '2027-03-29', '2027-05-01', '2027-05-06', '2027-05-17', '2027-10-03',
                                   '2027-12-25', '2027-12-26', '2028-01-01', '2028-04-14', '2028-04-17', '2028-05-01',
                                   '2028-05-25', '2028-06-05', '2028-10-03', '2028-12-25', '2028-12-26')
                OR extract(isodow FROM local) = 7 THEN 'FT'
              WHEN extract(isodow FROM local) = 6 OR to_char(local, 'MM-DD') IN ('12-24', '12-31') THEN 'SA'
              ELSE 'WT' END AS kind
    FROM (SELECT at, at AT TIME ZONE 'Europe/Berlin' AS local
            FROM generate_series('2027-01-01T00:00+01'::timestamptz, '2028-12-31T23:45+01', '15 minutes') AS at) AS instant
),
weighted AS (
  SELECT q.at, q.day, q.year,
         p.kwh * (-3.92e-10 * t ^ 4 + 3.2e-7 * t ^ 3 - 7.02e-5 * t ^ 2 + 2.1e-3 * t + 1.24) AS weight
    FROM quarter q CROSS JOIN LATERAL (SELECT extract(doy FROM q.local)::numeric AS t) AS ordinal
    JOIN load_profiles p
      ON p.profile = 'h25' AND p.month = extract(month FROM q.local) AND p.day_type = q.kind AND p.quarter_hour = q.index
),
profile AS MATERIALIZED (
  SELECT at, day, weight / sum(weight) OVER (PARTITION BY year) AS share FROM weighted
),
reading AS (
  SELECT meter_id, register, read_on, value, lead(value) OVER one AS next_value, lead(read_on) OVER one AS next_on
    FROM (SELECT DISTINCT ON (meter_id, register, read_on) meter_id, register, read_on, value FROM meter_readings
           ORDER BY meter_id, register, read_on, type = 'grid_estimation', created_at DESC) AS best
  WINDOW one AS (PARTITION BY meter_id, register ORDER BY read_on)
),
energy AS MATERIALIZED (
  SELECT u.subscription_id AS id, q.at, q.day, u.kwh
    FROM usage_quarter_hours u JOIN contract c ON c.id = u.subscription_id JOIN quarter q ON q.at = u.interval_start
   WHERE q.day >= c.first AND q.day < c.until
  UNION ALL
  SELECT c.id, p.at, p.day, (r.next_value - r.value) * p.share / sum(p.share) OVER (PARTITION BY c.id, r.register, r.read_on)
    FROM contract c
    JOIN meter_part m ON m.meter_id = c.meter_id AND m.type = 'analog'
    JOIN reading r ON r.meter_id = c.meter_id AND r.register = m.register
    JOIN profile p ON p.day >= r.read_on AND p.day < r.next_on AND p.day >= m.first AND p.day < m.until
),
day AS MATERIALIZED (
  SELECT c.*, d::date AS day, date_trunc('month', d)::date AS month,
         CASE WHEN c.in_advance THEN c.first ELSE greatest(c.first, date_trunc('month', d)::date) END AS bill,
         extract(day FROM date_trunc('month', d) + interval '1 month - 1 day')::int AS month_days,
         CASE WHEN extract(year FROM d)::int % 4 = 0 THEN 366 ELSE 365 END AS year_days,
         m.type AS meter, t.valid_from AS terms_from, t.base_fee_net, t.margin_ct_net,
         CASE WHEN t.discount_duration = 'recurring' AND d < c.first + make_interval(months => t.discount_duration_in_months::int)
              THEN t.discount_amount_off END AS off,
         v.rate, v.valid_from AS vat_from, l.levies, l.levies_from, z.concession_class, k.ct_net AS concession,
         g.base_eur_year_net, g.working_ct_net, g.module_1_eur_year_net, g.valid_from AS grid_from, module.one, module.three,
         f.low_ct_net, f.standard_ct_net, f.high_ct_net, f.quarters, f.low_windows, f.high_windows,
         (SELECT max(fee.eur_year_gross) FROM metering_fees fee
           WHERE fee.metering_operator IS NULL AND fee.meter = m.type AND d >= fee.valid_from AND d < coalesce(fee.valid_to, 'infinity')
             AND c.estimated_usage > coalesce(fee.over_kwh, -1) AND c.estimated_usage <= coalesce(fee.up_to_kwh, 1e9)
             AND fee.over_pv_kw IS NULL AND (NOT fee.needs_14a_module OR module.one OR module.three)) AS metering
    FROM contract c
   CROSS JOIN LATERAL generate_series(c.first::timestamp, c.until::timestamp - interval '1 day', '1 day') AS d
    JOIN meter_part m ON m.meter_id = c.meter_id AND d >= m.first AND d < m.until
    JOIN plan_terms t ON t.plan_id = c.plan_id AND d >= coalesce(t.valid_from, '-infinity') AND d < coalesce(t.valid_to, 'infinity')
    JOIN vat_rates v ON d >= v.valid_from AND d < coalesce(v.valid_to, 'infinity')
   CROSS JOIN LATERAL (SELECT array_agg(ct_net ORDER BY code) AS levies, array_agg(valid_from ORDER BY code) AS levies_from
                         FROM levies WHERE d >= valid_from AND d < coalesce(valid_to, 'infinity')) AS l
    JOIN zip_areas z ON z.zip = c.zip AND d >= z.valid_from AND d < coalesce(z.valid_to, 'infinity')
    JOIN concession_fees k ON k.class = z.concession_class AND d >= k.valid_from AND d < coalesce(k.valid_to, 'infinity')
    JOIN grid_fees g ON g.operator = z.operator AND d >= g.valid_from AND d < coalesce(g.valid_to, 'infinity')
    LEFT JOIN grid_fee_schedules f ON f.operator = z.operator AND d >= f.valid_from AND d < coalesce(f.valid_to, 'infinity')
   CROSS JOIN LATERAL (
     SELECT coalesce(bool_or(r.type = 'enwg-14a-module-1'), false) AS one, coalesce(bool_or(r.type = 'enwg-14a-module-3'), false) AS three
       FROM grid_fee_reductions r
      WHERE r.subscription_id = c.id AND r.status IN ('activated', 'ended') AND d >= r.valid_from AT TIME ZONE 'Europe/Berlin'
        AND d < coalesce(r.valid_until AT TIME ZONE 'Europe/Berlin', 'infinity')) AS module
),
piece AS MATERIALIZED (
  SELECT id, bill, month, month_days, year_days, terms_from, base_fee_net, margin_ct_net, off, rate, levies, levies_from, concession,
         base_eur_year_net, module_1_eur_year_net, grid_from, one, three, meter, metering, count(*) AS days, min(day) AS first,
         max(day) AS last, max(ends) AS ends
    FROM day GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
),
priced AS MATERIALIZED (
  SELECT e.id, d.day, e.kwh, e.kwh * s.amount / 1000 AS spot,
         e.kwh * CASE WHEN NOT d.three OR d.quarters IS NULL THEN d.working_ct_net
                      WHEN NOT extract(quarter FROM d.day)::text = ANY (string_to_array(d.quarters, ';')) THEN d.standard_ct_net
                      WHEN q.local::time >= split_part(d.low_windows, '-', 1)::time
                       AND q.local::time < split_part(d.low_windows, '-', 2)::time THEN d.low_ct_net
                      WHEN q.local::time >= split_part(d.high_windows, '-', 1)::time
                       AND q.local::time < split_part(d.high_windows, '-', 2)::time THEN d.high_ct_net
                      ELSE d.standard_ct_net END / 100 AS grid
    FROM energy e JOIN day d ON d.id = e.id AND d.day = e.day JOIN quarter q ON q.at = e.at
    JOIN spot_prices s ON s.zone = 'DE-LU' AND s.interval_start = e.at
),
piece_energy AS MATERIALIZED (
  SELECT p.id, p.first, round(sum(e.kwh), 12) AS kwh, sum(e.spot) AS spot, sum(e.grid) AS grid
    FROM piece p JOIN priced e ON e.id = p.id AND e.day BETWEEN p.first AND p.last GROUP BY 1, 2
),
line AS MATERIALIZED (
  SELECT p.*, e.kwh,
         round(base_fee_net * days / month_days, 2) AS base_fee,
         round(base_eur_year_net * days / year_days, 2) AS grid_base,
         CASE WHEN one THEN round(-module_1_eur_year_net * days / year_days, 2) ELSE 0 END AS module_1,
         round(metering / (1 + rate) * days / year_days, 2) AS metering_fee,
         round(e.spot, 2) AS energy, round(e.kwh * margin_ct_net / 100, 2) AS margin, round(e.grid, 2) AS grid,
         round(e.kwh * concession / 100, 2)
           + (SELECT sum(round(e.kwh * cents / 100, 2)) FROM unnest(levies) AS cents) AS levies_net,
         round(coalesce(off, 0) / (1 + rate) * days / month_days, 2) AS discount
    FROM piece p JOIN piece_energy e ON e.id = p.id AND e.first = p.first
),
cap AS (
  SELECT id, max(last) AS day, greatest(0, -sum(grid_base + module_1 + grid)) AS back, max(ends) AS ends
    FROM line GROUP BY id, extract(year FROM month)
),
charged AS MATERIALIZED (
  SELECT id, bill, rate, first, last, kwh, discount,
         base_fee + grid_base + module_1 + metering_fee + energy + margin + grid + levies_net
           + coalesce((SELECT back FROM cap WHERE cap.id = line.id AND cap.day = line.last
                          AND (to_char(cap.day, 'MM-DD') = '12-31' OR cap.day + 1 = cap.ends)), 0) AS net
    FROM line
),
discounted AS (
  SELECT *, net - least(discount, greatest(0, sum(net) OVER (PARTITION BY id, bill)
                                             - (sum(discount) OVER (PARTITION BY id, bill ORDER BY first) - discount))) AS payable
    FROM charged
),
net AS (
  SELECT id, bill, rate, sum(payable) AS net, sum(kwh) AS kwh, max(last) AS last FROM discounted GROUP BY id, bill, rate
),
billed AS (
  SELECT id, bill, sum(net) AS net, sum(round(net * rate, 2)) AS tax, sum(kwh) AS kwh, max(last) + 1 AS until FROM net GROUP BY id, bill
)
SELECT b.id AS subscription, b.bill::text AS "from", b.until::text, round(b.kwh, 6)::text AS usage, b.net::text, b.tax::text,
       prepaid.paid::text AS deducted, (b.net + b.tax - prepaid.paid)::text AS total
  FROM billed b
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(i.total), 0.00) AS paid FROM invoices i
    WHERE i.subscription_id = b.id AND i.type = 'prepayment' AND i.status = 'paid'
      AND (i.period_start AT TIME ZONE 'Europe/Berlin')::date BETWEEN b.bill AND b.until - 1) AS prepaid
 ORDER BY 1, 2`;

export function recomputedBills(
  api: TestApi,
  organization: string,
  until: string,
): Promise<RecomputedBill[]> {
  return withDatabaseClient(api.database.adminUrl, async (admin) => {
    /* It knows little about how many rows such a statement has on its way, and would try each with each. */
    await admin.query('SET enable_nestloop = off');
    await admin.query('SET statement_timeout = 60000');
    return (await admin.query(RECOMPUTED, [organization, until])).rows as RecomputedBill[];
  });
}

/** The documents of usage that stand, in the same shape. */
export function standingBills(api: TestApi, organization: string): Promise<RecomputedBill[]> {
  return storedRows<RecomputedBill>(
    api,
    `SELECT subscription_id AS subscription, (period_start AT TIME ZONE 'Europe/Berlin')::date::text AS "from",
            (period_end AT TIME ZONE 'Europe/Berlin')::date::text AS until, round(usage_kwh, 6)::text AS usage,
            net::text, tax::text, deducted::text, total::text
       FROM invoices WHERE organization_id = $1 AND type = 'usage' AND status <> 'voided' ORDER BY 1, 2`,
    [organization],
  );
}
