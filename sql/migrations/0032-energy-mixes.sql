-- What electricity was made of in a year: a bill says it for its supplier, and beside it for the country (section 42 EnWG).
CREATE TABLE energy_mixes (
  supplier text NOT NULL CHECK (supplier ~ '^(\d{13}|germany)$'),
  year integer NOT NULL CHECK (year BETWEEN 2000 AND 2100),
  nuclear numeric NOT NULL CHECK (nuclear BETWEEN 0 AND 1),
  coal numeric NOT NULL CHECK (coal BETWEEN 0 AND 1),
  gas numeric NOT NULL CHECK (gas BETWEEN 0 AND 1),
  other_fossil numeric NOT NULL CHECK (other_fossil BETWEEN 0 AND 1),
  renewable_funded numeric NOT NULL CHECK (renewable_funded BETWEEN 0 AND 1),
  renewable_other numeric NOT NULL CHECK (renewable_other BETWEEN 0 AND 1),
  co2_g_kwh numeric NOT NULL CHECK (co2_g_kwh >= 0),
  radioactive_waste_g_kwh numeric NOT NULL CHECK (radioactive_waste_g_kwh >= 0),
  valid_from date NOT NULL,
  valid_to date CHECK (valid_to > valid_from),
  source text NOT NULL CHECK (source <> ''),
  checked_on date,
  PRIMARY KEY (supplier, valid_from),
  CONSTRAINT energy_mixes_one_at_a_time
    EXCLUDE USING gist (supplier WITH =, daterange(valid_from, valid_to, '[)') WITH &&)
);
CREATE TRIGGER counted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON energy_mixes
  FOR EACH STATEMENT EXECUTE FUNCTION count_reference_change();
GRANT SELECT, INSERT, UPDATE, DELETE ON energy_mixes TO voltstream_app;

COMMENT ON TABLE energy_mixes IS 'What the electricity of a supplier, and of the country, was made of in a year (section 42 EnWG). Bills print it; nothing is calculated with it.';
COMMENT ON COLUMN energy_mixes.supplier IS 'BDEW code of the supplier, 13 digits; germany: the mean of the country.';
COMMENT ON COLUMN energy_mixes.year IS 'Calendar year of the figures.';
COMMENT ON COLUMN energy_mixes.nuclear IS 'Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.coal IS 'Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.gas IS 'Natural gas. Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.other_fossil IS 'Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.renewable_funded IS 'Renewable, funded by the EEG. Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.renewable_other IS 'Renewable with guarantees of origin, not funded by the EEG. Share from 0 to 1.';
COMMENT ON COLUMN energy_mixes.co2_g_kwh IS 'Grams of CO2 for each kWh.';
COMMENT ON COLUMN energy_mixes.radioactive_waste_g_kwh IS 'Grams of radioactive waste for each kWh.';
COMMENT ON COLUMN energy_mixes.valid_from IS 'First day on which bills print it, Europe/Berlin.';
COMMENT ON COLUMN energy_mixes.valid_to IS 'First day no longer valid; null: open.';
COMMENT ON COLUMN energy_mixes.source IS 'Who published it, and when.';
COMMENT ON COLUMN energy_mixes.checked_on IS 'Day of the last confirmation; null: to be checked before go-live.';
