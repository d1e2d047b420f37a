-- When were prices below zero, and what did the households do then?
--
-- Quarter hours below zero put together, with the energy that all households took from the grid and fed into it.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 3 rows:
--
--   negative_from          | negative_until         | hours | lowest_ct_kwh | import_kwh | export_kwh
--   -----------------------+------------------------+-------+---------------+------------+-----------
--   2026-10-18 11:00:00+02 | 2026-10-18 15:00:00+02 |  4.00 |         -3.98 |       7.50 |      40.40
--   2026-10-25 01:00:00+02 | 2026-10-25 05:00:00+01 |  5.00 |         -1.78 |      57.57 |       0.19
--   2026-11-01 11:00:00+01 | 2026-11-01 14:00:00+01 |  3.00 |         -0.67 |       2.64 |      24.65
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
negative AS (
  SELECT price.start, price.ct_kwh, price.start - row_number() OVER (ORDER BY price.start) * interval '15 minutes' AS run
    FROM span AS p
    JOIN spot_price_quarter_hours AS price
      ON price.delivery_day >= p.first_day AND price.delivery_day < p.end_day AND price.zone = 'DE-LU'
   WHERE price.ct_kwh < 0
),
fleet AS (
  SELECT e.start, sum(e.grid_import_kwh) AS import_kwh, sum(e.grid_export_kwh) AS export_kwh
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.grid_covered_seconds >= 900 * p.least_covered
   GROUP BY e.start
)
SELECT min(negative.start) AS negative_from, max(negative.start) + interval '15 minutes' AS negative_until,
       round(count(*) / 4.0, 2) AS hours, round(min(negative.ct_kwh), 2) AS lowest_ct_kwh,
       round(sum(fleet.import_kwh)::numeric, 2) AS import_kwh, round(sum(fleet.export_kwh)::numeric, 2) AS export_kwh
  FROM negative
  LEFT JOIN fleet ON fleet.start = negative.start
 GROUP BY negative.run
 ORDER BY negative_from;
