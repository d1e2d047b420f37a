-- How good are the roofs?
--
-- Generation by the peak power: comparable between arrays of any size. With the best day of each.
--
-- Of the learning data, 3 rows:
--
--   asset                        | peak_power_kw | azimuth_degrees | days | solar_kwh | kwh_per_kw | best_day   | best_day_kwh
--   -----------------------------+---------------+-----------------+------+-----------+------------+------------+-------------
--   ast_learning00000000001solar |           9.8 |             180 |   30 |     945.3 |      96.46 | 2026-10-12 |        40.55
--   ast_learning00000000003solar |             9 |             225 |   30 |     729.7 |      81.08 | 2026-10-10 |        32.05
--   ast_learning00000000002solar |           7.5 |             135 |   30 |     594.4 |      79.26 | 2026-10-12 |        26.68
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
days AS (
  SELECT e.asset, e.delivery_day, sum(e.fed_kwh) AS kwh
    FROM span AS p
    JOIN energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.type = 'solar'
   GROUP BY e.asset, e.delivery_day
)
SELECT days.asset, a.peak_power_kw, a.azimuth_degrees, count(*) AS days, round(sum(days.kwh)::numeric, 1) AS solar_kwh,
       round((sum(days.kwh) / a.peak_power_kw)::numeric, 2) AS kwh_per_kw,
       (array_agg(days.delivery_day ORDER BY days.kwh DESC, days.delivery_day))[1] AS best_day,
       round(max(days.kwh)::numeric, 2) AS best_day_kwh
  FROM days
  JOIN assets AS a ON a.asset = days.asset
 GROUP BY days.asset, a.peak_power_kw, a.azimuth_degrees
 ORDER BY kwh_per_kw DESC, days.asset;
