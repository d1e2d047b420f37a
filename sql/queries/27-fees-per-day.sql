-- What do grid fee, levies and VAT put on a kilowatt hour in a zip, day by day?
--
-- Days with the same fees are one row, with the first of them and the day behind the last one. Without the energy itself and without base fees; empty: no price sheet
-- holds.
--
-- Of the learning data, 2 rows:
--
--   first_day  | end_day    | grid_operator    | grid_net_ct_kwh | concession_net_ct_kwh | levies_net_ct_kwh | vat_share | gross_ct_kwh
--   -----------+------------+------------------+-----------------+-----------------------+-------------------+-----------+-------------
--   2026-01-01 | 2027-01-01 | stromnetz-berlin |            7.46 |                  2.39 |             4.996 |      0.19 |       17.667
--   2027-01-01 | 2028-01-01 | stromnetz-berlin |                 |                  2.39 |                   |      0.19 |
WITH params AS NOT MATERIALIZED (
  SELECT '10115' AS zip, date '2026-01-01' AS first_day, date '2028-01-01' AS end_day
)
SELECT min(f.delivery_day) AS first_day, max(f.delivery_day) + 1 AS end_day, f.grid_operator, f.grid_net_ct_kwh,
       f.concession_net_ct_kwh, f.levies_net_ct_kwh, f.vat_share,
       round((f.grid_net_ct_kwh + f.concession_net_ct_kwh + f.levies_net_ct_kwh) * (1 + f.vat_share), 3) AS gross_ct_kwh
  FROM params AS p
  JOIN fee_days AS f ON f.zip = p.zip AND f.delivery_day >= p.first_day AND f.delivery_day < p.end_day
 GROUP BY f.grid_operator, f.grid_net_ct_kwh, f.concession_net_ct_kwh, f.levies_net_ct_kwh, f.vat_share
 ORDER BY first_day;
