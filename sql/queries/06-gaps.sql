-- Where are values missing, and for how long?
--
-- Quarter hours in which nothing was sent from the grid connection, put together to gaps. What the last value still covers
-- is part of the gap. 15-completeness-per-week gives shares.
--
-- Of the learning data, 2 rows:
--
--   household                    | silent_from            | silent_until           |  hours
--   -----------------------------+------------------------+------------------------+-------
--   dom_learning0000000000000005 | 2026-10-30 09:00:00+01 | 2026-11-09 00:00:00+01 | 231.00
--   dom_learning0000000000000002 | 2026-10-20 08:15:00+02 | 2026-10-20 14:45:00+02 |   6.50
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-08' AS last_day
),
missing AS (
  SELECT q.household, q.start,
         q.start - row_number() OVER (PARTITION BY q.household ORDER BY q.start) * interval '15 minutes' AS gap
    FROM params AS p
    JOIN quarter_hours_filled AS q
      ON q.delivery_day BETWEEN p.first_day AND p.last_day AND q.type = 'household_net'
   WHERE q.samples = 0
)
SELECT household, min(start) AS silent_from, max(start) + interval '15 minutes' AS silent_until, round(count(*) / 4.0, 2) AS hours
  FROM missing
 GROUP BY household, gap
 ORDER BY hours DESC, household, silent_from;
