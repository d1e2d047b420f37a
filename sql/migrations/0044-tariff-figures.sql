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

-- The four columns that every reference table ends with.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['levies', 'concession_fees', 'metering_fees', 'grid_fee_schedules', 'eeg_rates',
                              'market_values', 'benchmarks', 'savings_parameters'] LOOP
    EXECUTE format('COMMENT ON COLUMN %I.valid_from IS %L', name, 'First day, Europe/Berlin.');
    EXECUTE format('COMMENT ON COLUMN %I.valid_to IS %L', name, 'First day no longer valid; null: open.');
    EXECUTE format('COMMENT ON COLUMN %I.source IS %L', name, 'Law and paragraph, or the official price sheet and its year.');
    EXECUTE format('COMMENT ON COLUMN %I.checked_on IS %L', name, 'Day of the last confirmation; null: to be checked before go-live.');
  END LOOP;
END
$$;
