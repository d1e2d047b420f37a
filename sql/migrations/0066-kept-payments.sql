-- Payments of erased persons, and what the bank said about them, are kept as their bills are: for the finance role alone. What
-- is older than eight years is found by its day, and goes when no payment of a bill needs it any more.
ALTER TABLE payments ADD COLUMN restricted_at timestamptz;
ALTER TABLE bank_entries ADD COLUMN restricted_at timestamptz;
COMMENT ON COLUMN payments.restricted_at IS 'As that of the bill.';
COMMENT ON COLUMN bank_entries.restricted_at IS
  'When the person was erased whom all bills are of that it paid: from then on only the finance role sees it.';

ALTER POLICY own_rows ON payments USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
  AND restricted_at IS NULL
);
ALTER POLICY own_rows ON bank_entries USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
  AND restricted_at IS NULL
);

CREATE INDEX payments_of_file ON payments (organization_id, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX payments_of_entry ON payments (organization_id, bank_entry_id) WHERE bank_entry_id IS NOT NULL;
CREATE INDEX payments_of_customer ON payments (organization_id, customer_id);
CREATE INDEX payment_files_to_remove ON payment_files (created_at);
CREATE INDEX bank_entries_to_remove ON bank_entries (booked_on);

GRANT SELECT (restricted_at) ON payments TO voltstream_analyst_reader;
ALTER POLICY analysts ON payments USING (restricted_at IS NULL);
