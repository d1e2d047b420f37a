-- Do the meters of a household agree with one another?
--
-- Power that no device explains, as the gateway says it (household_residual), against the rest of the grid connection after
-- all devices. A difference tells of a device that is not registered, or of clocks that do not agree. Quarter hours that
-- values cover for less than `least_covered` are left out.
--
-- Of the learning data, 5 rows:
--
--   household                    | measured_kwh | computed_kwh | greatest_difference_kwh
--   -----------------------------+--------------+--------------+------------------------
--   dom_learning0000000000000001 |       462.75 |       462.75 |                   0.000
--   dom_learning0000000000000002 |       485.56 |       485.56 |                   0.000
--   dom_learning0000000000000003 |       399.90 |       399.90 |                   0.000
--   dom_learning0000000000000004 |              |       358.65 |
--   dom_learning0000000000000005 |       227.53 |       227.53 |                   0.000
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 0.9 AS least_covered
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
said AS (
  SELECT e.household, e.start, e.consumption_kwh - coalesce(e.wallbox_kwh, 0) + coalesce(e.wallbox_fed_kwh, 0)
         - coalesce(e.heat_pump_kwh, 0) AS computed_kwh, e.residual_kwh, e.is_residual_measured
    FROM span AS p
    JOIN household_energy AS e ON e.start >= p.begins AND e.start < p.ends
     AND e.covered_share >= p.least_covered
)
SELECT household, round((sum(residual_kwh) FILTER (WHERE is_residual_measured))::numeric, 2) AS measured_kwh,
       round(sum(computed_kwh)::numeric, 2) AS computed_kwh,
       round((max(abs(residual_kwh - computed_kwh)) FILTER (WHERE is_residual_measured))::numeric, 3) AS greatest_difference_kwh
  FROM said
 GROUP BY household
 ORDER BY household;
