-- Suppliers of the market, shared by all organizations: public facts of the BDEW register, no tenant.
CREATE TABLE market_partners (
  id text PRIMARY KEY CHECK (id ~ '^mp_[0-9a-z]{24}$'),
  code text NOT NULL UNIQUE CHECK (code ~ '^[0-9]{13}$'),
  name text NOT NULL CHECK (name <> ''),
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Compared in NFC, as the search of customers is.
  name_search text NOT NULL GENERATED ALWAYS AS (lower(normalize(name, NFC))) STORED
);
CREATE INDEX market_partners_newest_first ON market_partners (created_at DESC, id DESC);
CREATE INDEX market_partners_of_name ON market_partners (name, created_at DESC, id DESC);
CREATE INDEX market_partners_searched ON market_partners
  USING gin (name_search extensions.gin_trgm_ops, code extensions.gin_trgm_ops);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON market_partners
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

GRANT SELECT, INSERT, UPDATE ON market_partners TO voltstream_app;

COMMENT ON TABLE market_partners IS 'Suppliers that a customer may come from.';
COMMENT ON COLUMN market_partners.id IS 'mp_ and 24 random characters.';
COMMENT ON COLUMN market_partners.code IS 'BDEW code, 13 digits.';
COMMENT ON COLUMN market_partners.name IS 'Name of the company.';
COMMENT ON COLUMN market_partners.country IS 'ISO 3166-1, two letters.';
COMMENT ON COLUMN market_partners.created_at IS 'Instant of creation.';
COMMENT ON COLUMN market_partners.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN market_partners.name_search IS 'The name in lower case and Unicode form NFC: what a search looks at.';

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
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON meters
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

CREATE TABLE payment_methods (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^pm_[0-9a-z]{24}$'),
  customer_id text NOT NULL,
  type text NOT NULL CHECK (type = 'sepa_debit'),
  iban text NOT NULL,
  account_holder text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A direct debit names the mandate that the account holder gave: its reference, unique for the creditor, and the day of
  -- the signature. Each way of payment is a mandate of its own. 35 characters of these are what SEPA takes.
  mandate_reference text NOT NULL DEFAULT upper(replace(gen_random_uuid()::text, '-', ''))
    CHECK (mandate_reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$'),
  mandate_signed_on date NOT NULL DEFAULT (now() AT TIME ZONE 'Europe/Berlin')::date,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id),
  UNIQUE (organization_id, mandate_reference)
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
  estimated_usage numeric NOT NULL CHECK (estimated_usage >= 100 AND estimated_usage <= 1000000000),
  intended_start_on date NOT NULL,
  confirmed_at timestamptz,
  start_at timestamptz,
  terminated_at timestamptz,
  termination_reason text CHECK (termination_reason IN ('ORDINARY', 'MOVE_OUT', 'WITHDRAWAL')),
  end_at timestamptz,
  metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  meter_type text CHECK (meter_type IN ('smart', 'analog')),
  -- What a feed-in contract is paid by: the rate of the law depends on the day on which the plant was commissioned and on
  -- its size, and a plant operator under section 19 UStG gets no value added tax.
  is_tax_exempt boolean NOT NULL DEFAULT false,
  plant_commissioned_on date,
  plant_size_kw numeric CHECK (plant_size_kw > 0 AND plant_size_kw <= 100000),
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
    REFERENCES payment_methods (organization_id, customer_id, id),
  -- A household has one supply at a time: from the confirmed start to the end, which does not belong to it. The rule is
  -- asked before dates are stored, with the household held; the constraint holds it against everybody else. A contract
  -- that ended before its start was never supplied.
  CONSTRAINT subscriptions_one_supply EXCLUDE USING gist (
    organization_id WITH =, household_id WITH =, tstzrange(start_at, end_at, '[)') WITH &&
  ) WHERE (type = 'consumption' AND start_at IS NOT NULL AND (end_at IS NULL OR end_at > start_at)),
  CONSTRAINT subscriptions_plant_check CHECK (
    type = 'feed_in' OR (NOT is_tax_exempt AND plant_commissioned_on IS NULL AND plant_size_kw IS NULL)
  )
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
CREATE INDEX subscriptions_with_smart_meter ON subscriptions (organization_id, meter_id) WHERE meter_type = 'smart';
-- Versions that do not know feed-in list the other contracts.
CREATE INDEX subscriptions_of_type ON subscriptions (organization_id, type, created_at DESC, id DESC);
CREATE INDEX subscriptions_searched ON subscriptions
  USING gin (
    organization_id extensions.text_ops, customer_id extensions.gin_trgm_ops, household_id extensions.gin_trgm_ops,
    plan_id extensions.gin_trgm_ops
  );
CREATE INDEX subscriptions_of_meter ON subscriptions (organization_id, meter_id);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON subscriptions
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

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

GRANT SELECT, INSERT, UPDATE ON meters, subscriptions TO voltstream_app;
GRANT SELECT (organization_id, id, customer_id, household_id, number, type, created_at)
  ON meters TO voltstream_analyst_reader;
CREATE POLICY analysts ON meters FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, id, plan_id, type, customer_id, household_id, meter_id, status, estimated_usage,
              intended_start_on, confirmed_at, start_at, terminated_at, termination_reason, end_at, created_at, meter_type,
              is_tax_exempt, plant_commissioned_on, plant_size_kw)
  ON subscriptions TO voltstream_analyst_reader;
CREATE POLICY analysts ON subscriptions FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT, INSERT ON payment_methods TO voltstream_app;

