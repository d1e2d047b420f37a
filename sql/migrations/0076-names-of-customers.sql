-- The back office looks for people by a part of their name.
CREATE INDEX customers_named ON customers
  USING gin (organization_id extensions.text_ops, name_lower extensions.gin_trgm_ops);
COMMENT ON COLUMN customers.name_lower IS
  'The name in lower case: what that of a payer is compared with, and what the back office looks for. Personal; for matching payments and finding contracts; as long as the name.';
