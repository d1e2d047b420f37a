-- Which part of the charging falls on the cheapest quarter of the day?
--
-- The quarter hours of each day in four equal parts by price: 1 is the cheapest. Whoever does not look at prices has some
-- 25 percent in each.
--
-- Of the learning data, 12 rows:
--
--   household                    | price_quarter | charged_kwh | percent
--   -----------------------------+---------------+-------------+--------
--   dom_learning0000000000000001 |             1 |         0.0 |     0.0
--   dom_learning0000000000000001 |             2 |        30.4 |     4.9
--   dom_learning0000000000000001 |             3 |       237.5 |    37.9
--   dom_learning0000000000000001 |             4 |       358.0 |    57.2
--   dom_learning0000000000000002 |             1 |       343.9 |    56.5
--   dom_learning0000000000000002 |             2 |       215.0 |    35.3
--   dom_learning0000000000000002 |             3 |        48.2 |     7.9
--   dom_learning0000000000000002 |             4 |         2.1 |     0.3
--   dom_learning0000000000000004 |             1 |        93.7 |    16.1
--   dom_learning0000000000000004 |             2 |       180.9 |    31.1
--   dom_learning0000000000000004 |             3 |       192.8 |    33.2
--   dom_learning0000000000000004 |             4 |       113.7 |    19.6
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
ranked AS (
  SELECT price.start, ntile(4) OVER (PARTITION BY price.delivery_day ORDER BY price.ct_kwh, price.start) AS price_quarter
    FROM span AS p
    JOIN spot_price_quarter_hours AS price
      ON price.delivery_day >= p.first_day AND price.delivery_day < p.end_day AND price.zone = 'DE-LU'
)
SELECT e.household, ranked.price_quarter, round(sum(e.consumed_kwh)::numeric, 1) AS charged_kwh,
       round((100 * sum(e.consumed_kwh) / nullif(sum(sum(e.consumed_kwh)) OVER (PARTITION BY e.household), 0))::numeric, 1)
         AS percent
  FROM span AS p
  JOIN energy AS e ON e.start >= p.begins AND e.start < p.ends AND e.type = 'wallbox'
  JOIN ranked ON ranked.start = e.start
 GROUP BY e.household, ranked.price_quarter
 ORDER BY e.household, ranked.price_quarter;
