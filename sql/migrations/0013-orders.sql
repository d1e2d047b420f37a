CREATE TABLE meter_orders (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^prdo_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  product text NOT NULL,
  provider text NOT NULL,
  status text NOT NULL CHECK (status IN (
    'waiting', 'ordered', 'checked', 'installation_planning', 'installation_scheduled', 'installation_waiting',
    'installation_finished', 'activated', 'installed', 'pre_installed', 'cancelled', 'intended', 'blocked', 'blocked_wim'
  )),
  unblocked_status text NOT NULL,
  details_received_at timestamptz,
  appointment_at timestamptz,
  installed_at timestamptz,
  activated_at timestamptz,
  cancelled_at timestamptz,
  cancelled_reason text CHECK (cancelled_reason IN ('pre_existing', 'customer_request')),
  blocked_at timestamptz,
  blocked_reason text CHECK (blocked_reason IN ('check_missing', 'grid_operator_registration')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Meter orders are listed by the status that callers see, which follows from the internal one: while an order is
  -- blocked, from the one before the block. It is computed here, so that it has an index and cannot contradict its source.
  public_status text NOT NULL GENERATED ALWAYS AS (
    CASE CASE WHEN status IN ('blocked', 'blocked_wim') THEN unblocked_status ELSE status END
      WHEN 'intended' THEN 'created'
      WHEN 'waiting' THEN 'created'
      WHEN 'ordered' THEN CASE WHEN details_received_at IS NULL THEN 'placed' ELSE 'check_submitted' END
      WHEN 'checked' THEN 'check_reviewed'
      WHEN 'installation_planning' THEN 'check_reviewed'
      WHEN 'installation_scheduled' THEN 'scheduled'
      WHEN 'installation_waiting' THEN 'scheduled'
      WHEN 'installation_finished' THEN 'installed'
      WHEN 'installed' THEN 'installed'
      WHEN 'activated' THEN 'activated'
      WHEN 'pre_installed' THEN 'cancelled'
      WHEN 'cancelled' THEN 'cancelled'
    END
  ) STORED
  CHECK (public_status IN (
    'created', 'placed', 'check_submitted', 'check_reviewed', 'scheduled', 'installed', 'activated', 'cancelled'
  )),
  PRIMARY KEY (organization_id, id),
  -- One order per contract for ever, a cancelled one included.
  UNIQUE (organization_id, subscription_id),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);
CREATE INDEX meter_orders_newest_first ON meter_orders (organization_id, created_at DESC, id DESC);
-- Each filter of the list has an index in the order of the list, and each text that can be searched one of its trigrams.
CREATE INDEX meter_orders_of_status ON meter_orders (organization_id, status, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_public_status ON meter_orders (organization_id, public_status, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_product ON meter_orders (organization_id, product, created_at DESC, id DESC);
CREATE INDEX meter_orders_of_customer ON meter_orders (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX meter_orders_updated ON meter_orders (organization_id, updated_at);
CREATE INDEX meter_orders_searched ON meter_orders
  USING gin (
    organization_id extensions.text_ops, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops
  );
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON meter_orders
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

CREATE TABLE grid_fee_reductions (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^gfr_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('enwg-14a-module-1', 'enwg-14a-module-2', 'enwg-14a-module-3')),
  status text NOT NULL CHECK (status IN ('intended', 'ordered', 'activated', 'rejected', 'ended')),
  valid_from timestamptz,
  valid_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);
CREATE UNIQUE INDEX grid_fee_reductions_open ON grid_fee_reductions (organization_id, subscription_id, type)
  WHERE status NOT IN ('rejected', 'ended');
CREATE INDEX grid_fee_reductions_newest_first ON grid_fee_reductions (organization_id, created_at DESC, id DESC);
-- Every look at one contract.
CREATE INDEX grid_fee_reductions_of_subscription ON grid_fee_reductions (organization_id, subscription_id, created_at, id);
-- What an organization asks of its grid fee reductions: by state, by customer, by contract, and which of them changed. Without
-- these a list walks all of them.
CREATE INDEX grid_fee_reductions_of_customer
  ON grid_fee_reductions (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX grid_fee_reductions_of_status ON grid_fee_reductions (organization_id, status, created_at DESC, id DESC);
CREATE INDEX grid_fee_reductions_updated ON grid_fee_reductions (organization_id, updated_at);
CREATE INDEX grid_fee_reductions_searched ON grid_fee_reductions
  USING gin (organization_id, customer_id extensions.gin_trgm_ops, subscription_id extensions.gin_trgm_ops);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON grid_fee_reductions
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE meter_orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE meter_orders FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meter_orders USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

ALTER TABLE grid_fee_reductions ENABLE ROW LEVEL SECURITY;
ALTER TABLE grid_fee_reductions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON grid_fee_reductions USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON meter_orders, grid_fee_reductions TO voltstream_app;
GRANT SELECT (organization_id, id, customer_id, subscription_id, product, provider, status, details_received_at,
              appointment_at, installed_at, activated_at, cancelled_at, cancelled_reason, blocked_at, blocked_reason,
              created_at)
  ON meter_orders TO voltstream_analyst_reader;
CREATE POLICY analysts ON meter_orders FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, id, customer_id, subscription_id, type, status, valid_from, valid_until, created_at)
  ON grid_fee_reductions TO voltstream_analyst_reader;
CREATE POLICY analysts ON grid_fee_reductions FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE meter_orders IS 'Orders of smart meters.';
COMMENT ON COLUMN meter_orders.organization_id IS 'The tenant.';
COMMENT ON COLUMN meter_orders.id IS 'prdo_ and 24 random characters.';
COMMENT ON COLUMN meter_orders.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN meter_orders.subscription_id IS 'The contract.';
COMMENT ON COLUMN meter_orders.product IS 'Product of the plan.';
COMMENT ON COLUMN meter_orders.provider IS 'Metering operator that delivers it.';
COMMENT ON COLUMN meter_orders.status IS 'Internal state. What may follow which stands in src/contracts/meter-orders/moves.ts.';
COMMENT ON COLUMN meter_orders.unblocked_status IS 'Last state that was no block: to it a blocked order goes back.';
COMMENT ON COLUMN meter_orders.details_received_at IS 'When the customer''s details for the check came in.';
COMMENT ON COLUMN meter_orders.appointment_at IS 'Appointment of the installation.';
COMMENT ON COLUMN meter_orders.installed_at IS 'Mounted at.';
COMMENT ON COLUMN meter_orders.activated_at IS 'Delivers readings since.';
COMMENT ON COLUMN meter_orders.cancelled_at IS 'Cancelled at.';
COMMENT ON COLUMN meter_orders.cancelled_reason IS 'pre_existing or customer_request.';
COMMENT ON COLUMN meter_orders.blocked_at IS 'Blocked since; null when it is not.';
COMMENT ON COLUMN meter_orders.blocked_reason IS 'check_missing or grid_operator_registration; null when it is not blocked.';
COMMENT ON COLUMN meter_orders.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meter_orders.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN meter_orders.public_status IS 'State as callers see it since 2026-05-27.curie.';

COMMENT ON TABLE grid_fee_reductions IS 'Reductions of grid fees under section 14a EnWG.';
COMMENT ON COLUMN grid_fee_reductions.organization_id IS 'The tenant.';
COMMENT ON COLUMN grid_fee_reductions.id IS 'gfr_ and 24 random characters.';
COMMENT ON COLUMN grid_fee_reductions.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN grid_fee_reductions.subscription_id IS 'The contract.';
COMMENT ON COLUMN grid_fee_reductions.type IS 'Module 1, 2 or 3.';
COMMENT ON COLUMN grid_fee_reductions.status IS 'intended, ordered, activated, rejected or ended.';
COMMENT ON COLUMN grid_fee_reductions.valid_from IS 'In effect since.';
COMMENT ON COLUMN grid_fee_reductions.valid_until IS 'In effect until, exclusive.';
COMMENT ON COLUMN grid_fee_reductions.created_at IS 'Instant of creation.';
COMMENT ON COLUMN grid_fee_reductions.updated_at IS 'Instant of the last change.';

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
GRANT SELECT (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw, received_at)
  ON load_forecasts TO voltstream_analyst_reader;
CREATE POLICY analysts ON load_forecasts FOR SELECT TO voltstream_analyst_reader USING (true);

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
