-- Would a grid fee by the clock (module 3 of section 14a EnWG) pay off for those who charge?
--
-- Charged energy by band, and its fee against one standard fee. The bands are an example: put in those of the grid operator.
-- What lies in no band has the standard fee.
--
-- Of the learning data, 9 rows:
--
--   household                    | band     | charged_kwh | percent | fee_eur | standard_fee_eur
--   -----------------------------+----------+-------------+---------+---------+-----------------
--   dom_learning0000000000000001 | high     |       309.0 |    49.4 |   48.36 |            29.45
--   dom_learning0000000000000001 | low      |         9.8 |     1.6 |    0.09 |             0.94
--   dom_learning0000000000000001 | standard |       307.1 |    49.1 |   29.27 |            29.27
--   dom_learning0000000000000002 | high     |         0.0 |     0.0 |    0.00 |             0.00
--   dom_learning0000000000000002 | low      |       585.6 |    96.1 |    5.56 |            55.80
--   dom_learning0000000000000002 | standard |        23.5 |     3.9 |    2.24 |             2.24
--   dom_learning0000000000000004 | high     |        94.0 |    16.2 |   14.71 |             8.95
--   dom_learning0000000000000004 | low      |       237.4 |    40.9 |    2.26 |            22.63
--   dom_learning0000000000000004 | standard |       249.7 |    43.0 |   23.80 |            23.80
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 9.53::double precision AS standard_ct_kwh
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
bands (band, begins, ends, ct_kwh) AS (
  VALUES ('low', time '00:00', time '06:00', 0.95::double precision), ('high', time '17:00', time '21:00', 15.65)
)
SELECT e.household, coalesce(bands.band, 'standard') AS band, round(sum(e.consumed_kwh)::numeric, 1) AS charged_kwh,
       round((100 * sum(e.consumed_kwh) / nullif(sum(sum(e.consumed_kwh)) OVER (PARTITION BY e.household), 0))::numeric, 1)
         AS percent,
       round((sum(e.consumed_kwh * coalesce(bands.ct_kwh, p.standard_ct_kwh)) / 100)::numeric, 2) AS fee_eur,
       round((sum(e.consumed_kwh * p.standard_ct_kwh) / 100)::numeric, 2) AS standard_fee_eur
  FROM span AS p
  JOIN energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.type = 'wallbox'
  LEFT JOIN bands ON e.local_time::time >= bands.begins AND e.local_time::time < bands.ends
 GROUP BY e.household, bands.band
 ORDER BY e.household, band;
