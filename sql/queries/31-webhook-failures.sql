-- Which receivers of webhooks fail, with what, and how long do deliveries take?
--
-- Per receiver and topic, of the last 30 days: deliveries are kept no longer. `retried`: one attempt was not enough. `given_up`: no
-- further one is made. `usual_status`: what most of those that are not delivered had last, a status or `no answer`. The learning data
-- have none: nothing was ever sent to a receiver of theirs. In the demo a receiver has to be there first (docs/webhooks.md).
--
-- Of the learning data, 0 rows:
--
--   endpoint | topic | deliveries | delivered | given_up | retried | usual_status | seconds_of_95_percent | failing_since
--   ---------+-------+------------+-----------+----------+---------+--------------+-----------------------+--------------
WITH params AS NOT MATERIALIZED (
  SELECT current_date - 30 AS first_day, current_date + 1 AS end_day
)
SELECT d.endpoint, d.topic, count(*) AS deliveries, count(*) FILTER (WHERE d.state = 'delivered') AS delivered,
       count(*) FILTER (WHERE d.state = 'failed') AS given_up, count(*) FILTER (WHERE d.attempts > 1) AS retried,
       mode() WITHIN GROUP (ORDER BY coalesce(d.last_status::text, 'no answer'))
         FILTER (WHERE d.state <> 'delivered' AND d.attempts > 0) AS usual_status,
       round((percentile_cont(0.95) WITHIN GROUP (ORDER BY d.took_seconds))::numeric, 1) AS seconds_of_95_percent,
       min(e.failing_since) AS failing_since
  FROM params AS p
  JOIN webhook_deliveries AS d ON d.created_at >= p.first_day::timestamp AT TIME ZONE 'Europe/Berlin'
                              AND d.created_at < p.end_day::timestamp AT TIME ZONE 'Europe/Berlin'
  JOIN webhook_endpoints AS e ON e.endpoint = d.endpoint
 GROUP BY d.endpoint, d.topic
 ORDER BY given_up DESC, retried DESC, d.endpoint, d.topic;
