-- A direct debit names the mandate that the account holder gave: its reference, unique for the creditor, and the day of
-- the signature. Each way of payment is a mandate of its own. Those that are stored get theirs here: a reference of
-- their own, and the day on which they came in. 35 characters of these are what SEPA takes.
ALTER TABLE payment_methods
  ADD COLUMN mandate_reference text NOT NULL DEFAULT upper(replace(gen_random_uuid()::text, '-', ''))
    CHECK (mandate_reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$'),
  ADD COLUMN mandate_signed_on date;
UPDATE payment_methods SET mandate_signed_on = (created_at AT TIME ZONE 'Europe/Berlin')::date;
ALTER TABLE payment_methods
  ALTER COLUMN mandate_signed_on SET DEFAULT (now() AT TIME ZONE 'Europe/Berlin')::date,
  ALTER COLUMN mandate_signed_on SET NOT NULL,
  ADD UNIQUE (organization_id, mandate_reference);

COMMENT ON COLUMN payment_methods.mandate_reference IS
  'Names the SEPA mandate in each direct debit, at most 35 characters. Personal; for direct debits; until erased.';
COMMENT ON COLUMN payment_methods.mandate_signed_on IS 'Day on which the mandate was given, Europe/Berlin.';
