-- How much did each household take, feed in, generate and use, month by month?
--
-- From sums that are kept of days that are over: a year costs no more than its 365 days. A row for each month, also where
-- nothing is known; what is known of less than `least_covered` of a month is left empty. The last value holds for some minutes of the
-- day behind it: of November 09, which ends with 2026-11-08, has a little less.
--
-- Of the learning data, 12 rows:
--
--   household                    | month      | import_kwh | export_kwh | solar_kwh | consumption_kwh | covered_percent
--   -----------------------------+------------+------------+------------+-----------+-----------------+----------------
--   dom_learning0000000000000001 | 2026-10-01 |      828.0 |      391.6 |     724.3 |          1165.2 |            71.0
--   dom_learning0000000000000001 | 2026-11-01 |      343.1 |       96.4 |     221.0 |           467.6 |            26.7
--   dom_learning0000000000000002 | 2026-10-01 |      571.2 |      241.3 |     455.0 |           792.1 |            70.1
--   dom_learning0000000000000002 | 2026-11-01 |      224.9 |       61.1 |     139.4 |           302.6 |            26.7
--   dom_learning0000000000000003 | 2026-10-01 |      207.7 |      478.1 |     563.0 |           292.5 |            71.0
--   dom_learning0000000000000003 | 2026-11-01 |       79.6 |      139.0 |     166.7 |           107.4 |            26.7
--   dom_learning0000000000000004 | 2026-10-01 |     1013.1 |        0.0 |           |          1013.1 |            71.0
--   dom_learning0000000000000004 | 2026-11-01 |      450.0 |        0.0 |           |           450.0 |            26.7
--   dom_learning0000000000000005 | 2026-10-01 |      591.8 |        0.0 |           |           591.8 |            65.8
--   dom_learning0000000000000005 | 2026-11-01 |            |            |           |                 |             0.0
--   dom_learning0000000000000006 | 2026-10-01 |            |            |           |                 |             0.0
--   dom_learning0000000000000006 | 2026-11-01 |            |            |           |                 |             0.0
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-01' AS first_day, date '2026-12-01' AS end_day, 'month' AS step, 0.2 AS least_covered
)
SELECT e.household, e.local_time::date AS month, round(e.grid_import_kwh::numeric, 1) AS import_kwh,
       round(e.grid_export_kwh::numeric, 1) AS export_kwh, round(e.solar_kwh::numeric, 1) AS solar_kwh,
       round(e.consumption_kwh::numeric, 1) AS consumption_kwh, round(100 * e.covered_share::numeric, 1) AS covered_percent
  FROM params AS p
 CROSS JOIN LATERAL household_energy_filled(p.first_day::timestamp AT TIME ZONE 'Europe/Berlin',
                                            p.end_day::timestamp AT TIME ZONE 'Europe/Berlin', p.step, p.least_covered) AS e
 ORDER BY e.household, e.start;
