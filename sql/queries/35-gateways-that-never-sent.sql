-- Which gateways were set up and never sent anything?
--
-- Households none of whose devices in use ever sent a value, or none for so long that their sums by day are gone, the longest
-- waiting first. Those that sent and fell silent: 05-dead-gateways.
--
-- Of the learning data, 1 row:
--
--   household                    | since                  | devices | types
--   -----------------------------+------------------------+---------+-------------------------------------------
--   dom_learning0000000000000006 | 2026-10-10 00:00:00+02 |       3 | household_net, household_residual, wallbox
WITH params AS NOT MATERIALIZED (
  SELECT 2.0 AS least_days
)
SELECT n.household, min(n.created_at) AS since, count(*) AS devices, string_agg(DISTINCT n.type, ', ' ORDER BY n.type) AS types
  FROM params AS p
  JOIN never_sent_assets AS n ON n.age_seconds >= p.least_days * 86400
 WHERE NOT EXISTS (SELECT FROM assets AS a
                    WHERE a.household = n.household AND a.decommissioned_at IS NULL
                      AND a.asset NOT IN (SELECT m.asset FROM never_sent_assets AS m WHERE m.household = n.household))
 GROUP BY n.household
 ORDER BY since, n.household;
