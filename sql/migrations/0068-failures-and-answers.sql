-- A receiver that nothing is sent to any more is not failing for ever.
COMMENT ON COLUMN webhook_endpoints.failing_since IS
  'First failed attempt since the last success; null: the last attempt was a success, or none was made for five days.';
