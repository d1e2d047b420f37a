-- How many leads become customers, and how long does it take?
--
-- By the week in which a lead was made, and plan. Leads without a contract go after six months: older weeks look better than
-- they were.
--
-- Of the learning data, 2 rows:
--
--   week       | plan              | leads | signed | supplied | withdrawn | refused | signed_percent | median_days
--   -----------+-------------------+-------+--------+----------+-----------+---------+----------------+------------
--   2026-09-14 | Learning: dynamic |     3 |      2 |        2 |         0 |       0 |           66.7 |         4.8
--   2026-10-05 | Learning: dynamic |     1 |      0 |        0 |         0 |       0 |            0.0 |
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-09-01' AS first_day, date '2026-12-01' AS end_day
)
SELECT date_trunc('week', l.created_at AT TIME ZONE 'Europe/Berlin')::date AS week, pl.name AS plan, count(*) AS leads,
       count(l.contract) AS signed, count(*) FILTER (WHERE l.outcome = 'supplied') AS supplied,
       count(*) FILTER (WHERE l.outcome = 'withdrawn') AS withdrawn,
       count(*) FILTER (WHERE l.outcome = 'refused') AS refused, round(100.0 * count(l.contract) / count(*), 1) AS signed_percent,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM l.subscribed_at - l.created_at)) / 86400)::numeric, 1)
         AS median_days
  FROM params AS p
  JOIN leads AS l ON l.created_at >= p.first_day::timestamp AT TIME ZONE 'Europe/Berlin'
                 AND l.created_at < p.end_day::timestamp AT TIME ZONE 'Europe/Berlin'
  JOIN plans AS pl ON pl.plan = l.plan
 GROUP BY week, pl.name
 ORDER BY week, pl.name;
