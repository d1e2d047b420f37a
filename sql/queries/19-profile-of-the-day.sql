-- When is energy used, on working days and at weekends?
--
-- Mean power of one household by the hour of the clock. Holidays count as the day of the week that they are.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 24 rows, the first 12:
--
--   hour | working_day_kw | weekend_kw | import_kw | export_kw
--   -----+----------------+------------+-----------+----------
--      0 |          1.642 |      1.577 |     1.456 |     0.026
--      1 |          1.488 |      1.437 |     1.357 |     0.028
--      2 |          1.864 |      1.833 |     1.778 |     0.009
--      3 |          2.758 |      2.773 |     2.722 |     0.005
--      4 |          2.869 |      2.947 |     2.879 |     0.001
--      5 |          1.771 |      1.903 |     1.813 |     0.000
--      6 |          1.426 |      1.208 |     1.355 |     0.000
--      7 |          1.140 |      1.156 |     1.127 |     0.001
--      8 |          1.055 |      1.060 |     0.849 |     0.032
--      9 |          0.845 |      0.903 |     0.568 |     0.144
--     10 |          0.795 |      0.803 |     0.497 |     0.370
--     11 |          0.731 |      0.763 |     0.410 |     1.014
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT extract(hour FROM e.local_time)::integer AS hour,
       round((4 * avg(e.consumption_kwh) FILTER (WHERE extract(isodow FROM e.delivery_day) < 6))::numeric, 3) AS working_day_kw,
       round((4 * avg(e.consumption_kwh) FILTER (WHERE extract(isodow FROM e.delivery_day) >= 6))::numeric, 3) AS weekend_kw,
       round((4 * avg(e.grid_import_kwh))::numeric, 3) AS import_kw, round((4 * avg(e.grid_export_kwh))::numeric, 3) AS export_kw
  FROM span AS p
  JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.covered_share >= p.least_covered
 GROUP BY extract(hour FROM e.local_time)
 ORDER BY hour;
