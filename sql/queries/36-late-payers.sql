-- Which bills are late, how often was somebody reminded, and how often did a debit come back?
--
-- Open documents that were due within the days, by the number of reminders.
--
-- Of the learning data, 1 row:
--
--   reminders | documents | total_eur | missing_eur | returned_debits | oldest_due_on
--   ----------+-----------+-----------+-------------+-----------------+--------------
--           0 |         1 |    319.16 |      319.16 |               0 | 2026-11-26
WITH params AS NOT MATERIALIZED (
  SELECT date '2026-09-01' AS first_day, date '2026-12-01' AS end_day
)
SELECT coalesce(r.reminders, 0) AS reminders, count(*) AS documents, sum(i.total_eur) AS total_eur,
       sum(i.missing_eur) AS missing_eur, coalesce(sum(b.returned), 0) AS returned_debits, min(i.due_on) AS oldest_due_on
  FROM params AS p
  JOIN invoices AS i ON i.due_on >= p.first_day AND i.due_on < p.end_day AND i.status = 'open' AND i.total_eur > 0
 CROSS JOIN LATERAL (SELECT max(d.level) AS reminders FROM reminders AS d WHERE d.invoice = i.invoice) AS r
 CROSS JOIN LATERAL (SELECT count(*) AS returned FROM payments AS d WHERE d.invoice = i.invoice AND d.status = 'returned'
                       AND d.way = 'direct_debit' AND d.return_reason <> 'FILE') AS b
 GROUP BY coalesce(r.reminders, 0)
 ORDER BY 1;
