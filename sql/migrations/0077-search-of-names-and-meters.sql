-- Partners send `ä` also as `a` with a sign behind it: a name is looked for, and compared, in one form. The expression of a column
-- of a distributed table cannot be changed: it is made anew, with its indexes.
ALTER TABLE customers DROP COLUMN name_lower;
ALTER TABLE customers ADD COLUMN name_lower text NOT NULL GENERATED ALWAYS AS (
  lower(normalize(CASE WHEN company_name IS NULL THEN first_name || ' ' || last_name ELSE company_name END, NFC))) STORED;
CREATE INDEX customers_of_name ON customers (organization_id, name_lower);
CREATE INDEX customers_named ON customers
  USING gin (organization_id extensions.text_ops, name_lower extensions.gin_trgm_ops);
COMMENT ON COLUMN customers.name_lower IS
  'The name in lower case and Unicode form NFC: what that of a payer is compared with, and what the back office looks for. Personal; for matching payments and finding contracts; as long as the name.';

-- Messages of the market name a contract by the number of a device or by the metering location.
CREATE INDEX meters_of_number ON meters (organization_id, number);
CREATE INDEX meters_of_metering_location ON meters (organization_id, melo) WHERE melo IS NOT NULL;
CREATE INDEX meter_changes_of_number ON meter_changes (organization_id, number) WHERE number IS NOT NULL;
