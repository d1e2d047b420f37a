-- What does the electricity of a contract cost in full, day by day?
--
-- Final energy times market price, margin, grid fee (with module 2 or 3), levies and VAT. Base fees and metering are not in it.
-- Energy and cost are those of the quarter hours of which every part is known; `whole`: of all of the day. `is_synthetic`: a market
-- price of it is invented.
--
-- Of the learning data, 44 rows, the first 12:
--
--   contract                     | delivery_day |   kwh | gross_eur | market_eur | margin_eur | grid_eur | levies_eur | mean_gross_ct_kwh | whole | is_synthetic
--   -----------------------------+--------------+-------+-----------+------------+------------+----------+------------+-------------------+-------+-------------
--   sub_learning0000000000000001 | 2026-10-10   | 35.84 |     11.98 |       4.88 |       0.77 |     3.18 |       3.15 |             33.43 | t     | t
--   sub_learning0000000000000001 | 2026-10-11   | 15.45 |      4.68 |       1.62 |       0.33 |     1.37 |       1.36 |             30.32 | t     | t
--   sub_learning0000000000000001 | 2026-10-12   | 50.72 |     16.99 |       6.94 |       1.09 |     4.50 |       4.46 |             33.50 | t     | t
--   sub_learning0000000000000001 | 2026-10-13   | 22.57 |      7.54 |       3.07 |       0.48 |     2.00 |       1.98 |             33.42 | t     | t
--   sub_learning0000000000000001 | 2026-10-14   | 40.57 |     13.25 |       5.21 |       0.87 |     3.60 |       3.57 |             32.66 | t     | t
--   sub_learning0000000000000001 | 2026-10-15   | 44.62 |     14.21 |       5.37 |       0.96 |     3.96 |       3.92 |             31.84 | t     | t
--   sub_learning0000000000000001 | 2026-10-16   | 47.83 |     15.33 |       5.86 |       1.02 |     4.25 |       4.20 |             32.06 | t     | t
--   sub_learning0000000000000001 | 2026-10-17   | 23.86 |      8.03 |       3.30 |       0.51 |     2.12 |       2.10 |             33.65 | t     | t
--   sub_learning0000000000000001 | 2026-10-18   | 54.92 |     15.66 |       4.78 |       1.18 |     4.88 |       4.83 |             28.52 | t     | t
--   sub_learning0000000000000001 | 2026-10-19   | 13.14 |      4.14 |       1.54 |       0.28 |     1.17 |       1.15 |             31.51 | t     | t
--   sub_learning0000000000000001 | 2026-10-20   | 44.62 |     14.84 |       6.00 |       0.96 |     3.96 |       3.92 |             33.26 | t     | t
--   sub_learning0000000000000001 | 2026-10-21   | 50.08 |     16.70 |       6.78 |       1.07 |     4.45 |       4.40 |             33.34 | t     | t
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-10' AS first_day, date '2026-11-09' AS end_day, NULL::text AS contract
)
SELECT c.contract, c.delivery_day, round(c.kwh, 2) AS kwh, round(c.gross_eur, 2) AS gross_eur,
       round(c.market_gross_eur, 2) AS market_eur, round(c.margin_gross_eur, 2) AS margin_eur,
       round(c.grid_gross_eur, 2) AS grid_eur, round(c.levies_gross_eur, 2) AS levies_eur,
       round(100 * c.gross_eur / nullif(c.kwh, 0), 2) AS mean_gross_ct_kwh, c.priced_quarter_hours = d.hours * 4 AS whole,
       c.is_synthetic
  FROM params AS p
  JOIN retail_cost_days AS c
    ON c.delivery_day >= p.first_day AND c.delivery_day < p.end_day AND (p.contract IS NULL OR c.contract = p.contract)
  JOIN delivery_days AS d ON d.delivery_day = c.delivery_day
 ORDER BY c.contract, c.delivery_day;