COMMENT ON TABLE meters IS 'Meters, one per household.';
COMMENT ON COLUMN meters.organization_id IS 'The tenant.';
COMMENT ON COLUMN meters.id IS 'mtr_ and 24 random characters.';
COMMENT ON COLUMN meters.customer_id IS 'Whose household it serves.';
COMMENT ON COLUMN meters.household_id IS 'The household.';
COMMENT ON COLUMN meters.number IS
  'The first one; a later one is in meter_changes. Upper-case, without blanks. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meters.type IS 'The first one, smart or analog; a later one is in meter_states.';
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
COMMENT ON COLUMN payment_methods.mandate_reference IS
  'Names the SEPA mandate in each direct debit, at most 35 characters. Personal; for direct debits; until erased.';
COMMENT ON COLUMN payment_methods.mandate_signed_on IS 'Day on which the mandate was given, Europe/Berlin.';

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
COMMENT ON COLUMN subscriptions.meter_type IS
  'smart or analog, as the sign-up said; smart counts from the start of supply. Null: not kept then.';
COMMENT ON COLUMN subscriptions.is_tax_exempt IS
  'Feed-in only: whether it is paid without value added tax (section 19 UStG).';
COMMENT ON COLUMN subscriptions.plant_commissioned_on IS
  'Feed-in only: first day of operation of the plant, Europe/Berlin; null: not known.';
COMMENT ON COLUMN subscriptions.plant_size_kw IS 'Feed-in only: installed power of the plant in kW; null: not known.';

-- Interested people who have not signed up yet.
CREATE TABLE leads (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^lead_[0-9a-z]{24}$'),
  plan_id text NOT NULL,
  details jsonb NOT NULL CHECK (jsonb_typeof(details) = 'object'),
  created_by text,
  metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
  subscription_id text,
  subscribed_at timestamptz,
  last_visited_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((subscription_id IS NULL) = (subscribed_at IS NULL)),
  FOREIGN KEY (organization_id, plan_id) REFERENCES plans (organization_id, id),
  FOREIGN KEY (organization_id, subscription_id) REFERENCES subscriptions (organization_id, id)
);
CREATE INDEX leads_newest_first ON leads (organization_id, created_at DESC, id DESC);
-- Every hour the leads without a contract that are too old. Those with one stay for ever.
CREATE INDEX leads_without_contract ON leads (organization_id, created_at) WHERE subscription_id IS NULL;

ALTER TABLE leads ENABLE ROW LEVEL SECURITY;
ALTER TABLE leads FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON leads USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON leads TO voltstream_app;

COMMENT ON TABLE leads IS 'People who were offered a plan; removed after 6 months without a contract.';
COMMENT ON COLUMN leads.organization_id IS 'The tenant.';
COMMENT ON COLUMN leads.id IS 'lead_ and 24 random characters.';
COMMENT ON COLUMN leads.plan_id IS 'The plan offered.';
COMMENT ON COLUMN leads.details IS
  'Address, meter, customer, payment and dates as far as known. Personal; to prepare a contract; 6 months.';
COMMENT ON COLUMN leads.created_by IS 'E-mail address of the staff member. Personal; to answer questions; 6 months.';
COMMENT ON COLUMN leads.metadata IS 'The client''s own texts, at most 10 KB.';
COMMENT ON COLUMN leads.subscription_id IS 'The contract it became.';
COMMENT ON COLUMN leads.subscribed_at IS 'Became a contract at.';
COMMENT ON COLUMN leads.last_visited_at IS 'Its link was opened last at.';
COMMENT ON COLUMN leads.created_at IS 'Instant of creation.';

-- What a meter is holds from a day on. The row in meters says what it was at first; each day on which something changed
-- has a row here. A sign-up that says "smart" is no such row: it counts from the start of its supply, which may move or
-- never come, so it stays with its contract. The view meter_states puts the three together.
CREATE TABLE meter_changes (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  meter_id text NOT NULL,
  valid_from date NOT NULL CHECK (isfinite(valid_from)),
  number text CHECK (number = upper(number) AND number ~ '^\S+$'),
  register integer CHECK (register > 1),
  type text CHECK (type IN ('smart', 'analog')),
  metering_operator text CHECK (metering_operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, meter_id, valid_from),
  UNIQUE (organization_id, meter_id, register),
  -- Another device counts from anew.
  CHECK ((number IS NULL) = (register IS NULL)),
  CHECK (num_nonnulls(number, type, metering_operator) > 0),
  FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES meters (organization_id, customer_id, id)
);
-- A sign-up finds the customer's household by the number that its meter has today.
CREATE INDEX meter_changes_of_customer ON meter_changes (organization_id, customer_id, number)
  WHERE number IS NOT NULL;
CREATE INDEX meter_changes_updated ON meter_changes (organization_id, updated_at);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON meter_changes
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE meter_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE meter_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meter_changes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON meter_changes TO voltstream_app;
GRANT SELECT (organization_id, customer_id, meter_id, valid_from, number, register, type, metering_operator)
  ON meter_changes TO voltstream_analyst_reader;
CREATE POLICY analysts ON meter_changes FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE meter_changes IS 'What of a meter is different from a day on; null: stays as it was.';
COMMENT ON COLUMN meter_changes.organization_id IS 'The tenant.';
COMMENT ON COLUMN meter_changes.customer_id IS 'Whose household it serves.';
COMMENT ON COLUMN meter_changes.meter_id IS 'The meter.';
COMMENT ON COLUMN meter_changes.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN meter_changes.number IS
  'Number of the device that was mounted on this day. Upper-case, without blanks. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meter_changes.register IS 'The counter of that device: the meter''s first one is 1.';
COMMENT ON COLUMN meter_changes.type IS 'smart or analog.';
COMMENT ON COLUMN meter_changes.metering_operator IS 'Who operates it, as the metering fees name it.';
COMMENT ON COLUMN meter_changes.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meter_changes.updated_at IS 'Instant of the last change.';
