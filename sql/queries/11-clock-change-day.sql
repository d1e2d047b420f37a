-- Is the day on which the clock is changed whole?
--
-- Each hour of the clock on the wall with the quarter hours that belong to it. On the last Sunday of October the hour from
-- 02:00 comes twice, with another offset; on the last Sunday of March it is missing. `of_hours`: the length of the day.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 25 rows, the first 12:
--
--   hour | utc_offset_hours | quarter_hours | import_kwh | import_until_then_kwh | hour_of_day | of_hours
--   -----+------------------+---------------+------------+-----------------------+-------------+---------
--      0 |                2 |             4 |       6.11 |                  6.11 |           1 |       25
--      1 |                2 |             4 |       5.06 |                 11.17 |           2 |       25
--      2 |                2 |             4 |       6.62 |                 17.79 |           3 |       25
--      2 |                1 |             4 |      11.11 |                 28.90 |           4 |       25
--      3 |                1 |             4 |      18.20 |                 47.10 |           5 |       25
--      4 |                1 |             4 |      16.57 |                 63.67 |           6 |       25
--      5 |                1 |             4 |      14.07 |                 77.75 |           7 |       25
--      6 |                1 |             4 |       6.36 |                 84.11 |           8 |       25
--      7 |                1 |             4 |       6.11 |                 90.22 |           9 |       25
--      8 |                1 |             4 |       3.89 |                 94.11 |          10 |       25
--      9 |                1 |             4 |       3.34 |                 97.45 |          11 |       25
--     10 |                1 |             4 |       2.14 |                 99.59 |          12 |       25
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-25' AS day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         (day + 1)::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT extract(hour FROM e.local_time)::integer AS hour, e.utc_offset_hours, count(DISTINCT e.start) AS quarter_hours,
       round(sum(e.grid_import_kwh)::numeric, 2) AS import_kwh,
       round((sum(sum(e.grid_import_kwh)) OVER (ORDER BY min(e.start)))::numeric, 2) AS import_until_then_kwh,
       row_number() OVER (ORDER BY min(e.start)) AS hour_of_day, d.hours AS of_hours
  FROM span AS p
  JOIN delivery_days AS d ON d.delivery_day = p.day
  JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.grid_covered_seconds >= 900 * p.least_covered
 GROUP BY extract(hour FROM e.local_time), e.utc_offset_hours, d.hours
 ORDER BY hour_of_day;
