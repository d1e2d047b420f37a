-- How far off were the price forecasts?
--
-- The curves frozen at gate closure, per source and month: mean absolute error, root of the mean square, and whether they
-- were too high on the mean. `newest` ones may have known the prices and are left out. No rows where forecasts are not
-- enabled for the organization.
--
-- Of the learning data, 1 row:
--
--   source             | month      | days | intervals | mean_error_eur_mwh | root_mean_square_eur_mwh | too_high_by_eur_mwh | some_late
--   -------------------+------------+------+-----------+--------------------+--------------------------+---------------------+----------
--   model:class-mean@1 | 2026-11-01 |    7 |       672 |              21.25 |                    23.43 |              -16.94 | f
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
)
SELECT f.source, date_trunc('month', f.delivery_day::timestamp)::date AS month, count(DISTINCT f.delivery_day) AS days,
       count(*) AS intervals, round(avg(abs(f.eur_mwh - f.came_eur_mwh)), 2) AS mean_error_eur_mwh,
       round(sqrt(avg((f.eur_mwh - f.came_eur_mwh) ^ 2)), 2) AS root_mean_square_eur_mwh,
       round(avg(f.eur_mwh - f.came_eur_mwh), 2) AS too_high_by_eur_mwh, bool_or(f.is_late) AS some_late
  FROM params AS p
  JOIN price_forecasts AS f ON f.delivery_day >= p.first_day AND f.delivery_day < p.end_day AND f.zone = 'DE-LU'
 WHERE f.kind = 'frozen' AND f.came_eur_mwh IS NOT NULL
 GROUP BY f.source, month
 ORDER BY f.source, month;
