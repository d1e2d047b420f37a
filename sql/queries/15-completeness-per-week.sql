-- How complete are the measured values?
--
-- Per household and week, of the value at the grid connection: the share of the time in which one held, days without any, and
-- the longest silence.
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
  SELECT date '2026-10-10' AS first_day, date '2026-11-08' AS last_day
)
SELECT c.household, week.first_day AS week, count(*) AS days,
       round((100 * sum(c.covered_share * c.expected_quarter_hours) / sum(c.expected_quarter_hours))::numeric, 2)
         AS covered_percent,
       count(*) FILTER (WHERE c.quarter_hours = 0) AS days_without_value,
       round((max(c.longest_gap_seconds) / 3600)::numeric, 2) AS longest_gap_hours
  FROM params AS p
  JOIN completeness AS c ON c.delivery_day BETWEEN p.first_day AND p.last_day AND c.type = 'household_net'
 CROSS JOIN LATERAL (SELECT date_trunc('week', c.delivery_day::timestamp)::date AS first_day) AS week
 GROUP BY c.household, week.first_day
 ORDER BY c.household, week.first_day;
