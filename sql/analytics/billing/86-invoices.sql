-- Bills and what they are made of, by ids and figures: no name, no address, no printed number. Documents of a person who was
-- erased are not among them.
CREATE VIEW analytics.invoices AS
SELECT i.organization_id, i.id AS invoice, i.customer_id AS customer, i.subscription_id AS contract,
       s.household_id AS household, i.type, i.status, i.ledger_number, i.period_number, i.period_start,
       (i.period_start AT TIME ZONE 'Europe/Berlin')::date AS period_start_on, i.period_end,
       (i.period_end AT TIME ZONE 'Europe/Berlin')::date AS period_end_on, i.is_estimated, i.is_final, i.usage_kwh,
       i.net AS net_eur, i.tax AS tax_eur, i.deducted AS deducted_eur, i.total AS total_eur, i.voids, i.due_on, i.issued_at,
       i.paid_at, i.run_id AS billing_run, i.created_at,
       -- Looked up for those rows alone that are asked for these columns.
       CASE WHEN i.status = 'open' THEN (
         SELECT CASE WHEN i.total < 0 THEN least(i.total - coalesce(sum(paid.signed), 0), 0)
                     ELSE greatest(i.total - coalesce(sum(paid.signed), 0), 0) END
           FROM (SELECT CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END AS signed FROM public.payments AS p
                  WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id
                    AND p.status IN ('credited', 'settled')) AS paid)
       ELSE 0 END AS missing_eur,
       CASE WHEN i.type = 'prepayment' AND i.status = 'uncollectible' THEN (
         SELECT closing.id FROM public.invoices AS closing
          WHERE closing.organization_id = i.organization_id AND closing.subscription_id = i.subscription_id
            AND closing.type = 'usage' AND closing.status <> 'voided'
            AND closing.period_start <= i.period_start AND closing.period_end > i.period_start)
       END AS taken_over_by
  FROM public.invoices AS i
  JOIN public.subscriptions AS s ON s.organization_id = i.organization_id AND s.id = i.subscription_id
 WHERE i.restricted_at IS NULL;

CREATE VIEW analytics.invoice_lines AS
SELECT l.organization_id, l.invoice_id AS invoice, l.position, i.customer_id AS customer, i.subscription_id AS contract, i.type,
       i.status, l.kind, l.period_from AS first_day, l.period_until AS end_day, l.band, l.quantity, l.unit,
       l.unit_price AS unit_price_net_eur, l.net AS net_eur, l.vat_rate AS vat_share, i.created_at
  FROM public.invoice_lines AS l
  JOIN public.invoices AS i ON i.organization_id = l.organization_id AND i.id = l.invoice_id
 WHERE i.restricted_at IS NULL AND l.restricted_at IS NULL;

CREATE VIEW analytics.billing_refusals AS
SELECT organization_id, customer_id AS customer, subscription_id AS contract, type, period_start AS period_start_on,
       period_end AS period_end_on, code, deadline AS deadline_on, first_at, last_at, run_id AS billing_run
  FROM public.billing_refusals;

COMMENT ON VIEW analytics.invoices IS
  'Documents of billing, each as it was issued: positive amounts are charged, negative ones are paid out. A reversed document and the one that reverses it add up to 0.';
COMMENT ON COLUMN analytics.invoices.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.invoices.invoice IS 'Id of the document, inv_.';
COMMENT ON COLUMN analytics.invoices.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.invoices.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.invoices.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.invoices.type IS
  'usage: what was used or fed in; prepayment: a monthly advance; void: reverses another; exit_summary: closes the contract.';
COMMENT ON COLUMN analytics.invoices.status IS
  'open, paid, voided or uncollectible; a prepayment that a bill took over is uncollectible, with taken_over_by.';
