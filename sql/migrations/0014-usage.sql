-- Readings of analog meters.
CREATE TABLE meter_readings (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^mr_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  meter_id text NOT NULL,
  -- An exact decimal: a binary float shows 0.00015 kWh, rounded to 4 decimals, as 0.0001. A new device may begin at 0.
  value numeric NOT NULL CHECK (value >= 0 AND value <= 10000000000),
  read_on date NOT NULL,
  type text NOT NULL CHECK (type IN ('customer_report', 'grid_reading', 'grid_estimation')),
  message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Of an exchange day there are two readings: the closing one of the old device, the opening one of the new device.
  register integer NOT NULL DEFAULT 1 CHECK (register > 0),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES meters (organization_id, customer_id, id)
);
CREATE INDEX meter_readings_newest_first ON meter_readings (organization_id, created_at DESC, id DESC);
CREATE INDEX meter_readings_of_customer
  ON meter_readings (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX meter_readings_of_subscription
  ON meter_readings (organization_id, subscription_id, created_at DESC, id DESC);
CREATE INDEX meter_readings_of_meter ON meter_readings (organization_id, meter_id, read_on);
-- An estimate stands beside a real reading of the same day; two real ones do not.
CREATE UNIQUE INDEX meter_readings_one_a_day ON meter_readings (organization_id, meter_id, register, read_on)
  WHERE type <> 'grid_estimation';
CREATE INDEX meter_readings_of_type ON meter_readings (organization_id, type, created_at DESC, id DESC);
CREATE INDEX meter_readings_searched ON meter_readings
  USING gin (organization_id extensions.text_ops, subscription_id extensions.gin_trgm_ops);
CREATE INDEX meter_readings_oldest ON meter_readings (read_on);

ALTER TABLE meter_readings ENABLE ROW LEVEL SECURITY;
ALTER TABLE meter_readings FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meter_readings USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT ON meter_readings TO voltstream_app;
GRANT SELECT (organization_id, id, customer_id, subscription_id, meter_id, value, read_on, type, register, created_at)
  ON meter_readings TO voltstream_analyst_reader;
CREATE POLICY analysts ON meter_readings FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE meter_readings IS 'Readings of meters, cumulative; append-only.';
COMMENT ON COLUMN meter_readings.organization_id IS 'The tenant.';
COMMENT ON COLUMN meter_readings.id IS 'mr_ and 24 random characters.';
COMMENT ON COLUMN meter_readings.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN meter_readings.subscription_id IS 'The contract.';
COMMENT ON COLUMN meter_readings.meter_id IS 'The meter.';
COMMENT ON COLUMN meter_readings.value IS 'Cumulative kWh. Personal; for billing; 3 years.';
COMMENT ON COLUMN meter_readings.read_on IS 'Day of the reading, Europe/Berlin.';
COMMENT ON COLUMN meter_readings.type IS 'customer_report, grid_reading or grid_estimation.';
COMMENT ON COLUMN meter_readings.message IS 'Note of the sender, not shown again. Personal; for billing; 3 years.';
COMMENT ON COLUMN meter_readings.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meter_readings.register IS
  'The counter that was read: only readings of one counter are compared. 1: the meter''s first one.';

-- Final values of usage: each with its source, each replaced one in a history, and sums of days, so that a long period
-- costs its days and not its quarter hours.
CREATE TABLE usage_quarter_hours (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  interval_start timestamptz NOT NULL,
  -- Below a million kWh a quarter hour the sum of ten years is exact as a JSON number, too. A quarter hour is read by its
  -- sums as often as it is written, and twelve digits behind the point are more than any meter counts.
  kwh numeric(18, 12) NOT NULL CHECK (kwh >= 0 AND kwh < 1000000),
  kept_at timestamptz NOT NULL DEFAULT now(),
  source text NOT NULL CHECK (source IN ('own_measurement', 'metering_operator')),
  PRIMARY KEY (organization_id, subscription_id, interval_start),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);

ALTER TABLE usage_quarter_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_quarter_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON usage_quarter_hours USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON usage_quarter_hours TO voltstream_app;
GRANT SELECT (organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source)
  ON usage_quarter_hours TO voltstream_analyst_reader;
CREATE POLICY analysts ON usage_quarter_hours FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE usage_quarter_hours IS 'Final energy per quarter hour of smart meters.';
COMMENT ON COLUMN usage_quarter_hours.organization_id IS 'The tenant.';
COMMENT ON COLUMN usage_quarter_hours.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN usage_quarter_hours.subscription_id IS 'The contract.';
COMMENT ON COLUMN usage_quarter_hours.interval_start IS 'UTC start of the quarter hour.';
COMMENT ON COLUMN usage_quarter_hours.kwh IS
  'Energy in kWh, positive in both directions. Personal; for billing; 3 years.';
COMMENT ON COLUMN usage_quarter_hours.kept_at IS 'Instant at which this value came in or was frozen.';
COMMENT ON COLUMN usage_quarter_hours.source IS
  'own_measurement: from snapshots, frozen when the month was settled; metering_operator: imported.';

CREATE TABLE usage_days (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  day date NOT NULL,
  kwh numeric(20, 12) NOT NULL,
  quarter_hours smallint NOT NULL CHECK (quarter_hours BETWEEN 1 AND 100),
  PRIMARY KEY (organization_id, subscription_id, day),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);
-- Personal values of meters are removed three years after the end of their year (section 69(3) MsbG). The job looks for the
-- oldest ones every night, of all organizations at once.
CREATE INDEX usage_days_oldest ON usage_days (day);

CREATE TABLE settled_usage_months (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  settled_at timestamptz NOT NULL,
  -- Which days of the month are frozen. When a start of supply or a type of meter is corrected afterwards, further days of
  -- the month become those of a smart meter: they are frozen, too, with what was stored when the month was settled.
  days datemultirange NOT NULL,
  -- Which months changed after they were frozen: a bill of one of them is looked at again, and nobody has to compare the
  -- quarter hours of all bills for that.
  changed_at timestamptz,
  PRIMARY KEY (organization_id, subscription_id, month),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);
CREATE INDEX settled_usage_months_changed ON settled_usage_months (organization_id, changed_at)
  WHERE changed_at IS NOT NULL;

CREATE TABLE replaced_usage (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  interval_start timestamptz NOT NULL,
  kwh numeric(18, 12) NOT NULL,
  source text NOT NULL CHECK (source IN ('own_measurement', 'metering_operator')),
  kept_at timestamptz NOT NULL,
  replaced_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, subscription_id, interval_start, id),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['usage_days', 'settled_usage_months', 'replaced_usage'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I USING (
         organization_id = (SELECT nullif(current_setting(''app.organization'', true), ''''))
         AND ((SELECT nullif(current_setting(''app.customer'', true), '''')) IS NULL
              OR customer_id = (SELECT nullif(current_setting(''app.customer'', true), ''''))))', name);
    EXECUTE format('COMMENT ON COLUMN %I.organization_id IS ''The tenant.''', name);
    EXECUTE format('COMMENT ON COLUMN %I.customer_id IS ''Whose contract it is.''', name);
    EXECUTE format('COMMENT ON COLUMN %I.subscription_id IS ''The contract.''', name);
  END LOOP;
END
$$;

GRANT SELECT, INSERT, UPDATE ON usage_days TO voltstream_app;
GRANT SELECT (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
  ON usage_days TO voltstream_analyst_reader;
CREATE POLICY analysts ON usage_days FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT, INSERT ON settled_usage_months, replaced_usage TO voltstream_app;
GRANT UPDATE (days, changed_at) ON settled_usage_months TO voltstream_app;
GRANT SELECT (organization_id, customer_id, subscription_id, month, settled_at)
  ON settled_usage_months TO voltstream_analyst_reader;
CREATE POLICY analysts ON settled_usage_months FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE usage_days IS 'Sums of the final quarter hours of each day, written with them.';
COMMENT ON COLUMN usage_days.day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN usage_days.kwh IS 'Energy in kWh of the quarter hours that are known. Personal; for billing; 3 years.';
COMMENT ON COLUMN usage_days.quarter_hours IS 'How many quarter hours are known.';

COMMENT ON TABLE settled_usage_months IS
  'Months of which the own measurements are frozen: snapshots that come later change nothing.';
COMMENT ON COLUMN settled_usage_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN settled_usage_months.settled_at IS 'Instant at which the values were written.';
COMMENT ON COLUMN settled_usage_months.days IS
  'Days on which the contract was supplied by a smart meter, as known when they were frozen, Europe/Berlin.';
COMMENT ON COLUMN settled_usage_months.changed_at IS
  'Instant of the last import, or of days that were frozen later, by which its values are others; null: as first frozen.';

COMMENT ON TABLE replaced_usage IS 'Final values that an import of the metering operator replaced; append-only.';
COMMENT ON COLUMN replaced_usage.id IS 'Counts the replaced values.';
COMMENT ON COLUMN replaced_usage.interval_start IS 'UTC start of the quarter hour.';
COMMENT ON COLUMN replaced_usage.kwh IS 'The old value in kWh. Personal; for billing; 3 years.';
COMMENT ON COLUMN replaced_usage.source IS 'Where the old value was from: own_measurement or metering_operator.';
COMMENT ON COLUMN replaced_usage.kept_at IS 'Instant at which the old value came in or was frozen.';
COMMENT ON COLUMN replaced_usage.replaced_at IS 'Instant of the import that replaced it.';
