-- Which gateways fell silent?
--
-- Households none of whose assets in use sent anything for some hours. Put now() in the place of the instant. Of those whose
-- snapshots are gone already, `newest` is the end of the last day of which sums are kept. Where these are gone too, see
-- 35-gateways-that-never-sent.
--
-- Of the learning data, 1 row:
--
--   household                    | assets | newest                 | silent_hours
--   -----------------------------+--------+------------------------+-------------
--   dom_learning0000000000000005 |      3 | 2026-10-30 08:56:55+01 |        231.1
WITH params AS NOT MATERIALIZED (
  SELECT timestamptz '2026-11-09 00:00:00+01' AS as_of, interval '6 hours' AS silent_for
)
SELECT a.household, count(sent.newest) AS assets, max(sent.newest) AS newest,
       round(extract(epoch FROM p.as_of - max(sent.newest)) / 3600, 1) AS silent_hours
  FROM params AS p
 CROSS JOIN assets AS a
  LEFT JOIN newest_snapshots AS n ON n.asset = a.asset
  LEFT JOIN LATERAL (SELECT max(e.delivery_day) + 1 AS ends_on FROM energy_days AS e
                      WHERE n.asset IS NULL AND e.asset = a.asset) AS last ON true
 CROSS JOIN LATERAL (SELECT coalesce(n.timestamp, last.ends_on::timestamp AT TIME ZONE 'Europe/Berlin') AS newest) AS sent
 WHERE a.decommissioned_at IS NULL
 GROUP BY a.household, p.as_of, p.silent_for
HAVING max(sent.newest) < p.as_of - p.silent_for
 ORDER BY newest;