COMMENT ON COLUMN analytics.invoices.ledger_number IS 'Counts the documents of the organization without a gap.';
COMMENT ON COLUMN analytics.invoices.period_number IS 'Counts the periods of the contract; documents about one period share it.';
COMMENT ON COLUMN analytics.invoices.period_start IS 'Instant at which the period begins: midnight in Europe/Berlin.';
COMMENT ON COLUMN analytics.invoices.period_start_on IS 'First day of the period, Europe/Berlin.';
COMMENT ON COLUMN analytics.invoices.period_end IS 'Instant at which it ends: no longer part of it.';
COMMENT ON COLUMN analytics.invoices.period_end_on IS 'First day that is no longer part of the period, Europe/Berlin.';
COMMENT ON COLUMN analytics.invoices.is_estimated IS 'Whether a part of the usage was estimated.';
COMMENT ON COLUMN analytics.invoices.is_final IS 'Whether it covers the end of supply.';
COMMENT ON COLUMN analytics.invoices.usage_kwh IS 'Used or fed in, in kWh; null: the document is not about usage.';
COMMENT ON COLUMN analytics.invoices.net_eur IS 'Sum of the lines in EUR without VAT.';
COMMENT ON COLUMN analytics.invoices.tax_eur IS 'VAT of all rates in EUR.';
COMMENT ON COLUMN analytics.invoices.deducted_eur IS 'Paid prepayments in EUR with VAT, taken off.';
COMMENT ON COLUMN analytics.invoices.total_eur IS 'What is left to pay in EUR: net_eur + tax_eur - deducted_eur.';
COMMENT ON COLUMN analytics.invoices.voids IS 'Id of the document that this one reverses; null: it reverses none.';
COMMENT ON COLUMN analytics.invoices.due_on IS 'Day on which it is due, Europe/Berlin.';
COMMENT ON COLUMN analytics.invoices.issued_at IS 'Instant of issue.';
COMMENT ON COLUMN analytics.invoices.paid_at IS 'Instant of payment in full; null: not paid.';
COMMENT ON COLUMN analytics.invoices.billing_run IS 'Id of the run of billing that made it, brun_; null: made otherwise.';
COMMENT ON COLUMN analytics.invoices.created_at IS 'Instant of creation, by which an export takes its days.';
COMMENT ON COLUMN analytics.invoices.missing_eur IS
  'EUR of an open document that are still to come in, below 0 to be paid out: part payments are taken off, with debits that may still come back; 0: nothing, or it is not open.';
COMMENT ON COLUMN analytics.invoices.taken_over_by IS
  'Id of the bill that asks for what was not paid of this prepayment, inv_; null: none does. One that was paid before its debit came back stays paid and is not named.';

COMMENT ON VIEW analytics.invoice_lines IS
  'Lines of documents, each rounded to cents by itself. Lines of reversals have the other sign.';
COMMENT ON COLUMN analytics.invoice_lines.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.invoice_lines.invoice IS 'Id of the document, inv_.';
COMMENT ON COLUMN analytics.invoice_lines.position IS 'Place in the document, from 1.';
COMMENT ON COLUMN analytics.invoice_lines.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.invoice_lines.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.invoice_lines.type IS 'Of the document: usage, prepayment, void or exit_summary.';
COMMENT ON COLUMN analytics.invoice_lines.status IS 'Of the document: open, paid, voided or uncollectible.';
COMMENT ON COLUMN analytics.invoice_lines.kind IS
  'What is charged: base_fee, energy, margin, grid_base, grid_energy, metering, electricity_tax, feed_in and so on.';
COMMENT ON COLUMN analytics.invoice_lines.first_day IS 'First day that the line is about, Europe/Berlin.';
COMMENT ON COLUMN analytics.invoice_lines.end_day IS 'First day that it is no longer about, Europe/Berlin.';
COMMENT ON COLUMN analytics.invoice_lines.band IS
  'Price of the grid: low, standard or high of module 3, or module_2; null: the ordinary one, or another kind of line.';
COMMENT ON COLUMN analytics.invoice_lines.quantity IS 'How much, in `unit`; null: an amount without quantity.';
COMMENT ON COLUMN analytics.invoice_lines.unit IS 'kWh, day or month; null: an amount without quantity.';
COMMENT ON COLUMN analytics.invoice_lines.unit_price_net_eur IS 'Price in EUR for one unit without VAT; the mean where it varies.';
COMMENT ON COLUMN analytics.invoice_lines.net_eur IS 'Amount in EUR without VAT.';
COMMENT ON COLUMN analytics.invoice_lines.vat_share IS 'Rate of VAT, a share from 0 to 1: 0.19.';
COMMENT ON COLUMN analytics.invoice_lines.created_at IS 'Instant of creation of the document, by which an export takes its days.';

COMMENT ON VIEW analytics.billing_refusals IS
  'Bills that wait, because something that they need is missing. A row goes when the bill is issued.';
COMMENT ON COLUMN analytics.billing_refusals.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.billing_refusals.customer IS 'Id of the contract partner, cus_.';
COMMENT ON COLUMN analytics.billing_refusals.contract IS 'Id of the contract, sub_.';
COMMENT ON COLUMN analytics.billing_refusals.type IS 'What was not issued: usage, prepayment, correction or exit_summary.';
COMMENT ON COLUMN analytics.billing_refusals.period_start_on IS 'First day of its period, Europe/Berlin.';
COMMENT ON COLUMN analytics.billing_refusals.period_end_on IS 'First day that is no longer part of the period, Europe/Berlin.';
COMMENT ON COLUMN analytics.billing_refusals.code IS 'Why: missing_price, missing_usage, missing_reference and so on.';
COMMENT ON COLUMN analytics.billing_refusals.deadline_on IS 'Until when it has to be issued, Europe/Berlin; null: no day is set.';
COMMENT ON COLUMN analytics.billing_refusals.first_at IS 'Instant at which it was refused first.';
COMMENT ON COLUMN analytics.billing_refusals.last_at IS 'Instant at which it was refused last.';
COMMENT ON COLUMN analytics.billing_refusals.billing_run IS 'Id of the run that refused it last, brun_; null: the run is not known any more.';
