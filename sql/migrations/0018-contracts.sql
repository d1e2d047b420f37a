-- Contracts and what hangs on them. Each row carries its customer, so that row-level security can hold a token that
-- acts for one customer to that customer's rows, and foreign keys carry it too.
CREATE TABLE meters (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^mtr_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  household_id text NOT NULL,
  number text NOT NULL CHECK (number = upper(number) AND number ~ '^\S+$'),
  type text NOT NULL CHECK (type IN ('smart', 'analog')),
  melo text CHECK (length(melo) = 33),
  malo text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  -- One meter row per household, shared by its contracts.
  UNIQUE (organization_id, household_id),
  UNIQUE (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES households (organization_id, id, customer_id)
);
CREATE INDEX meters_of_customer ON meters (organization_id, customer_id, number);

CREATE TABLE payment_methods (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^pm_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  type text NOT NULL CHECK (type = 'sepa_debit'),
  iban text NOT NULL,
  account_holder text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);

CREATE TABLE subscriptions (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^sub_[0-9a-z]{24}$'),
  number text CHECK (number ~ '^[A-Z0-9]{8}$'),
  plan_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('consumption', 'feed_in')),
  customer_id text NOT NULL,
  household_id text NOT NULL,
  address_id text,
  billing_address_id text NOT NULL,
  meter_id text NOT NULL,
  payment_method_id text NOT NULL,
  supplier_id text REFERENCES market_partners (id),
  status text NOT NULL CHECK (status IN ('pending', 'active', 'ended')),
  estimated_usage double precision NOT NULL CHECK (estimated_usage >= 100 AND estimated_usage < 'Infinity'),
  intended_start_on date NOT NULL,
  confirmed_at timestamptz,
  start_at timestamptz,
  terminated_at timestamptz,
  termination_reason text CHECK (termination_reason IN ('ORDINARY', 'MOVE_OUT', 'WITHDRAWAL')),
  end_at timestamptz,
  metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, number),
  UNIQUE (organization_id, customer_id, id),
  -- The address of invoices changes in place, that of delivery never does.
  CHECK (billing_address_id <> address_id),
  CHECK ((start_at IS NULL) = (confirmed_at IS NULL)),
  CHECK (status <> 'active' OR start_at IS NOT NULL),
  CHECK (status <> 'ended' OR end_at IS NOT NULL),
  CHECK ((terminated_at IS NULL) = (termination_reason IS NULL)),
  FOREIGN KEY (organization_id, plan_id, type) REFERENCES plans (organization_id, id, type),
  FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES households (organization_id, id, customer_id),
  FOREIGN KEY (organization_id, customer_id, address_id) REFERENCES addresses (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id, billing_address_id)
    REFERENCES addresses (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES meters (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id, payment_method_id)
    REFERENCES payment_methods (organization_id, customer_id, id)
);
CREATE INDEX subscriptions_newest_first ON subscriptions (organization_id, created_at DESC, id DESC);
CREATE INDEX subscriptions_of_customer ON subscriptions (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX subscriptions_of_household ON subscriptions (organization_id, household_id, created_at DESC, id DESC);
CREATE INDEX subscriptions_of_plan ON subscriptions (organization_id, plan_id, created_at DESC, id DESC);
CREATE INDEX subscriptions_of_status ON subscriptions (organization_id, status, created_at DESC, id DESC);
-- Clients that keep a copy ask for what changed since they asked last.
CREATE INDEX subscriptions_updated ON subscriptions (organization_id, updated_at);
-- What the clock looks at: contracts that begin or end.
CREATE INDEX subscriptions_to_begin ON subscriptions (organization_id, start_at) WHERE status = 'pending';
CREATE INDEX subscriptions_to_end ON subscriptions (organization_id, end_at) WHERE status <> 'ended';

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
  PRIMARY KEY (organization_id, id),
  -- One order per contract for ever, a cancelled one included.
  UNIQUE (organization_id, subscription_id),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);
CREATE INDEX meter_orders_newest_first ON meter_orders (organization_id, created_at DESC, id DESC);

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

-- What happened, written in the transaction of the change; append-only, ids only.
CREATE TABLE events (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^evt_[0-9a-z]{24}$'),
  topic text NOT NULL CHECK (topic ~ '^[a-z_]+\.[a-z_]+$'),
  timestamp timestamptz NOT NULL,
  context jsonb NOT NULL CHECK (jsonb_typeof(context) = 'object'),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_newest_first ON events (organization_id, timestamp DESC, id DESC);

ALTER TABLE meters ENABLE ROW LEVEL SECURITY;
ALTER TABLE meters FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meters USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

ALTER TABLE payment_methods ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_methods FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payment_methods USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

ALTER TABLE subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON subscriptions USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

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

ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON events USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
);

GRANT SELECT, INSERT, UPDATE ON meters, subscriptions, meter_orders, grid_fee_reductions TO voltstream_app;
GRANT SELECT, INSERT ON payment_methods, events TO voltstream_app;

COMMENT ON TABLE meters IS 'Meters, one per household.';
COMMENT ON COLUMN meters.organization_id IS 'The tenant.';
COMMENT ON COLUMN meters.id IS 'mtr_ and 24 random characters.';
COMMENT ON COLUMN meters.customer_id IS 'Whose household it serves.';
COMMENT ON COLUMN meters.household_id IS 'The household.';
COMMENT ON COLUMN meters.number IS 'Upper-case, without blanks. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meters.type IS 'smart or analog.';
COMMENT ON COLUMN meters.melo IS
  'Identifier of the metering location, 33 characters. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meters.malo IS
  'Identifier of the market location, 11 digits. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meters.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meters.updated_at IS 'Instant of the last change.';

