-- Who uses most?
--
-- Consumption of the households, cars and heat pumps included, and how much of the whole the greatest ones make.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 5 rows:
--
--   rank | household                    | quarter_hours | consumption_kwh | wallbox_kwh | heat_pump_kwh | percent | percent_until_here
--   -----+------------------------------+---------------+-----------------+-------------+---------------+---------+-------------------
--      1 | dom_learning0000000000000001 |          2884 |          1632.4 |       626.0 |         543.7 |    31.5 |               31.5
--      2 | dom_learning0000000000000004 |          2883 |          1461.6 |       580.3 |         522.7 |    28.2 |               59.7
--      3 | dom_learning0000000000000002 |          2858 |          1094.6 |       609.1 |               |    21.1 |               80.9
--      4 | dom_learning0000000000000005 |          1959 |           591.1 |             |         363.5 |    11.4 |               92.3
--      5 | dom_learning0000000000000003 |          2884 |           399.9 |             |               |     7.7 |              100.0
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
used AS (
  SELECT e.household, count(*) AS quarter_hours, sum(e.consumption_kwh) AS kwh, sum(e.wallbox_kwh) AS wallbox_kwh, sum(e.heat_pump_kwh) AS heat_pump_kwh
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.covered_share >= p.least_covered
   GROUP BY e.household
)
SELECT row_number() OVER by_kwh AS rank, household, quarter_hours, round(kwh::numeric, 1) AS consumption_kwh,
       round(wallbox_kwh::numeric, 1) AS wallbox_kwh, round(heat_pump_kwh::numeric, 1) AS heat_pump_kwh,
       round((100 * kwh / sum(kwh) OVER ())::numeric, 1) AS percent,
       round((100 * sum(kwh) OVER by_kwh / sum(kwh) OVER ())::numeric, 1) AS percent_until_here
  FROM used
 WHERE kwh IS NOT NULL
WINDOW by_kwh AS (ORDER BY kwh DESC, household)
 ORDER BY rank
 LIMIT 20;
