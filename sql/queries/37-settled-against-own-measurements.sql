-- How far is settled usage from what the devices of the household measured?
--
-- Per contract, month and source: settled quarter hours, and the energy of the grid connection in the same ones by the household's
-- own devices, for supply the import, for feed-in the export. `not_measured`: quarter hours that values cover for less than
-- `least_covered`; the sums leave them out. A FULL JOIN, because PostgreSQL cannot tell how many rows such views will have: it would
-- compare each row of one with all of the other.
--
-- Of the learning data, 2 rows:
--
--   contract                     | month      | source            | quarter_hours | not_measured | settled_kwh | own_kwh | difference_kwh | greatest_difference_kwh
--   -----------------------------+------------+-------------------+---------------+--------------+-------------+---------+----------------+------------------------
--   sub_learning0000000000000001 | 2026-10-01 | metering_operator |          2116 |            0 |      828.01 |  828.01 |           0.00 |                   0.000
--   sub_learning0000000000000004 | 2026-10-01 | metering_operator |          2116 |            1 |     1012.07 | 1012.07 |           0.00 |                   0.000
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-01' AS first_day, date '2026-12-01' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
settled AS (
  SELECT u.contract, c.type, u.household, u.start, u.delivery_day, u.source, u.kwh
    FROM span AS p
    JOIN usage_quarter_hours AS u ON u.start >= p.begins AND u.start < p.ends
    JOIN contracts AS c ON c.contract = u.contract
),
own AS (
  SELECT e.household, e.start, e.grid_import_kwh, e.grid_export_kwh
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.grid_covered_seconds >= 900 * p.least_covered
),
quarter_hours AS (
  SELECT s.contract, date_trunc('month', s.delivery_day::timestamp)::date AS month, s.source, s.kwh AS settled_kwh,
         CASE s.type WHEN 'consumption' THEN e.grid_import_kwh ELSE e.grid_export_kwh END AS own_kwh
    FROM settled AS s
    FULL JOIN own AS e USING (household, start)
)
SELECT contract, month, source, count(settled_kwh) AS quarter_hours, count(settled_kwh) - count(own_kwh) AS not_measured,
       round((sum(settled_kwh) FILTER (WHERE own_kwh IS NOT NULL))::numeric, 2) AS settled_kwh,
       round(sum(own_kwh)::numeric, 2) AS own_kwh, round(sum(own_kwh - settled_kwh)::numeric, 2) AS difference_kwh,
       round(max(abs(own_kwh - settled_kwh))::numeric, 3) AS greatest_difference_kwh
  FROM quarter_hours
 GROUP BY contract, month, source
HAVING count(settled_kwh) > 0
 ORDER BY contract, month, source;
