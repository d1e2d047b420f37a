COMMENT ON COLUMN authorization_codes.expires_at IS
  '10 minutes later; the instant of the consent where the customer has withdrawn it.';
