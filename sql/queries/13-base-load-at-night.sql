-- What runs day and night?
--
-- The median power between 01:00 and 05:00 of what no device explains, and what it comes to in a year.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 5 rows:
--
--   household                    | is_measured | quarter_hours | base_load_watts | kwh_year
--   -----------------------------+-------------+---------------+-----------------+---------
--   dom_learning0000000000000002 | t           |           484 |             443 |     3877
--   dom_learning0000000000000001 | t           |           484 |             430 |     3767
--   dom_learning0000000000000003 | t           |           484 |             385 |     3374
--   dom_learning0000000000000004 | f           |           484 |             321 |     2813
--   dom_learning0000000000000005 | t           |           340 |             249 |     2179
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered, time '01:00' AS night_from, time '05:00' AS night_until
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT e.household, bool_and(e.is_residual_measured) AS is_measured, count(*) AS quarter_hours,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY e.residual_kwh) * 4000)::numeric) AS base_load_watts,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY e.residual_kwh) * 4 * 8760)::numeric) AS kwh_year
  FROM span AS p
  JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.covered_share >= p.least_covered
 WHERE e.local_time::time >= p.night_from AND e.local_time::time < p.night_until AND e.residual_kwh IS NOT NULL
 GROUP BY e.household
 ORDER BY base_load_watts DESC, e.household;
