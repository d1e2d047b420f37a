-- Which gateways fell silent?
--
-- Households none of whose assets sent anything for some hours. Put now() in the place of the instant.
--
-- Of the learning data, 1 row:
--
--   household                    | assets | newest                 | silent_hours
--   -----------------------------+--------+------------------------+-------------
--   dom_learning0000000000000005 |      3 | 2026-10-30 08:56:55+01 |        231.1
WITH params AS NOT MATERIALIZED (
  SELECT timestamptz '2026-11-09 00:00:00+01' AS as_of, interval '6 hours' AS silent_for
)
SELECT n.household, count(*) AS assets, max(n.timestamp) AS newest,
       round(extract(epoch FROM p.as_of - max(n.timestamp)) / 3600, 1) AS silent_hours
  FROM params AS p
 CROSS JOIN newest_snapshots AS n
 GROUP BY n.household, p.as_of, p.silent_for
HAVING max(n.timestamp) < p.as_of - p.silent_for
 ORDER BY newest;
