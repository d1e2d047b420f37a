-- A receiver that nothing is sent to any more is not failing for ever.
COMMENT ON COLUMN webhook_endpoints.failing_since IS
  'First failed attempt since the last success; null: the last attempt was a success, or none was made for five days.';

-- A payment that failed is told once: staff may enter it, and the bank may credit the payment and return it afterwards.
ALTER TABLE payments ADD COLUMN failure_told_at timestamptz;
GRANT UPDATE (failure_told_at) ON payments TO voltstream_app;
COMMENT ON COLUMN payments.failure_told_at IS 'When invoice.payment_failed told that it failed; null: it was not told.';
