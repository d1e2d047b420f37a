-- Would a flat price have been cheaper?
--
-- Per household and month: the market price with a margin against one price for every kWh, both without VAT. Fees and taxes
-- are the same for both and left out. Positive `saved_eur`: the dynamic price was cheaper.
--
-- Of the learning data, 9 rows:
--
--   household                    | month      | import_kwh | dynamic_eur | flat_eur | saved_eur
--   -----------------------------+------------+------------+-------------+----------+----------
--   dom_learning0000000000000001 | 2026-10-01 |      828.0 |       97.88 |   103.50 |      5.62
--   dom_learning0000000000000001 | 2026-11-01 |      342.7 |       46.80 |    42.83 |     -3.96
--   dom_learning0000000000000002 | 2026-10-01 |      571.2 |       51.45 |    71.39 |     19.94
--   dom_learning0000000000000002 | 2026-11-01 |      224.9 |       24.42 |    28.11 |      3.68
--   dom_learning0000000000000003 | 2026-10-01 |      207.7 |       24.43 |    25.96 |      1.53
--   dom_learning0000000000000003 | 2026-11-01 |       79.6 |       11.02 |     9.95 |     -1.07
--   dom_learning0000000000000004 | 2026-10-01 |     1013.1 |      107.67 |   126.64 |     18.96
--   dom_learning0000000000000004 | 2026-11-01 |      449.5 |       56.58 |    56.19 |     -0.39
--   dom_learning0000000000000005 | 2026-10-01 |      591.8 |       62.84 |    73.97 |     11.13
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-08' AS last_day,
         1.5::double precision AS margin_ct_kwh, 12.5::double precision AS flat_ct_kwh
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         (last_day + 1)::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT c.household, month.first_day AS month, round(sum(c.grid_import_kwh)::numeric, 1) AS import_kwh,
       round(sum(c.import_cost_eur + c.grid_import_kwh * p.margin_ct_kwh / 100)::numeric, 2) AS dynamic_eur,
       round(sum(c.grid_import_kwh * p.flat_ct_kwh / 100)::numeric, 2) AS flat_eur,
       round(sum(c.grid_import_kwh * (p.flat_ct_kwh - p.margin_ct_kwh) / 100 - c.import_cost_eur)::numeric, 2) AS saved_eur
  FROM span AS p
  JOIN energy_cost AS c ON c.start >= p.begins AND c.start < p.ends
 CROSS JOIN LATERAL (SELECT date_trunc('month', c.delivery_day::timestamp)::date AS first_day) AS month
 WHERE c.ct_kwh IS NOT NULL
 GROUP BY c.household, month.first_day
 ORDER BY c.household, month.first_day;
