-- A receiver that nothing is sent to any more is not failing for ever.
COMMENT ON COLUMN webhook_endpoints.failing_since IS
  'First failed attempt since the last success; null: the last attempt was a success, or none was made for five days.';

-- A payment that failed is told once: staff may enter it, and the bank may credit the payment and return it afterwards.
ALTER TABLE payments ADD COLUMN failure_told_at timestamptz;
GRANT UPDATE (failure_told_at) ON payments TO voltstream_app;
COMMENT ON COLUMN payments.failure_told_at IS 'When invoice.payment_failed told that it failed; null: it was not told.';

-- Words of others, which may name somebody: an erasure clears them.
COMMENT ON COLUMN delivery_attempts.answer IS
  'The beginning of the answer as text; empty where none came. Personal where the receiver names somebody; to find out why it fails; with its delivery.';
