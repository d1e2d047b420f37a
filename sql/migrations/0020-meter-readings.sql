-- Readings of analog meters.
CREATE TABLE meter_readings (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^mr_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  meter_id text NOT NULL,
  value double precision NOT NULL CHECK (value > 0 AND value < 'Infinity'),
  read_on date NOT NULL,
  type text NOT NULL CHECK (type IN ('customer_report', 'grid_reading', 'grid_estimation')),
  message text,
  created_at timestamptz NOT NULL DEFAULT now(),
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
CREATE UNIQUE INDEX meter_readings_one_a_day ON meter_readings (organization_id, meter_id, read_on)
  WHERE type <> 'grid_estimation';

ALTER TABLE meter_readings ENABLE ROW LEVEL SECURITY;
ALTER TABLE meter_readings FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meter_readings USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT ON meter_readings TO voltstream_app;

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
