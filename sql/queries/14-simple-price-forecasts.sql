-- How wrong is it to expect yesterday's prices?
--
-- The error of two simple forecasts: the price of the same instant one day and one week before. A model has to be better than
-- these. `mean_error` above zero: the forecast was too high.
--
-- Of the learning data, 2 rows:
--
--   forecast        | quarter_hours | mean_absolute_error_ct_kwh | mean_error_ct_kwh | within_1_ct_percent
--   ----------------+---------------+----------------------------+-------------------+--------------------
--   one day before  |          2212 |                       1.49 |              0.02 |                50.1
--   one week before |          2212 |                       1.93 |             -0.60 |                34.0
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-17' AS first_day, date '2026-11-09' AS end_day
),
prices AS MATERIALIZED (
  SELECT price.delivery_day, price.start, price.ct_kwh
    FROM params AS p
    JOIN spot_price_quarter_hours AS price
      ON price.delivery_day >= p.first_day - 8 AND price.delivery_day < p.end_day AND price.zone = 'DE-LU'
)
SELECT method.name AS forecast, count(*) AS quarter_hours,
       round(avg(abs(before.ct_kwh - price.ct_kwh)), 2) AS mean_absolute_error_ct_kwh,
       round(avg(before.ct_kwh - price.ct_kwh), 2) AS mean_error_ct_kwh,
       round(100.0 * count(*) FILTER (WHERE abs(before.ct_kwh - price.ct_kwh) <= 1) / count(*), 1) AS within_1_ct_percent
  FROM params AS p
  JOIN prices AS price ON price.delivery_day >= p.first_day AND price.delivery_day < p.end_day
 CROSS JOIN (VALUES ('one day before', interval '24 hours'), ('one week before', interval '168 hours')) AS method (name, back)
  JOIN prices AS before ON before.start = price.start - method.back
 GROUP BY method.name
 ORDER BY method.name;
