-- How much did each kind of device move, day by day?
--
-- From sums that are kept by day. `covered_percent` is the mean over the devices of the kind; a device that sent nothing on a
-- day is not among them (see `devices`).
--
-- Of the learning data, 210 rows, the first 12:
--
--   delivery_day | type               | devices | consumed_kwh | fed_kwh | greatest_kw | covered_percent
--   -------------+--------------------+---------+--------------+---------+-------------+----------------
--   2026-10-10   | battery            |       2 |         15.4 |    17.5 |        4.93 |           100.0
--   2026-10-10   | heat_pump          |       3 |         28.4 |     0.0 |        1.75 |            99.9
--   2026-10-10   | household_net      |       5 |        128.7 |    71.3 |       12.88 |            99.9
--   2026-10-10   | household_residual |       4 |         56.3 |     0.0 |        3.12 |            99.9
--   2026-10-10   | inverter           |       3 |          0.0 |   101.2 |        0.17 |            99.9
--   2026-10-10   | solar              |       3 |          0.0 |    99.0 |        0.00 |            99.9
--   2026-10-10   | wallbox            |       3 |         60.9 |     0.0 |       10.67 |            99.9
--   2026-10-11   | battery            |       2 |         15.5 |    15.9 |        5.00 |           100.0
--   2026-10-11   | heat_pump          |       3 |         49.4 |     0.0 |        1.92 |           100.0
--   2026-10-11   | household_net      |       5 |        121.8 |    66.7 |       11.83 |           100.0
--   2026-10-11   | household_residual |       4 |         58.4 |     0.0 |        2.66 |           100.0
--   2026-10-11   | inverter           |       3 |          0.1 |    98.3 |        0.21 |           100.0
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
)
SELECT e.delivery_day, e.type, count(*) AS devices, round(sum(e.consumed_kwh)::numeric, 1) AS consumed_kwh,
       round(sum(e.fed_kwh)::numeric, 1) AS fed_kwh, round(max(e.max_power_kw)::numeric, 2) AS greatest_kw,
       round(100 * avg(e.covered_share)::numeric, 1) AS covered_percent
  FROM params AS p
  JOIN energy_days AS e ON e.delivery_day >= p.first_day AND e.delivery_day < p.end_day
 GROUP BY e.delivery_day, e.type
 ORDER BY e.delivery_day, e.type;
