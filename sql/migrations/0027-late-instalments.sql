-- Money for a prepayment that its closing bill took over is money for that bill: its payment moves there.
GRANT UPDATE (invoice_id) ON payments TO voltstream_app;
COMMENT ON COLUMN payments.invoice_id IS
  'The bill. A debit of a prepayment that its closing bill took over moves to that bill; end_to_end_id keeps its number.';
