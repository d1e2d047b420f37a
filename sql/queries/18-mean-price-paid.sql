-- Which mean price did each household really pay?
--
-- The market price weighted by the import, against the plain mean of the same quarter hours. Below 100 percent: it takes its
-- energy in cheaper hours than the average. `export_ct_kwh`: what the energy that it fed in was worth.
-- Quarter hours that values cover for less than `least_covered` are left out.
--
-- Of the learning data, 5 rows:
--
--   household                    | import_kwh | paid_ct_kwh | mean_ct_kwh | percent_of_mean | export_ct_kwh
--   -----------------------------+------------+-------------+-------------+-----------------+--------------
--   dom_learning0000000000000001 |     1170.7 |      10.858 |       9.453 |           114.9 |         6.997
--   dom_learning0000000000000002 |      795.9 |       8.032 |       9.479 |            84.7 |         6.656
--   dom_learning0000000000000003 |      287.3 |      10.839 |       9.453 |           114.7 |         7.257
--   dom_learning0000000000000004 |     1461.6 |       9.732 |       9.454 |           102.9 |
--   dom_learning0000000000000005 |      591.1 |       9.120 |       8.912 |           102.3 |
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
)
SELECT c.household, round(sum(c.grid_import_kwh)::numeric, 1) AS import_kwh,
       round((100 * sum(c.import_cost_eur) / nullif(sum(c.grid_import_kwh), 0))::numeric, 3) AS paid_ct_kwh,
       round(avg(c.ct_kwh)::numeric, 3) AS mean_ct_kwh,
       round((10000 * sum(c.import_cost_eur) / nullif(sum(c.grid_import_kwh), 0) / avg(c.ct_kwh))::numeric, 1) AS percent_of_mean,
       round((100 * sum(c.export_value_eur) / nullif(sum(c.grid_export_kwh), 0))::numeric, 3) AS export_ct_kwh
  FROM span AS p
  JOIN energy_cost AS c ON c.start >= p.begins AND c.start < p.ends
     AND c.grid_covered_seconds >= 900 * p.least_covered
 WHERE c.ct_kwh IS NOT NULL
 GROUP BY c.household
 ORDER BY c.household;
