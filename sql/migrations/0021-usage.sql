-- Quarter hours of smart meters as the metering operator sends them.
CREATE TABLE usage_quarter_hours (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  interval_start timestamptz NOT NULL,
  kwh double precision NOT NULL CHECK (kwh >= 0 AND kwh < 1e9),
  imported_at timestamptz NOT NULL DEFAULT now(),
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

COMMENT ON TABLE usage_quarter_hours IS 'Metered energy per quarter hour of smart meters.';
COMMENT ON COLUMN usage_quarter_hours.organization_id IS 'The tenant.';
COMMENT ON COLUMN usage_quarter_hours.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN usage_quarter_hours.subscription_id IS 'The contract.';
COMMENT ON COLUMN usage_quarter_hours.interval_start IS 'UTC start of the quarter hour.';
COMMENT ON COLUMN usage_quarter_hours.kwh IS
  'Energy in kWh, positive in both directions. Personal; for billing; 3 years.';
COMMENT ON COLUMN usage_quarter_hours.imported_at IS 'Instant of the last import.';
