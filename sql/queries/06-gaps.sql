-- Where are values missing, and for how long?
--
-- Quarter hours in which nothing was sent from the grid connection, put together to gaps. What the last value still covers
-- is part of the gap. Before the first value of all nothing is missing. 15-completeness-per-week gives shares.
--
-- Of the learning data, 2 rows:
--
--   household                    | silent_from            | silent_until           |  hours
--   -----------------------------+------------------------+------------------------+-------
--   dom_learning0000000000000005 | 2026-10-30 09:00:00+01 | 2026-11-09 00:00:00+01 | 231.00
--   dom_learning0000000000000002 | 2026-10-20 08:15:00+02 | 2026-10-20 14:45:00+02 |   6.50
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
sent AS (
  SELECT q.asset, q.household, q.start
    FROM span AS p
    JOIN quarter_hours AS q ON q.start >= p.begins AND q.start < p.ends AND q.type = 'household_net' AND q.samples > 0
   UNION ALL
  SELECT a.asset, a.household, p.begins - interval '15 minutes'
    FROM span AS p
    JOIN assets AS a ON a.type = 'household_net'
   WHERE EXISTS (SELECT FROM energy_days AS d WHERE d.asset = a.asset AND d.delivery_day < p.first_day)
),
silence AS (
  SELECT s.household, s.start + interval '15 minutes' AS silent_from,
         lead(s.start, 1, least(p.ends, e.summed_until, a.decommissioned_at)) OVER (PARTITION BY s.asset ORDER BY s.start)
           AS silent_until
    FROM span AS p
   CROSS JOIN energy_progress AS e
    JOIN assets AS a ON a.type = 'household_net'
    JOIN sent AS s ON s.asset = a.asset
)
SELECT household, silent_from, silent_until, round((extract(epoch FROM silent_until - silent_from) / 3600)::numeric, 2) AS hours
  FROM silence
 WHERE silent_until > silent_from
 ORDER BY hours DESC, household, silent_from;
