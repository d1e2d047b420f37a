-- How far apart are the cheapest and the dearest quarter hour of a day?
--
-- Market prices in ct/kWh without fees and taxes: what shifting one kWh could save at most.
--
-- Of the learning data, 30 rows, the first 12:
--
--   delivery_day | quarter_hours | lowest_ct_kwh | lowest_at              | highest_ct_kwh | highest_at             | spread_ct_kwh | mean_ct_kwh
--   -------------+---------------+---------------+------------------------+----------------+------------------------+---------------+------------
--   2026-10-10   |            96 |          5.14 | 2026-10-10 13:00:00+02 |          14.81 | 2026-10-10 19:30:00+02 |          9.67 |        8.92
--   2026-10-11   |            96 |          4.94 | 2026-10-11 13:45:00+02 |          14.97 | 2026-10-11 19:15:00+02 |         10.03 |        8.90
--   2026-10-12   |            96 |          4.64 | 2026-10-12 13:00:00+02 |          14.72 | 2026-10-12 19:45:00+02 |         10.08 |        8.82
--   2026-10-13   |            96 |          5.56 | 2026-10-13 13:00:00+02 |          15.86 | 2026-10-13 19:30:00+02 |         10.29 |        9.76
--   2026-10-14   |            96 |          7.68 | 2026-10-14 13:00:00+02 |          16.70 | 2026-10-14 19:00:00+02 |          9.03 |       10.95
--   2026-10-15   |            96 |          5.51 | 2026-10-15 13:00:00+02 |          14.62 | 2026-10-15 19:15:00+02 |          9.11 |        8.91
--   2026-10-16   |            96 |          6.46 | 2026-10-16 13:00:00+02 |          15.72 | 2026-10-16 19:45:00+02 |          9.26 |        9.84
--   2026-10-17   |            96 |          6.11 | 2026-10-17 13:45:00+02 |          15.85 | 2026-10-17 19:15:00+02 |          9.74 |        9.76
--   2026-10-18   |            96 |         -3.98 | 2026-10-18 12:45:00+02 |          12.59 | 2026-10-18 19:00:00+02 |         16.57 |        5.68
--   2026-10-19   |            96 |          4.41 | 2026-10-19 13:00:00+02 |          15.73 | 2026-10-19 19:00:00+02 |         11.32 |        9.41
--   2026-10-20   |            96 |          4.29 | 2026-10-20 13:00:00+02 |          14.20 | 2026-10-20 19:45:00+02 |          9.91 |        8.27
--   2026-10-21   |            96 |          6.57 | 2026-10-21 13:15:00+02 |          16.25 | 2026-10-21 19:30:00+02 |          9.68 |       10.30
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day
)
SELECT price.delivery_day, count(*) AS quarter_hours, round(min(price.ct_kwh), 2) AS lowest_ct_kwh,
       (array_agg(price.start ORDER BY price.ct_kwh, price.start))[1] AS lowest_at,
       round(max(price.ct_kwh), 2) AS highest_ct_kwh,
       (array_agg(price.start ORDER BY price.ct_kwh DESC, price.start))[1] AS highest_at,
       round(max(price.ct_kwh) - min(price.ct_kwh), 2) AS spread_ct_kwh, round(avg(price.ct_kwh), 2) AS mean_ct_kwh
  FROM params AS p
  JOIN spot_price_quarter_hours AS price
    ON price.delivery_day >= p.first_day AND price.delivery_day < p.end_day AND price.zone = 'DE-LU'
 GROUP BY price.delivery_day
 ORDER BY price.delivery_day;
