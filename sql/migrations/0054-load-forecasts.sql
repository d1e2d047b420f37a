-- What clients expect contracts to draw, by day: bought by on the day before, and again on the day itself.
CREATE TABLE load_forecasts (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  delivery_on date NOT NULL,
  purchase text NOT NULL CHECK (purchase IN ('day_ahead', 'intraday')),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  power_kw double precision[] NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, subscription_id, delivery_on, purchase),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id),
  CHECK (cardinality(power_kw) IN (92, 96, 100)
         AND ends_at = starts_at + cardinality(power_kw) * interval '15 minutes')
);
-- What is bought by for a day, and what is old enough to go.
CREATE INDEX load_forecasts_of_day ON load_forecasts (organization_id, delivery_on, subscription_id, purchase DESC);
CREATE INDEX load_forecasts_ended ON load_forecasts (organization_id, ends_at);

ALTER TABLE load_forecasts ENABLE ROW LEVEL SECURITY;
ALTER TABLE load_forecasts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON load_forecasts USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE, DELETE ON load_forecasts TO voltstream_app;

COMMENT ON TABLE load_forecasts IS 'Expected loads of contracts by day; removed one year after the day.';
COMMENT ON COLUMN load_forecasts.organization_id IS 'The tenant.';
COMMENT ON COLUMN load_forecasts.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN load_forecasts.subscription_id IS 'The contract.';
COMMENT ON COLUMN load_forecasts.delivery_on IS 'Day of delivery, Europe/Berlin.';
COMMENT ON COLUMN load_forecasts.purchase IS
  'day_ahead: was there by 09:00 of the day before; intraday: came later. A day can have both.';
COMMENT ON COLUMN load_forecasts.starts_at IS 'Its midnight.';
COMMENT ON COLUMN load_forecasts.ends_at IS 'The next midnight: no longer part of it.';
COMMENT ON COLUMN load_forecasts.power_kw IS
  'Mean power in kW by quarter hour. Personal, shows when somebody is expected at home; to buy electricity; one year.';
COMMENT ON COLUMN load_forecasts.received_at IS 'When it came last.';

GRANT SELECT (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw, received_at)
  ON load_forecasts TO voltstream_analyst_reader;
CREATE POLICY analysts ON load_forecasts FOR SELECT TO voltstream_analyst_reader USING (true);
