-- Do cars charge in the cheapest hours?
--
-- Of each day the cheapest hours (here 4) against the energy of the wallboxes. `paid_ct_kwh` is the mean price weighted by
-- the charged energy, `mean_ct_kwh` the plain mean of the same quarter hours: those of which something is known of the wallbox.
-- Market prices without fees and taxes.
--
-- Of the learning data, 3 rows:
--
--   household                    | charged_kwh | in_cheapest_kwh | in_cheapest_percent | paid_ct_kwh | mean_ct_kwh
--   -----------------------------+-------------+-----------------+---------------------+-------------+------------
--   dom_learning0000000000000001 |       626.0 |             0.0 |                 0.0 |       12.30 |        9.45
--   dom_learning0000000000000002 |       609.1 |           159.5 |                26.2 |        7.43 |        9.48
--   dom_learning0000000000000004 |       581.1 |            35.7 |                 6.1 |        9.81 |        9.45
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, 4 AS cheapest_hours
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
ranked AS (
  SELECT price.start, price.ct_kwh,
         row_number() OVER (PARTITION BY price.delivery_day ORDER BY price.ct_kwh, price.start) <= p.cheapest_hours * 4 AS is_cheap
    FROM span AS p
    JOIN spot_price_quarter_hours AS price
      ON price.delivery_day >= p.first_day AND price.delivery_day < p.end_day AND price.zone = 'DE-LU'
)
SELECT e.household, round(sum(e.consumed_kwh)::numeric, 1) AS charged_kwh,
       round((sum(e.consumed_kwh) FILTER (WHERE ranked.is_cheap))::numeric, 1) AS in_cheapest_kwh,
       round((100 * sum(e.consumed_kwh) FILTER (WHERE ranked.is_cheap) / nullif(sum(e.consumed_kwh), 0))::numeric, 1)
         AS in_cheapest_percent,
       round((sum(e.consumed_kwh * ranked.ct_kwh::double precision) / nullif(sum(e.consumed_kwh), 0))::numeric, 2) AS paid_ct_kwh,
       round(avg(ranked.ct_kwh), 2) AS mean_ct_kwh
  FROM span AS p
  JOIN energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.type = 'wallbox'
  JOIN ranked ON ranked.start = e.start
 GROUP BY e.household
 ORDER BY e.household;
