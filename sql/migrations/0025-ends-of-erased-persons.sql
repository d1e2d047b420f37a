-- With the erasure of a person the household's own assets end as its devices do: nothing more is taken of them. Until now they
-- could not, and no customer with a device could be erased.
ALTER TABLE assets DROP CONSTRAINT assets_household_assets;
ALTER TABLE assets ADD CONSTRAINT assets_household_assets CHECK (
  type NOT IN ('household_net', 'household_residual')
  OR (external_id IS NULL AND manufacturer IS NULL AND model IS NULL)
);
COMMENT ON COLUMN assets.decommissioned_at IS
  'Out of use since; no snapshot after it. 1970: the person was erased, and none is taken. The household''s own assets end in this way only.';

-- A file for the bank has names and accounts of many. It is a voucher of the books, so it is kept whole for eight years
-- (section 147(1) no. 4, (3) AO, section 257(1) no. 4, (4) HGB). From the erasure of the first of these persons on only the
-- finance role sees it (section 35(3) BDSG, Art. 18 GDPR): by then it went to the bank long ago.
ALTER TABLE payment_files ADD COLUMN restricted_at timestamptz;
COMMENT ON COLUMN payment_files.restricted_at IS
  'When the first person was erased who is in it: from then on only the finance role sees it.';
ALTER POLICY own_rows ON payment_files USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
  AND restricted_at IS NULL
);
UPDATE payment_files AS f SET restricted_at = now()
 WHERE EXISTS (SELECT FROM payments AS p
                WHERE p.organization_id = f.organization_id AND p.file_id = f.id AND p.restricted_at IS NOT NULL);
