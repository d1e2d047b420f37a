-- Dated reference data: what laws and price sheets say, from a day on and until a day. Public facts, no tenant: nothing here
-- belongs to an organization. The rows come from CSV files with the same names and columns (`tariffs import`).
--
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

-- The rest of the dated reference data: levies, fees, prices by the clock, feed-in rates and the market's figures. As the
-- tables of grid fees they hold public facts of no organization, and their rows come from CSV files of the same columns.
CREATE TABLE levies (
  code text NOT NULL CHECK (code IN ('stromsteuer', 'offshore', 'besondere_netznutzung', 'kwkg')),
  ct_net numeric NOT NULL CHECK (ct_net >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (code, valid_from),
  CONSTRAINT levies_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE concession_fees (
  class text NOT NULL CHECK (class IN ('T1', 'T2', 'T3', 'T4', 'LOW', 'SPECIAL')),
  ct_net numeric NOT NULL CHECK (ct_net >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (class, valid_from),
  CONSTRAINT concession_fees_one_at_a_time
    EXCLUDE USING gist (class WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

-- A row without an operator is the cap of the law. NULL is never equal to NULL: both guards compare it as a text.
CREATE TABLE metering_fees (
  metering_operator text CHECK (metering_operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  "case" text NOT NULL CHECK ("case" ~ '^[a-z0-9_]+$'),
  meter text NOT NULL CHECK (meter IN ('analog', 'smart', 'other')),
  over_kwh numeric CHECK (over_kwh >= 0),
  up_to_kwh numeric CHECK (up_to_kwh >= 0),
  over_pv_kw numeric CHECK (over_pv_kw >= 0),
  up_to_pv_kw numeric CHECK (up_to_pv_kw >= 0),
  needs_14a_module boolean NOT NULL,
  eur_year_gross numeric NOT NULL CHECK (eur_year_gross >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  CHECK (over_kwh < up_to_kwh),
  CHECK (over_pv_kw < up_to_pv_kw),
  CONSTRAINT metering_fees_once UNIQUE NULLS NOT DISTINCT (metering_operator, "case", valid_from),
  CONSTRAINT metering_fees_one_at_a_time EXCLUDE USING gist (
    (coalesce(metering_operator, '')) WITH =, "case" WITH =, daterange(valid_from, valid_to, '[)') WITH &&
  )
);

CREATE TABLE grid_fee_schedules (
  operator text NOT NULL,
  low_ct_net numeric NOT NULL CHECK (low_ct_net >= 0),
  standard_ct_net numeric NOT NULL CHECK (standard_ct_net >= 0),
  high_ct_net numeric NOT NULL CHECK (high_ct_net >= 0),
  quarters text NOT NULL CHECK (quarters ~ '^[1-4](;[1-4])*$'),
  low_windows text NOT NULL CHECK (low_windows ~ '^[0-9:;-]+$'),
  high_windows text NOT NULL CHECK (high_windows ~ '^[0-9:;-]+$'),
  weight_low numeric CHECK (weight_low BETWEEN 0 AND 1),
  weight_standard numeric CHECK (weight_standard BETWEEN 0 AND 1),
  weight_high numeric CHECK (weight_high BETWEEN 0 AND 1),
  share_of_year numeric NOT NULL CHECK (share_of_year > 0 AND share_of_year <= 1),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (operator, valid_from),
  CONSTRAINT grid_fee_schedules_weights CHECK (
    num_nulls(weight_low, weight_standard, weight_high) = 3
    OR (num_nulls(weight_low, weight_standard, weight_high) = 0 AND weight_low + weight_standard + weight_high = 1)
  ),
  CONSTRAINT grid_fee_schedules_one_at_a_time
    EXCLUDE USING gist (operator WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE eeg_rates (
  kind text NOT NULL CHECK (kind IN ('partial', 'full')),
  up_to_kw smallint NOT NULL CHECK (up_to_kw IN (10, 40, 100)),
  value_ct_net numeric NOT NULL CHECK (value_ct_net >= 0),
  tariff_ct_net numeric NOT NULL CHECK (tariff_ct_net >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (kind, up_to_kw, valid_from),
  CONSTRAINT eeg_rates_one_at_a_time
    EXCLUDE USING gist (kind WITH =, up_to_kw WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE market_values (
  code text NOT NULL CHECK (code IN ('day_ahead_mean', 'solar_market_value')),
  ct_net numeric NOT NULL CHECK (ct_net >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (code, valid_from),
  CONSTRAINT market_values_one_at_a_time EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE benchmarks (
  base_fee_eur_year_gross numeric NOT NULL CHECK (base_fee_eur_year_gross >= 0),
  energy_ct_net numeric NOT NULL CHECK (energy_ct_net >= 0),
  valid_from date NOT NULL PRIMARY KEY,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  CONSTRAINT benchmarks_one_at_a_time EXCLUDE USING gist (daterange(valid_from, valid_to, '[)') WITH &&)
);

CREATE TABLE savings_parameters (
  code text NOT NULL CHECK (code ~ '^[a-z0-9_]+$'),
  value numeric NOT NULL CHECK (value >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (code, valid_from),
  CONSTRAINT savings_parameters_one_at_a_time
    EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON levies, concession_fees, metering_fees, grid_fee_schedules, eeg_rates, market_values, benchmarks, savings_parameters
  TO voltstream_app;

COMMENT ON TABLE levies IS 'Levies on each kWh, the same in the whole country.';
COMMENT ON COLUMN levies.code IS 'stromsteuer, offshore, besondere_netznutzung or kwkg.';
COMMENT ON COLUMN levies.ct_net IS 'ct/kWh without VAT.';

COMMENT ON TABLE concession_fees IS 'What a municipality is paid for the use of its roads (section 2 KAV).';
COMMENT ON COLUMN concession_fees.class IS 'T1 to T4 by inhabitants; LOW off-peak; SPECIAL special contracts.';
COMMENT ON COLUMN concession_fees.ct_net IS 'ct/kWh without VAT.';

COMMENT ON TABLE metering_fees IS 'What the operation of a meter costs its user. Of several cases that fit the highest counts.';
COMMENT ON COLUMN metering_fees.metering_operator IS 'Code of the metering operator; null: the cap of the law.';
COMMENT ON COLUMN metering_fees."case" IS 'Code of the case.';
COMMENT ON COLUMN metering_fees.meter IS 'analog, smart, or other where it is no yearly fee of a meter.';
COMMENT ON COLUMN metering_fees.over_kwh IS 'Usage above this many kWh a year; null: no bound.';
COMMENT ON COLUMN metering_fees.up_to_kwh IS 'Usage up to this many kWh a year, inclusive; null: no bound.';
COMMENT ON COLUMN metering_fees.over_pv_kw IS 'PV above this many kW; null: no bound.';
COMMENT ON COLUMN metering_fees.up_to_pv_kw IS 'PV up to this many kW, inclusive; null: no bound.';
COMMENT ON COLUMN metering_fees.needs_14a_module IS 'Only with a controllable device of section 14a EnWG.';
COMMENT ON COLUMN metering_fees.eur_year_gross IS 'EUR per year with VAT.';

COMMENT ON TABLE grid_fee_schedules IS
  'Working prices of the grid by the clock, module 3 of section 14a EnWG. No row: the operator publishes none.';
COMMENT ON COLUMN grid_fee_schedules.operator IS 'Code of the operator.';
COMMENT ON COLUMN grid_fee_schedules.low_ct_net IS 'ct/kWh without VAT in the low windows.';
COMMENT ON COLUMN grid_fee_schedules.standard_ct_net IS 'ct/kWh without VAT where no window is.';
COMMENT ON COLUMN grid_fee_schedules.high_ct_net IS 'ct/kWh without VAT in the high windows.';
COMMENT ON COLUMN grid_fee_schedules.quarters IS 'Quarters of the year with windows: 1;4.';
COMMENT ON COLUMN grid_fee_schedules.low_windows IS 'Europe/Berlin wall time, quarter hours: 23:00-06:00;12:00-14:15.';
COMMENT ON COLUMN grid_fee_schedules.high_windows IS 'As low_windows.';
COMMENT ON COLUMN grid_fee_schedules.weight_low IS
  'Part of the household profile''s energy of these quarters that lies in the low windows; null: hours of the day count.';
COMMENT ON COLUMN grid_fee_schedules.weight_standard IS 'The same outside of the windows.';
COMMENT ON COLUMN grid_fee_schedules.weight_high IS 'The same in the high windows.';
COMMENT ON COLUMN grid_fee_schedules.share_of_year IS 'Days of these quarters by days of the year, 4 decimals.';

COMMENT ON TABLE eeg_rates IS 'Rates of the EEG for PV on buildings. Valid: the days on which a plant was commissioned.';
COMMENT ON COLUMN eeg_rates.kind IS 'partial: the surplus is fed in; full: everything.';
COMMENT ON COLUMN eeg_rates.up_to_kw IS 'Class of the plant: up to 10, 40 or 100 kW.';
COMMENT ON COLUMN eeg_rates.value_ct_net IS 'Value to be reached with direct marketing, ct/kWh without VAT.';
COMMENT ON COLUMN eeg_rates.tariff_ct_net IS 'What the grid operator pays, ct/kWh without VAT.';

COMMENT ON TABLE market_values IS 'Figures of the power market.';
COMMENT ON COLUMN market_values.code IS 'day_ahead_mean or solar_market_value.';
COMMENT ON COLUMN market_values.ct_net IS 'ct/kWh without VAT.';

COMMENT ON TABLE benchmarks IS 'The supplier''s part of a usual tariff, which savings are compared with.';
COMMENT ON COLUMN benchmarks.base_fee_eur_year_gross IS 'EUR per year with VAT.';
COMMENT ON COLUMN benchmarks.energy_ct_net IS 'ct/kWh without VAT.';

COMMENT ON TABLE savings_parameters IS 'Assumptions about households, from which savings are estimated.';
COMMENT ON COLUMN savings_parameters.code IS 'Name of the assumption; the unit stands in it.';
COMMENT ON COLUMN savings_parameters.value IS 'Its figure.';

-- What households of other sizes use, with which a customer's year is compared (section 40(2) no. 8 EnWG).
CREATE TABLE usage_groups (
  code text NOT NULL CHECK (code ~ '^[a-z0-9_]+$'),
  kwh_year numeric NOT NULL CHECK (kwh_year >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (code, valid_from),
  CONSTRAINT usage_groups_one_at_a_time
    EXCLUDE USING gist (code WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_groups TO voltstream_app;

COMMENT ON TABLE usage_groups IS 'What households of a size use in a year: bills compare with it.';
COMMENT ON COLUMN usage_groups.code IS 'one_person, two_persons, three_persons or house.';
COMMENT ON COLUMN usage_groups.kwh_year IS 'kWh a year.';

-- A number that grows with every change of reference data, whoever makes it. A service process that knows it may keep what
-- it read for as long as the number stands: figures of 8,000 zips are not read again every few seconds because one of them
-- might have changed.
CREATE TABLE reference_revision (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  revision bigint NOT NULL
);
INSERT INTO reference_revision (revision) VALUES (1);
GRANT SELECT ON reference_revision TO voltstream_app;

COMMENT ON TABLE reference_revision IS 'How often reference data has changed: one row.';
COMMENT ON COLUMN reference_revision.one_row IS 'Always true: there is one row.';
COMMENT ON COLUMN reference_revision.revision IS 'Grows with every statement that writes into a table of reference data.';

CREATE FUNCTION count_reference_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE public.reference_revision SET revision = revision + 1;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION count_reference_change FROM PUBLIC;
COMMENT ON FUNCTION count_reference_change IS 'Trigger of the tables of reference data: counts a statement that writes.';

-- The columns that every reference table ends with, and the trigger.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'vat_rates', 'levies', 'concession_fees', 'metering_fees', 'grid_operators', 'grid_fees', 'grid_fee_schedules',
    'zip_areas', 'eeg_rates', 'market_values', 'benchmarks', 'savings_parameters', 'load_profiles', 'usage_groups'
  ] LOOP
    EXECUTE format('COMMENT ON COLUMN %I.valid_from IS %L', name, 'First day, Europe/Berlin.');
    EXECUTE format('COMMENT ON COLUMN %I.valid_to IS %L', name, 'First day no longer valid; null: open.');
    EXECUTE format('COMMENT ON COLUMN %I.source IS %L', name, 'Law and paragraph, or the official price sheet and its year.');
    EXECUTE format('COMMENT ON COLUMN %I.checked_on IS %L', name, 'Day of the last confirmation; null: to be checked before go-live.');
    EXECUTE format(
      'CREATE TRIGGER counted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
         FOR EACH STATEMENT EXECUTE FUNCTION count_reference_change()', name
    );
  END LOOP;
END
$$;

-- Their figures are no law.
COMMENT ON COLUMN usage_groups.source IS 'Survey and its year.';
