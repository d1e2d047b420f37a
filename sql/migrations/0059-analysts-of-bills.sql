-- Analysts see bills by ids and figures: no facts of the document, no printed number, no reason in words. Of a person who was
-- erased they see nothing: those documents are kept for the finance role alone.
GRANT SELECT (organization_id, id, customer_id, subscription_id, type, status, ledger_number, period_number, period_start,
              period_end, is_estimated, is_final, usage_kwh, net, tax, deducted, total, voids, due_on, issued_at, paid_at,
              run_id, restricted_at)
  ON invoices TO voltstream_analyst_reader;
CREATE POLICY analysts ON invoices FOR SELECT TO voltstream_analyst_reader USING (restricted_at IS NULL);

GRANT SELECT (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, band, quantity, unit,
              unit_price, net, vat_rate, restricted_at)
  ON invoice_lines TO voltstream_analyst_reader;
CREATE POLICY analysts ON invoice_lines FOR SELECT TO voltstream_analyst_reader USING (restricted_at IS NULL);

GRANT SELECT (organization_id, customer_id, subscription_id, type, period_start, period_end, code, deadline, run_id, first_at,
              last_at)
  ON billing_refusals TO voltstream_analyst_reader;
CREATE POLICY analysts ON billing_refusals FOR SELECT TO voltstream_analyst_reader USING (true);
