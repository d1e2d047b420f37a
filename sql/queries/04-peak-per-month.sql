-- When did each household take most from the grid, month by month?
--
-- The quarter hour with the highest mean import, as a grid operator bills peaks.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 9 rows:
--
--   household                    | month      | peak_kw | start
--   -----------------------------+------------+---------+-----------------------
--   dom_learning0000000000000001 | 2026-10-01 |   12.15 | 2026-10-22 20:30:00+02
--   dom_learning0000000000000001 | 2026-11-01 |   13.72 | 2026-11-08 22:15:00+01
--   dom_learning0000000000000002 | 2026-10-01 |   11.99 | 2026-10-21 04:45:00+02
--   dom_learning0000000000000002 | 2026-11-01 |   12.37 | 2026-11-08 04:30:00+01
--   dom_learning0000000000000003 | 2026-10-01 |    1.99 | 2026-10-16 21:45:00+02
--   dom_learning0000000000000003 | 2026-11-01 |    1.95 | 2026-11-05 19:30:00+01
--   dom_learning0000000000000004 | 2026-10-01 |    7.57 | 2026-10-11 22:00:00+02
--   dom_learning0000000000000004 | 2026-11-01 |    6.88 | 2026-11-06 21:00:00+01
--   dom_learning0000000000000005 | 2026-10-01 |    3.52 | 2026-10-26 21:00:00+01
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT DISTINCT ON (e.household, month.first_day) e.household, month.first_day AS month,
       round((e.grid_import_kwh * 4)::numeric, 2) AS peak_kw, e.start
  FROM span AS p
  JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.grid_covered_seconds >= 900 * p.least_covered
 CROSS JOIN LATERAL (SELECT date_trunc('month', e.delivery_day::timestamp)::date AS first_day) AS month
 ORDER BY e.household, month.first_day, e.grid_import_kwh DESC, e.start;
