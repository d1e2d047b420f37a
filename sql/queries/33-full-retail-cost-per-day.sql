-- What does the electricity of a contract cost in full, day by day?
--
-- Final energy times market price, margin, grid fee (with module 2 or 3), levies and VAT. Base fees and metering are not in it.
-- Energy and cost are those of the quarter hours of which every part is known; `whole`: of all of the day. `is_synthetic`: a market
-- price of it is invented.
--
-- Of the learning data, 0 rows:
--
--   contract | delivery_day | kwh | gross_eur | market_eur | margin_eur | grid_eur | levies_eur | mean_gross_ct_kwh | whole | is_synthetic
--   ---------+--------------+-----+-----------+------------+------------+----------+------------+-------------------+-------+-------------
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
