-- When did the households of a zip and grid operator together take most from the grid?
--
-- The quarter hour with the highest mean import of all of them at once. Empty zip: the place is not known.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 1 row:
--
--     zip | grid_operator    | households | peak_kw | start
--   ------+------------------+------------+---------+-----------------------
--   10115 | stromnetz-berlin |          5 |   22.78 | 2026-10-18 04:00:00+02
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
taken AS (
  SELECT h.zip, h.grid_operator, e.start, count(*) AS households, sum(e.grid_import_kwh) * 4 AS import_kw
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.grid_covered_seconds >= 900 * p.least_covered
    JOIN households AS h ON h.household = e.household
   GROUP BY h.zip, h.grid_operator, e.start
)
SELECT DISTINCT ON (zip, grid_operator) zip, grid_operator, households, round(import_kw::numeric, 2) AS peak_kw, start
  FROM taken
 ORDER BY zip, grid_operator, import_kw DESC, start;
