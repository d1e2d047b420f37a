-- How does a holiday differ from a working day?
--
-- Mean power from the grid by the hour of the clock, of working days, Saturdays, and Sundays with the holidays of a state.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 24 rows, the first 12:
--
--   hour | working_day_kw | saturday_kw | sunday_or_holiday_kw
--   -----+----------------+-------------+---------------------
--      0 |           1.47 |        1.35 |                 1.48
--      1 |           1.37 |        1.24 |                 1.38
--      2 |           1.79 |        1.43 |                 1.94
--      3 |           2.72 |        2.44 |                 2.92
--      4 |           2.86 |        3.01 |                 2.87
--      5 |           1.77 |        2.26 |                 1.65
--      6 |           1.43 |        1.14 |                 1.26
--      7 |           1.12 |        1.14 |                 1.14
--      8 |           0.85 |        0.88 |                 0.81
--      9 |           0.56 |        0.58 |                 0.58
--     10 |           0.51 |        0.52 |                 0.44
--     11 |           0.40 |        0.43 |                 0.43
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 'NI' AS state, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
days AS MATERIALIZED (
  SELECT c.delivery_day, CASE WHEN c.weekday = 7 OR p.state = ANY (c.holiday_states) THEN 'holiday'
                              WHEN c.weekday = 6 THEN 'saturday' ELSE 'working' END AS kind
    FROM params AS p
    JOIN calendar AS c ON c.delivery_day >= p.first_day AND c.delivery_day < p.end_day
)
SELECT extract(hour FROM e.local_time)::integer AS hour,
       round((avg(e.grid_import_kwh * 4) FILTER (WHERE d.kind = 'working'))::numeric, 2) AS working_day_kw,
       round((avg(e.grid_import_kwh * 4) FILTER (WHERE d.kind = 'saturday'))::numeric, 2) AS saturday_kw,
       round((avg(e.grid_import_kwh * 4) FILTER (WHERE d.kind = 'holiday'))::numeric, 2) AS sunday_or_holiday_kw
  FROM span AS p
  JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.grid_covered_seconds >= 900 * p.least_covered
  JOIN days AS d ON d.delivery_day = e.delivery_day
 GROUP BY hour
 ORDER BY hour;
