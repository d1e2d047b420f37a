-- Does the energy on the bills cost what its quarter hours cost?
--
-- Per month: the energy lines of the bills that hold, and the same days as quarter hours times market price, both without
-- VAT. Rounding explains half a cent for each month of a contract. A greater `difference_eur` means that a value or a price
-- was replaced after the bill, or that the meter was not read by quarter hours (`measured_kwh` is less then). Bills of a
-- year at most are found.
--
-- Of the learning data, 1 row:
--
--   month      | contracts | billed_kwh | measured_kwh | billed_eur | computed_eur | difference_eur
--   -----------+-----------+------------+--------------+------------+--------------+---------------
--   2026-10-01 |         2 |     1841.1 |       1841.1 |     177.94 |       177.94 |           0.00
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-01' AS first_day, date '2026-12-01' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
billed AS (
  SELECT l.contract, l.first_day, l.end_day, l.first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         l.end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends, sum(l.quantity) AS kwh, sum(l.net_eur) AS eur
    FROM span AS p
    JOIN invoices AS i ON i.period_end > p.begins AND i.period_end <= p.ends + interval '1 year'
   CROSS JOIN LATERAL (SELECT * FROM invoice_lines AS of_bill
                        WHERE of_bill.invoice = i.invoice AND of_bill.kind = 'energy'
                          AND of_bill.first_day >= p.first_day AND of_bill.end_day <= p.end_day OFFSET 0) AS l
   WHERE i.type = 'usage' AND i.status <> 'voided'
   GROUP BY l.contract, l.first_day, l.end_day
)
SELECT date_trunc('month', b.first_day::timestamp)::date AS month, count(DISTINCT b.contract) AS contracts,
       round(sum(b.kwh), 1) AS billed_kwh, round(sum(m.kwh), 1) AS measured_kwh, sum(b.eur) AS billed_eur,
       round(sum(m.eur), 2) AS computed_eur, round(sum(b.eur) - sum(m.eur), 2) AS difference_eur
  FROM billed AS b
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(u.kwh), 0) AS kwh, coalesce(sum(u.kwh * s.eur_mwh) / 1000, 0) AS eur
     FROM usage_quarter_hours AS u
     JOIN spot_price_quarter_hours AS s ON s.start = u.start AND s.zone = 'DE-LU'
    WHERE u.contract = b.contract AND u.start >= b.begins AND u.start < b.ends
      AND s.delivery_day >= b.first_day AND s.delivery_day < b.end_day
 ) AS m
 GROUP BY month
 ORDER BY month;
