-- Would a flat price have been cheaper?
--
-- Per household and month: the market price with a margin against one price for every kWh, both without VAT. Fees and taxes
-- are the same for both and left out. Positive `saved_eur`: the dynamic price was cheaper.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 9 rows:
--
--   household                    | month      | import_kwh | dynamic_eur | flat_eur | quarter_hours | saved_eur
--   -----------------------------+------------+------------+-------------+----------+---------------+----------
--   dom_learning0000000000000001 | 2026-10-01 |      828.0 |       97.88 |   103.50 |          2116 |      5.62
--   dom_learning0000000000000001 | 2026-11-01 |      342.7 |       46.80 |    42.83 |           768 |     -3.96
--   dom_learning0000000000000002 | 2026-10-01 |      571.1 |       51.44 |    71.39 |          2090 |     19.94
--   dom_learning0000000000000002 | 2026-11-01 |      224.9 |       24.42 |    28.11 |           768 |      3.68
--   dom_learning0000000000000003 | 2026-10-01 |      207.7 |       24.43 |    25.96 |          2116 |      1.53
--   dom_learning0000000000000003 | 2026-11-01 |       79.6 |       11.02 |     9.95 |           768 |     -1.07
--   dom_learning0000000000000004 | 2026-10-01 |     1012.1 |      107.59 |   126.51 |          2115 |     18.92
--   dom_learning0000000000000004 | 2026-11-01 |      449.5 |       56.58 |    56.19 |           768 |     -0.39
--   dom_learning0000000000000005 | 2026-10-01 |      591.1 |       62.77 |    73.88 |          1959 |     11.11
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered,
         1.5::double precision AS margin_ct_kwh, 12.5::double precision AS flat_ct_kwh
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT c.household, month.first_day AS month, round(sum(c.grid_import_kwh)::numeric, 1) AS import_kwh,
       round(sum(c.import_cost_eur + c.grid_import_kwh * p.margin_ct_kwh / 100)::numeric, 2) AS dynamic_eur,
       round(sum(c.grid_import_kwh * p.flat_ct_kwh / 100)::numeric, 2) AS flat_eur,
       count(*) AS quarter_hours,
       round(sum(c.grid_import_kwh * (p.flat_ct_kwh - p.margin_ct_kwh) / 100 - c.import_cost_eur)::numeric, 2) AS saved_eur
  FROM span AS p
  JOIN energy_cost AS c ON c.start >= p.begins AND c.start < p.ends
     AND c.grid_covered_seconds >= 900 * p.least_covered
 CROSS JOIN LATERAL (SELECT date_trunc('month', c.delivery_day::timestamp)::date AS first_day) AS month
 WHERE c.ct_kwh IS NOT NULL
 GROUP BY c.household, month.first_day
 ORDER BY c.household, month.first_day;
