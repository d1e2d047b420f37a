-- How much of its sun does a household use itself, and how much of its consumption is its own?
--
-- Per day. Self-consumption: the share of the generation that was not fed into the grid. Autarky: the share of the
-- consumption that was not taken from the grid. Name another household, or put NULL in its place for all of them.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 30 rows, the first 12:
--
--   household                    | delivery_day | solar_kwh | consumption_kwh | import_kwh | export_kwh | quarter_hours | self_consumption_percent | autarky_percent
--   -----------------------------+--------------+-----------+-----------------+------------+------------+---------------+--------------------------+----------------
--   dom_learning0000000000000001 | 2026-10-10   |     40.31 |           51.32 |      35.84 |      26.83 |            96 |                     33.4 |            30.2
--   dom_learning0000000000000001 | 2026-10-11   |     39.71 |           32.81 |      15.45 |      23.28 |            96 |                     41.4 |            52.9
--   dom_learning0000000000000001 | 2026-10-12   |     40.55 |           65.05 |      50.72 |      24.29 |            96 |                     40.1 |            22.0
--   dom_learning0000000000000001 | 2026-10-13   |     40.24 |           39.42 |      22.57 |      25.20 |            96 |                     37.4 |            42.8
--   dom_learning0000000000000001 | 2026-10-14   |     35.31 |           57.13 |      40.57 |      19.58 |            96 |                     44.6 |            29.0
--   dom_learning0000000000000001 | 2026-10-15   |     29.37 |           59.27 |      44.62 |      14.15 |            96 |                     51.8 |            24.7
--   dom_learning0000000000000001 | 2026-10-16   |     35.81 |           60.83 |      47.83 |      21.08 |            96 |                     41.1 |            21.4
--   dom_learning0000000000000001 | 2026-10-17   |     34.49 |           40.55 |      23.86 |      20.33 |            96 |                     41.0 |            41.2
--   dom_learning0000000000000001 | 2026-10-18   |     37.87 |           69.24 |      54.92 |      21.58 |            96 |                     43.0 |            20.7
--   dom_learning0000000000000001 | 2026-10-19   |     32.34 |           25.62 |      13.14 |      19.84 |            96 |                     38.7 |            48.7
--   dom_learning0000000000000001 | 2026-10-20   |     28.13 |           61.46 |      44.62 |      13.87 |            96 |                     50.7 |            27.4
--   dom_learning0000000000000001 | 2026-10-21   |     37.59 |           67.85 |      50.08 |      19.82 |            96 |                     47.3 |            26.2
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered, 'dom_learning0000000000000001' AS household
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT e.household, e.delivery_day, round(sum(e.solar_kwh)::numeric, 2) AS solar_kwh,
       round(sum(e.consumption_kwh)::numeric, 2) AS consumption_kwh,
       round(sum(e.grid_import_kwh)::numeric, 2) AS import_kwh, round(sum(e.grid_export_kwh)::numeric, 2) AS export_kwh,
       count(*) AS quarter_hours,
       round((100 * (1 - sum(e.grid_export_kwh) / nullif(sum(e.solar_kwh), 0)))::numeric, 1) AS self_consumption_percent,
       round((100 * (1 - sum(e.grid_import_kwh) / nullif(sum(e.consumption_kwh), 0)))::numeric, 1) AS autarky_percent
  FROM span AS p
  JOIN household_energy AS e
    ON e.start >= p.begins AND e.start < p.ends
     AND e.covered_share >= p.least_covered AND (p.household IS NULL OR e.household = p.household)
 GROUP BY e.household, e.delivery_day
HAVING sum(e.solar_kwh) IS NOT NULL
 ORDER BY e.household, e.delivery_day;
