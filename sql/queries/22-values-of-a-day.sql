-- How many values came on a day, and was any counted twice?
--
-- A batch that a gateway sends again is recognized: `values` and `instants` are the same for one asset, and the values come
-- every `seconds_apart` (median).
--
-- Of the learning data, 5 rows:
--
--   household                    | assets | values | instants | seconds_apart
--   -----------------------------+--------+--------+----------+--------------
--   dom_learning0000000000000001 |      7 |   2016 |     2016 |           300
--   dom_learning0000000000000002 |      6 |   1728 |     1728 |           300
--   dom_learning0000000000000003 |      4 |   1152 |     1152 |           300
--   dom_learning0000000000000004 |      3 |    864 |      864 |           300
--   dom_learning0000000000000005 |      3 |    864 |      864 |           300
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-15' AS day
),
span AS NOT MATERIALIZED (
  SELECT *, day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         (day + 1)::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
sent AS (
  SELECT s.household, s.asset, s.timestamp,
         extract(epoch FROM s.timestamp - lag(s.timestamp) OVER (PARTITION BY s.asset ORDER BY s.timestamp)) AS seconds
    FROM span AS p
    JOIN snapshots AS s ON s.timestamp >= p.begins AND s.timestamp < p.ends
)
SELECT household, count(DISTINCT asset) AS assets, count(*) AS values, count(DISTINCT (asset, timestamp)) AS instants,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds)::integer AS seconds_apart
  FROM sent
 GROUP BY household
 ORDER BY household;
