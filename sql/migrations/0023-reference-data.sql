-- Dated reference data: what laws and price sheets say, from a day on and until a day. Public facts, no tenant: nothing here
-- belongs to an organization. The rows come from CSV files with the same names and columns (`tariffs import`).

-- What `npm run db -- init` makes. Its owner may do so too, because the extension is a trusted one: a database that an
-- earlier version of the service set up needs no superuser again.
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA public;

-- Two rows of one key are never valid on the same day: the import says so first, with file and line, and the database holds
-- it against everybody else.
CREATE TABLE vat_rates (
  rate numeric NOT NULL CHECK (rate >= 0 AND rate < 1),
  valid_from date NOT NULL PRIMARY KEY,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  CONSTRAINT vat_rates_one_at_a_time EXCLUDE USING gist (daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE grid_operators (
  operator text NOT NULL CHECK (operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text NOT NULL CHECK (name <> ''),
  bdew_code text CHECK (bdew_code ~ '^[0-9]{13}$'),
  mastr_number text CHECK (mastr_number ~ '^[A-Z]{3}[0-9]{12}$'),
  website text CHECK (website ~ '^https?://'),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (operator, valid_from),
  CONSTRAINT grid_operators_one_at_a_time
    EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE grid_fees (
  operator text NOT NULL,
  base_eur_year_net numeric NOT NULL CHECK (base_eur_year_net >= 0),
  working_ct_net numeric NOT NULL CHECK (working_ct_net >= 0),
  module_1_eur_year_net numeric CHECK (module_1_eur_year_net >= 0),
  module_2_ct_net numeric CHECK (module_2_ct_net >= 0),
  provisional boolean NOT NULL,
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (operator, valid_from),
  CONSTRAINT grid_fees_one_at_a_time
    EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

-- Several operators may share a zip. That their shares sum to at most 1 is held by the import alone.
CREATE TABLE zip_areas (
  zip text NOT NULL CHECK (zip ~ '^[0-9]{5}$'),
  operator text NOT NULL,
  concession_class text NOT NULL CHECK (concession_class IN ('T1', 'T2', 'T3', 'T4')),
  share numeric NOT NULL CHECK (share > 0 AND share <= 1),
  municipality_key text CHECK (municipality_key ~ '^[0-9]{8}$'),
  city text,
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (zip, operator, valid_from),
  CONSTRAINT zip_areas_one_at_a_time
    EXCLUDE USING gist (zip WITH =, operator WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE load_profiles (
  profile text NOT NULL CHECK (profile ~ '^[a-z0-9]+$'),
  month smallint NOT NULL CHECK (month BETWEEN 1 AND 12),
  day_type text NOT NULL CHECK (day_type IN ('WT', 'SA', 'FT')),
  quarter_hour smallint NOT NULL CHECK (quarter_hour BETWEEN 0 AND 95),
  kwh numeric NOT NULL CHECK (kwh >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (profile, month, day_type, quarter_hour, valid_from),
  CONSTRAINT load_profiles_one_at_a_time EXCLUDE USING gist (
    profile WITH =, month WITH =, day_type WITH =, quarter_hour WITH =, daterange(valid_from, valid_to, '[)') WITH &&
  )
);

-- What an import changed or removed, as it stood before.
CREATE TABLE reference_history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reference_table text NOT NULL,
  change text NOT NULL CHECK (change IN ('changed', 'removed')),
  old_row jsonb NOT NULL,
  changed_at timestamptz NOT NULL
);
CREATE INDEX reference_history_of_table ON reference_history (reference_table, changed_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON vat_rates, grid_operators, grid_fees, zip_areas, load_profiles TO voltstream_app;
GRANT SELECT, INSERT ON reference_history TO voltstream_app;

COMMENT ON TABLE vat_rates IS 'Value added tax.';
COMMENT ON COLUMN vat_rates.rate IS 'Share of the net amount: 0.19.';

COMMENT ON TABLE grid_operators IS 'Operators of low-voltage grids.';
COMMENT ON COLUMN grid_operators.operator IS 'Code by which the other tables name it.';
COMMENT ON COLUMN grid_operators.name IS 'Name of the company.';
COMMENT ON COLUMN grid_operators.bdew_code IS 'Market partner id, 13 digits; null: not known.';
COMMENT ON COLUMN grid_operators.mastr_number IS 'Number in the Marktstammdatenregister; null: not known.';
COMMENT ON COLUMN grid_operators.website IS 'Address of its site; null: not known.';

COMMENT ON TABLE grid_fees IS 'Grid fees in low voltage without load metering, net. Without a row an operator''s zips are not served.';
COMMENT ON COLUMN grid_fees.operator IS 'Code of the operator.';
COMMENT ON COLUMN grid_fees.base_eur_year_net IS 'Base price in EUR per year without VAT.';
COMMENT ON COLUMN grid_fees.working_ct_net IS 'Working price in ct/kWh without VAT.';
COMMENT ON COLUMN grid_fees.module_1_eur_year_net IS
  'Published credit of module 1 of section 14a EnWG in EUR per year without VAT; null: the formula counts.';
COMMENT ON COLUMN grid_fees.module_2_ct_net IS
  'Published working price of module 2 of section 14a EnWG in ct/kWh without VAT; null: the formula counts.';
COMMENT ON COLUMN grid_fees.provisional IS 'A stand-in or a provisional price sheet: to be replaced.';

COMMENT ON TABLE zip_areas IS 'Which operators a zip has. The largest share serves; equal shares: the first by code.';
COMMENT ON COLUMN zip_areas.zip IS 'Five digits.';
COMMENT ON COLUMN zip_areas.operator IS 'Code of the operator.';
COMMENT ON COLUMN zip_areas.concession_class IS 'Class of the concession fee by inhabitants (section 2 KAV).';
COMMENT ON COLUMN zip_areas.share IS 'The operator''s part of the zip, above 0 and at most 1.';
COMMENT ON COLUMN zip_areas.municipality_key IS 'Official key of the municipality, 8 digits; null: not known.';
COMMENT ON COLUMN zip_areas.city IS 'Name of the municipality; null: not known.';

COMMENT ON TABLE load_profiles IS 'Standard load profiles: energy of each quarter hour by month and kind of day.';
COMMENT ON COLUMN load_profiles.profile IS 'Code of the profile: h25 for households.';
COMMENT ON COLUMN load_profiles.month IS '1 to 12.';
COMMENT ON COLUMN load_profiles.day_type IS 'WT working day, SA Saturday, FT Sunday or public holiday.';
COMMENT ON COLUMN load_profiles.quarter_hour IS 'Quarter hour of the day in Europe/Berlin wall time, 0 to 95.';
COMMENT ON COLUMN load_profiles.kwh IS 'Energy in kWh at 1,000,000 kWh a year.';

COMMENT ON TABLE reference_history IS 'Rows of reference data as they were before an import changed or removed them; append-only.';
COMMENT ON COLUMN reference_history.id IS 'Order of the changes.';
COMMENT ON COLUMN reference_history.reference_table IS 'Table of the row.';
COMMENT ON COLUMN reference_history.change IS 'changed, or removed by --prune.';
COMMENT ON COLUMN reference_history.old_row IS 'The row as it was.';
COMMENT ON COLUMN reference_history.changed_at IS 'Instant of the import.';

-- The four columns that every reference table ends with.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['vat_rates', 'grid_operators', 'grid_fees', 'zip_areas', 'load_profiles'] LOOP
    EXECUTE format('COMMENT ON COLUMN %I.valid_from IS %L', name, 'First day, Europe/Berlin.');
    EXECUTE format('COMMENT ON COLUMN %I.valid_to IS %L', name, 'First day no longer valid; null: open.');
    EXECUTE format('COMMENT ON COLUMN %I.source IS %L', name, 'Law and paragraph, or the official price sheet and its year.');
    EXECUTE format('COMMENT ON COLUMN %I.checked_on IS %L', name, 'Day of the last confirmation; null: to be checked before go-live.');
  END LOOP;
END
$$;
