-- How hard do batteries work?
--
-- Full cycles: discharged energy by the capacity. Per week, with the highest and the lowest state of charge.
--
-- Of the learning data, 10 rows:
--
--   asset                        | week       | charged_kwh | discharged_kwh | full_cycles | lowest_percent | highest_percent
--   -----------------------------+------------+-------------+----------------+-------------+----------------+----------------
--   ast_learning000000001battery | 2026-10-05 |        17.7 |           20.6 |        2.06 |           10.0 |            98.0
--   ast_learning000000001battery | 2026-10-12 |        62.0 |           61.0 |        6.10 |           10.0 |            98.0
--   ast_learning000000001battery | 2026-10-19 |        63.2 |           65.7 |        6.57 |           10.0 |            98.0
--   ast_learning000000001battery | 2026-10-26 |        62.4 |           62.1 |        6.21 |           10.0 |            98.0
--   ast_learning000000001battery | 2026-11-02 |        63.3 |           63.6 |        6.36 |           10.0 |            98.0
--   ast_learning000000002battery | 2026-10-05 |        13.2 |           12.9 |        1.72 |           10.0 |            98.0
--   ast_learning000000002battery | 2026-10-12 |        46.4 |           46.8 |        6.24 |           10.0 |            98.0
--   ast_learning000000002battery | 2026-10-19 |        39.8 |           46.6 |        6.21 |           10.0 |            98.0
--   ast_learning000000002battery | 2026-10-26 |        46.3 |           45.7 |        6.10 |           10.0 |            98.0
--   ast_learning000000002battery | 2026-11-02 |        46.4 |           46.7 |        6.23 |           10.0 |            98.0
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
moved AS MATERIALIZED (
  SELECT e.asset, date_trunc('week', e.delivery_day::timestamp)::date AS week, sum(e.consumed_kwh) AS charged_kwh,
         sum(e.fed_kwh) AS discharged_kwh
    FROM span AS p
    JOIN energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.type = 'battery'
   GROUP BY e.asset, 2
),
held AS MATERIALIZED (
  SELECT q.asset, date_trunc('week', q.delivery_day::timestamp)::date AS week, min(q.state_of_charge_last) AS lowest,
         max(q.state_of_charge_last) AS highest
    FROM span AS p
    JOIN quarter_hours AS q ON q.start >= p.begins AND q.start < p.ends AND q.type = 'battery'
   GROUP BY q.asset, 2
)
SELECT moved.asset, moved.week, round(moved.charged_kwh::numeric, 1) AS charged_kwh,
       round(moved.discharged_kwh::numeric, 1) AS discharged_kwh,
       round((moved.discharged_kwh / a.capacity_kwh)::numeric, 2) AS full_cycles,
       round(100 * held.lowest::numeric, 1) AS lowest_percent, round(100 * held.highest::numeric, 1) AS highest_percent
  FROM moved
  JOIN held ON held.asset = moved.asset AND held.week = moved.week
  JOIN assets AS a ON a.asset = moved.asset
 ORDER BY moved.asset, moved.week;