COMMENT ON TABLE payment_methods IS 'Ways of payment; a change makes a new row.';
COMMENT ON COLUMN payment_methods.organization_id IS 'The tenant.';
COMMENT ON COLUMN payment_methods.id IS 'pm_ and 24 random characters.';
COMMENT ON COLUMN payment_methods.customer_id IS 'Who pays.';
COMMENT ON COLUMN payment_methods.type IS 'sepa_debit.';
COMMENT ON COLUMN payment_methods.iban IS 'Account. Personal; for direct debits; until erased. Shown masked.';
COMMENT ON COLUMN payment_methods.account_holder IS 'Holder of the account. Personal; for direct debits; until erased.';
COMMENT ON COLUMN payment_methods.created_at IS 'Instant of creation.';

COMMENT ON TABLE subscriptions IS 'Supply and feed-in contracts.';
COMMENT ON COLUMN subscriptions.organization_id IS 'The tenant.';
COMMENT ON COLUMN subscriptions.id IS 'sub_ and 24 random characters.';
COMMENT ON COLUMN subscriptions.number IS 'Eight characters for people; null only for imported contracts.';
COMMENT ON COLUMN subscriptions.plan_id IS 'The plan.';
COMMENT ON COLUMN subscriptions.type IS 'As the plan: consumption or feed_in.';
COMMENT ON COLUMN subscriptions.customer_id IS 'The contract partner.';
COMMENT ON COLUMN subscriptions.household_id IS 'The household.';
COMMENT ON COLUMN subscriptions.address_id IS 'Address of delivery; null only for imported contracts.';
COMMENT ON COLUMN subscriptions.billing_address_id IS 'Address of invoices: begins as a copy of the delivery address.';
COMMENT ON COLUMN subscriptions.meter_id IS 'The household''s meter.';
COMMENT ON COLUMN subscriptions.payment_method_id IS 'How it is paid.';
COMMENT ON COLUMN subscriptions.supplier_id IS 'Previous supplier; null for a move-in and for feed-in.';
COMMENT ON COLUMN subscriptions.status IS 'pending, active or ended.';
COMMENT ON COLUMN subscriptions.estimated_usage IS 'kWh a year given at sign-up; for feed-in the expected feed-in.';
COMMENT ON COLUMN subscriptions.intended_start_on IS
  'Day asked for, Europe/Berlin, moved to the earliest possible one.';
COMMENT ON COLUMN subscriptions.confirmed_at IS
  'First confirmation of the grid operator; the right of withdrawal counts from here.';
COMMENT ON COLUMN subscriptions.start_at IS 'Beginning of supply, midnight in Europe/Berlin; null until confirmed.';
COMMENT ON COLUMN subscriptions.terminated_at IS 'When the termination in force was recorded.';
COMMENT ON COLUMN subscriptions.termination_reason IS 'ORDINARY, MOVE_OUT or WITHDRAWAL.';
COMMENT ON COLUMN subscriptions.end_at IS 'End of supply, exclusive.';
COMMENT ON COLUMN subscriptions.metadata IS 'The client''s own values, at most 10 KB.';
COMMENT ON COLUMN subscriptions.created_at IS 'Instant of creation.';
COMMENT ON COLUMN subscriptions.updated_at IS 'Instant of the last change.';

COMMENT ON TABLE meter_orders IS 'Orders of smart meters.';
COMMENT ON COLUMN meter_orders.organization_id IS 'The tenant.';
COMMENT ON COLUMN meter_orders.id IS 'prdo_ and 24 random characters.';
COMMENT ON COLUMN meter_orders.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN meter_orders.subscription_id IS 'The contract.';
COMMENT ON COLUMN meter_orders.product IS 'Product of the plan.';
COMMENT ON COLUMN meter_orders.provider IS 'Metering operator that delivers it.';
COMMENT ON COLUMN meter_orders.status IS 'Internal state.';
COMMENT ON COLUMN meter_orders.unblocked_status IS 'Last state that was no block.';
COMMENT ON COLUMN meter_orders.details_received_at IS 'When the customer''s details for the check came in.';
COMMENT ON COLUMN meter_orders.appointment_at IS 'Appointment of the installation.';
COMMENT ON COLUMN meter_orders.installed_at IS 'Mounted at.';
COMMENT ON COLUMN meter_orders.activated_at IS 'Delivers readings since.';
COMMENT ON COLUMN meter_orders.cancelled_at IS 'Cancelled at.';
COMMENT ON COLUMN meter_orders.cancelled_reason IS 'pre_existing or customer_request.';
COMMENT ON COLUMN meter_orders.blocked_at IS 'Blocked since; null when it is not.';
COMMENT ON COLUMN meter_orders.blocked_reason IS 'check_missing or grid_operator_registration.';
COMMENT ON COLUMN meter_orders.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meter_orders.updated_at IS 'Instant of the last change.';

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

COMMENT ON TABLE events IS 'What happened to contracts, orders and invoices; append-only.';
COMMENT ON COLUMN events.organization_id IS 'The tenant.';
COMMENT ON COLUMN events.id IS 'evt_ and 24 random characters.';
COMMENT ON COLUMN events.topic IS 'Noun and what happened.';
COMMENT ON COLUMN events.timestamp IS 'Instant of the change.';
COMMENT ON COLUMN events.context IS 'Ids only.';
