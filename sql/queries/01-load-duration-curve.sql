-- How much power does everybody together take from the grid, and for how many hours?
--
-- A load duration curve of the grid connections: in `percent` of the time it was `at_least_kw` or more. Below zero more was
-- fed in than taken. A silent gateway counts as nothing: see 15-completeness-per-week.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 10 rows:
--
--   percent | hours | at_least_kw
--   --------+-------+------------
--         0 |   0.0 |       22.78
--         1 |   7.2 |       19.77
--         2 |  14.4 |       19.04
--         5 |  36.1 |       17.51
--        10 |  72.1 |       15.40
--        25 | 180.3 |        7.78
--        50 | 360.5 |        4.05
--        75 | 540.8 |       -0.24
--        90 | 648.9 |       -6.85
--       100 | 721.0 |      -13.15
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
load AS (
  SELECT e.start, sum(e.grid_import_kwh - e.grid_export_kwh) * 4 AS power_kw
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.grid_covered_seconds >= 900 * p.least_covered
   GROUP BY e.start
)
SELECT step.percent, round(count(*) * step.percent / 400.0, 1) AS hours,
       round((percentile_disc(1 - step.percent / 100.0) WITHIN GROUP (ORDER BY load.power_kw))::numeric, 2) AS at_least_kw
  FROM load
 CROSS JOIN (VALUES (0), (1), (2), (5), (10), (25), (50), (75), (90), (100)) AS step (percent)
 GROUP BY step.percent
 ORDER BY step.percent;
