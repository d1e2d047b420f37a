-- When did cars charge, how much, and from which state of charge to which?
--
-- One row for each session that begins within the days and charges at least `least_kwh`, by quarter hours. `before_percent` and
-- `after_percent`: how full the battery of the vehicle was, where the wallbox knows it.
--
-- Of the learning data, 77 rows, the first 12:
--
--   household                    | start                  | ended_at               | hours | charged_kwh | greatest_kw | before_percent | after_percent
--   -----------------------------+------------------------+------------------------+-------+-------------+-------------+----------------+--------------
--   dom_learning0000000000000001 | 2026-10-10 19:30:00+02 | 2026-10-11 09:00:00+02 | 13.50 |        26.7 |        10.7 |             46 |            90
--   dom_learning0000000000000001 | 2026-10-12 18:30:00+02 | 2026-10-13 10:30:00+02 | 16.00 |        33.8 |        10.7 |             34 |            90
--   dom_learning0000000000000001 | 2026-10-13 20:30:00+02 | 2026-10-14 08:00:00+02 | 11.50 |        10.7 |        10.7 |             73 |            90
--   dom_learning0000000000000001 | 2026-10-14 21:45:00+02 | 2026-10-15 10:15:00+02 | 12.50 |        32.9 |        10.7 |             37 |            90
--   dom_learning0000000000000001 | 2026-10-15 19:30:00+02 | 2026-10-16 08:30:00+02 | 13.00 |        17.8 |        10.7 |             62 |            90
--   dom_learning0000000000000001 | 2026-10-16 20:45:00+02 | 2026-10-17 09:00:00+02 | 12.25 |        30.2 |        10.7 |             41 |            90
--   dom_learning0000000000000001 | 2026-10-17 20:15:00+02 | 2026-10-18 10:30:00+02 | 14.25 |        11.6 |        10.7 |             71 |            90
--   dom_learning0000000000000001 | 2026-10-18 20:15:00+02 | 2026-10-19 09:45:00+02 | 13.50 |        35.6 |        10.7 |             31 |            90
--   dom_learning0000000000000001 | 2026-10-20 18:30:00+02 | 2026-10-21 10:00:00+02 | 15.50 |        31.1 |        10.7 |             38 |            90
--   dom_learning0000000000000001 | 2026-10-21 20:00:00+02 | 2026-10-22 09:00:00+02 | 13.00 |        27.6 |        10.7 |             45 |            90
--   dom_learning0000000000000001 | 2026-10-22 20:15:00+02 | 2026-10-23 08:45:00+02 | 12.50 |        30.2 |        10.7 |             41 |            90
--   dom_learning0000000000000001 | 2026-10-23 20:15:00+02 | 2026-10-24 10:00:00+02 | 13.75 |        28.5 |        10.7 |             43 |            90
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 1.0 AS least_kwh
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT s.household, s.start, s.ended_at, round((extract(epoch FROM s.ended_at - s.start) / 3600)::numeric, 2) AS hours,
       round(s.charged_kwh::numeric, 1) AS charged_kwh, round(s.max_power_kw::numeric, 1) AS greatest_kw,
       round(100 * s.state_of_charge_before::numeric) AS before_percent, round(100 * s.state_of_charge_after::numeric) AS after_percent
  FROM span AS p
 CROSS JOIN LATERAL charging_sessions(p.begins, p.ends) AS s
 WHERE s.charged_kwh >= p.least_kwh
 ORDER BY s.household, s.start;
