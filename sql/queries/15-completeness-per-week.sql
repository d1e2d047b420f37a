-- How complete are the measured values?
--
-- Per household and week, of the value at the grid connection: the share of the time in which one held, days without any, and
-- the longest silence. Days count from the first value on; what was not summed yet is not silence. The view completeness says the
-- same by day.
--
-- Of the learning data, 25 rows, the first 12:
--
--   household                    | week       | days | covered_percent | days_without_value | longest_gap_hours
--   -----------------------------+------------+------+-----------------+--------------------+------------------
--   dom_learning0000000000000001 | 2026-10-05 |    2 |           99.99 |                  0 |              0.08
--   dom_learning0000000000000001 | 2026-10-12 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000001 | 2026-10-19 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000001 | 2026-10-26 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000001 | 2026-11-02 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000002 | 2026-10-05 |    2 |           99.97 |                  0 |              0.08
--   dom_learning0000000000000002 | 2026-10-12 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000002 | 2026-10-19 |    7 |           96.20 |                  0 |              6.67
--   dom_learning0000000000000002 | 2026-10-26 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000002 | 2026-11-02 |    7 |          100.00 |                  0 |              0.08
--   dom_learning0000000000000003 | 2026-10-05 |    2 |           99.96 |                  0 |              0.08
--   dom_learning0000000000000003 | 2026-10-12 |    7 |          100.00 |                  0 |              0.08
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
sums AS (
  SELECT q.asset, q.delivery_day, q.samples, q.covered_seconds, q.first_at, q.last_at,
         q.first_at - max(q.last_at) OVER (PARTITION BY q.asset, q.delivery_day ORDER BY q.start
                                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
    FROM span AS p
   CROSS JOIN energy_progress AS e
    JOIN quarter_hours AS q ON q.start >= p.begins AND q.start < p.ends AND q.start < e.summed_until AND q.type = 'household_net'
),
sent AS (
  SELECT asset, delivery_day, sum(covered_seconds) AS covered_seconds, count(*) FILTER (WHERE samples > 0) AS quarter_hours,
         min(first_at) AS first_at, max(last_at) AS last_at, max(gap) AS longest_gap
    FROM sums
   GROUP BY asset, delivery_day
),
begun AS MATERIALIZED (
  SELECT a.asset, a.household, a.decommissioned_at,
         coalesce(earlier.first_day, (SELECT min(s.delivery_day) FROM sent AS s WHERE s.asset = a.asset)) AS first_day
    FROM span AS p
    JOIN assets AS a ON a.type = 'household_net'
    LEFT JOIN LATERAL (SELECT p.first_day FROM energy_days AS e
                        WHERE e.asset = a.asset AND e.delivery_day < p.first_day LIMIT 1) AS earlier ON true
),
days AS (
  SELECT b.household, c.week, life.ends - life.begins AS expected, coalesce(s.covered_seconds, 0) AS covered_seconds,
         coalesce(s.quarter_hours, 0) AS quarter_hours,
         greatest(coalesce(s.first_at, life.ends) - life.begins, s.longest_gap, life.ends - s.last_at) AS longest_gap
    FROM span AS p
   CROSS JOIN energy_progress AS e
    JOIN calendar AS c ON c.delivery_day >= p.first_day AND c.delivery_day < p.end_day
    JOIN begun AS b ON c.delivery_day >= b.first_day
   CROSS JOIN LATERAL (
     SELECT c.delivery_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
            least((c.delivery_day + 1)::timestamp AT TIME ZONE 'Europe/Berlin', e.summed_until, b.decommissioned_at) AS ends) AS life
    LEFT JOIN sent AS s ON s.asset = b.asset AND s.delivery_day = c.delivery_day
   WHERE life.begins < life.ends
)
SELECT household, week, count(*) AS days,
       round((100 * sum(covered_seconds) / extract(epoch FROM sum(expected)))::numeric, 2) AS covered_percent,
       count(*) FILTER (WHERE quarter_hours = 0) AS days_without_value,
       round((extract(epoch FROM max(longest_gap)) / 3600)::numeric, 2) AS longest_gap_hours
  FROM days
 GROUP BY household, week
 ORDER BY household, week;
