-- Did customers pay less than their advance, and less than with the reference tariff?
--
-- Per month of the billed days: what bills of supply say. Of those with a monthly advance what they come to, and what the advance
-- comes to for as many days; no contract of the learning data has one. Of those with a reference what their energy cost, and what it
-- would have cost with the tariff that savings are measured against: the lines of energy and margin alone, because grid fees and
-- levies are the same in both. The saving that a quote promised is computed with the quote, and stored nowhere.
--
-- Of the learning data, 1 row:
--
--   month      | bills |    kwh | billed_gross_eur | with_advance | their_gross_eur | advance_gross_eur | energy_net_eur | reference_net_eur | saved_net_eur
--   -----------+-------+--------+------------------+--------------+-----------------+-------------------+----------------+-------------------+--------------
--   2026-10-01 |     2 | 1841.1 |           593.29 |            0 |                 |                   |         211.08 |            267.69 |         56.61
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-10-01' AS first_day, date '2026-12-01' AS end_day
),
span AS NOT MATERIALIZED (
  SELECT *, first_day::timestamp AT TIME ZONE 'Europe/Berlin' AS begins,
         end_day::timestamp AT TIME ZONE 'Europe/Berlin' AS ends
    FROM params
),
billed AS (
  SELECT i.contract, i.invoice, i.period_start_on, i.period_end_on, i.usage_kwh, i.net_eur + i.tax_eur AS gross_eur,
         (SELECT sum(l.net_eur) FROM invoice_lines AS l WHERE l.invoice = i.invoice AND l.kind IN ('energy', 'margin')) AS energy_net_eur
    FROM span AS p
    JOIN invoices AS i ON i.period_start >= p.begins AND i.period_start < p.ends AND i.period_end <= p.ends
    JOIN contracts AS c ON c.contract = i.contract AND c.type = 'consumption'
   WHERE i.type = 'usage' AND i.status <> 'voided'
)
SELECT date_trunc('month', b.period_start_on::timestamp)::date AS month, count(*) AS bills, round(sum(b.usage_kwh), 1) AS kwh,
       round(sum(b.gross_eur), 2) AS billed_gross_eur, count(t.instalment_eur) AS with_advance,
       round(sum(b.gross_eur) FILTER (WHERE t.instalment_eur IS NOT NULL), 2) AS their_gross_eur,
       round(sum(t.instalment_eur * 12 / 365 * (b.period_end_on - b.period_start_on)), 2) AS advance_gross_eur,
       round(sum(b.energy_net_eur) FILTER (WHERE r.energy_net_ct_kwh IS NOT NULL), 2) AS energy_net_eur,
       round(sum(b.usage_kwh * r.energy_net_ct_kwh) / 100, 2) AS reference_net_eur,
       round(sum(b.usage_kwh * r.energy_net_ct_kwh / 100 - b.energy_net_eur), 2) AS saved_net_eur
  FROM billed AS b
  LEFT JOIN LATERAL (SELECT bt.instalment_eur FROM billing_terms AS bt
                      WHERE bt.contract = b.contract AND bt.valid_from <= b.period_start_on
                      ORDER BY bt.valid_from DESC LIMIT 1) AS t ON true
  LEFT JOIN reference_tariffs AS r
    ON r.valid_from <= b.period_start_on AND (r.valid_until IS NULL OR r.valid_until > b.period_start_on)
 GROUP BY month
 ORDER BY month;
