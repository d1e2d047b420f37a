-- Which receivers of webhooks fail, with what, and how long do deliveries take?
--
-- Per receiver and topic. `given_up`: no further attempt is made. Deliveries are kept for 30 days. The learning data
-- have none: nothing was ever sent to a receiver of theirs.
--
-- Of the learning data, 0 rows:
--
--   endpoint | topic | deliveries | delivered | given_up | retried | usual_status | seconds_of_95_percent | failing_since
--   ---------+-------+------------+-----------+----------+---------+--------------+-----------------------+--------------
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
)
SELECT d.endpoint, d.topic, count(*) AS deliveries, count(*) FILTER (WHERE d.state = 'delivered') AS delivered,
       count(*) FILTER (WHERE d.state = 'failed') AS given_up, count(*) FILTER (WHERE d.state = 'pending' AND d.attempts > 0) AS retried,
       mode() WITHIN GROUP (ORDER BY d.last_status) FILTER (WHERE d.state <> 'delivered') AS usual_status,
       round((percentile_cont(0.95) WITHIN GROUP (ORDER BY d.took_seconds))::numeric, 1) AS seconds_of_95_percent,
       min(e.failing_since) AS failing_since
  FROM params AS p
  JOIN webhook_deliveries AS d ON d.created_at >= p.first_day::timestamp AT TIME ZONE 'Europe/Berlin'
                              AND d.created_at < p.end_day::timestamp AT TIME ZONE 'Europe/Berlin'
  JOIN webhook_endpoints AS e ON e.endpoint = d.endpoint
 GROUP BY d.endpoint, d.topic
 ORDER BY given_up DESC, retried DESC, d.endpoint, d.topic;
