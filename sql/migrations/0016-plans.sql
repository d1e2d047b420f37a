-- Plans that an organization sells, and their terms, which change by date: a price change is a new row of terms.
CREATE TABLE plans (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^pln_[0-9a-z]{24}$'),
  slug text NOT NULL CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text NOT NULL CHECK (name <> ''),
  description text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
  type text NOT NULL CHECK (type IN ('consumption', 'feed_in')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, slug),
  -- What a copy of the type is held to.
  UNIQUE (organization_id, id, type)
);
CREATE INDEX plans_newest_first ON plans (organization_id, created_at DESC, id DESC);

CREATE TABLE plan_terms (
  organization_id text NOT NULL,
  plan_id text NOT NULL,
  valid_from date,
  valid_to date CHECK (valid_to > valid_from),
  base_fee_net numeric NOT NULL,
  margin_ct_net numeric NOT NULL DEFAULT 0,
  optimization_rate numeric CHECK (optimization_rate >= 0 AND optimization_rate <= 1),
  sells_module_1 boolean NOT NULL DEFAULT false,
  sells_module_2 boolean NOT NULL DEFAULT false,
  sells_module_3 boolean NOT NULL DEFAULT false CHECK (NOT sells_module_3 OR sells_module_1),
  cancellation_months smallint NOT NULL DEFAULT 1 CHECK (cancellation_months >= 0),
  smart_meter_product text CHECK (
    smart_meter_product IN ('smart-meter-energy-metering', 'smart-meter-partner-b', 'smart-meter-partner-c')
  ),
  discount_name text,
  discount_amount_off numeric CHECK (discount_amount_off > 0),
  discount_duration text CHECK (discount_duration IN ('once', 'recurring')),
  discount_duration_in_months smallint CHECK (discount_duration_in_months > 0),
  feed_in_kind text CHECK (feed_in_kind IN ('eeg', 'direct', 'fixed')),
  feed_in_scope text CHECK (feed_in_scope IN ('partial', 'full')),
  feed_in_up_to_kw smallint CHECK (feed_in_up_to_kw IN (10, 40, 100)),
  feed_in_ct_net numeric,
  feed_in_margin_ct_net numeric,
  UNIQUE NULLS NOT DISTINCT (organization_id, plan_id, valid_from),
  FOREIGN KEY (organization_id, plan_id) REFERENCES plans (organization_id, id)
);

ALTER TABLE plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE plans FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON plans USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
);

ALTER TABLE plan_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE plan_terms FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON plan_terms USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
);

GRANT SELECT, INSERT, UPDATE ON plans TO voltstream_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON plan_terms TO voltstream_app;

COMMENT ON TABLE plans IS 'Tariff plans of an organization.';
COMMENT ON COLUMN plans.organization_id IS 'The tenant.';
COMMENT ON COLUMN plans.id IS 'pln_ and 24 random characters.';
COMMENT ON COLUMN plans.slug IS 'Lower-case letters, digits, hyphens; unique in the organization; part of lead links.';
COMMENT ON COLUMN plans.name IS 'Shown to customers.';
COMMENT ON COLUMN plans.description IS 'Shown to customers; empty when there is none.';
COMMENT ON COLUMN plans.status IS 'active, or archived: no new contracts.';
COMMENT ON COLUMN plans.type IS 'consumption, or feed_in: the customer is paid.';
COMMENT ON COLUMN plans.created_at IS 'Instant of creation.';
COMMENT ON COLUMN plans.updated_at IS 'Instant of the last change.';

COMMENT ON TABLE plan_terms IS 'Terms of plans by date; the row valid on the price date counts.';
COMMENT ON COLUMN plan_terms.organization_id IS 'The tenant.';
COMMENT ON COLUMN plan_terms.plan_id IS 'The plan.';
COMMENT ON COLUMN plan_terms.valid_from IS 'First day, Europe/Berlin; null: always.';
COMMENT ON COLUMN plan_terms.valid_to IS 'First day no longer valid; null: open.';
COMMENT ON COLUMN plan_terms.base_fee_net IS 'EUR per month without VAT.';
COMMENT ON COLUMN plan_terms.margin_ct_net IS 'Procurement margin in ct/kWh without VAT.';
COMMENT ON COLUMN plan_terms.optimization_rate IS
  'Share of the energy price saved by load shifting, 0 to 1; null: none.';
COMMENT ON COLUMN plan_terms.sells_module_1 IS 'Sells the flat grid fee reduction of section 14a EnWG.';
COMMENT ON COLUMN plan_terms.sells_module_2 IS 'Sells the reduction in percent of section 14a EnWG.';
COMMENT ON COLUMN plan_terms.sells_module_3 IS 'Sells the time-variable grid fee of section 14a EnWG.';
COMMENT ON COLUMN plan_terms.cancellation_months IS 'Period of notice in months.';
COMMENT ON COLUMN plan_terms.smart_meter_product IS 'Product with which a smart meter is ordered; null: none is sold.';
COMMENT ON COLUMN plan_terms.discount_name IS 'Name of the discount; null: none.';
COMMENT ON COLUMN plan_terms.discount_amount_off IS 'EUR with VAT.';
COMMENT ON COLUMN plan_terms.discount_duration IS 'once or recurring.';
COMMENT ON COLUMN plan_terms.discount_duration_in_months IS 'Months of a recurring discount.';
COMMENT ON COLUMN plan_terms.feed_in_kind IS 'eeg, direct or fixed; null on consumption plans.';
COMMENT ON COLUMN plan_terms.feed_in_scope IS 'partial or full feed-in.';
COMMENT ON COLUMN plan_terms.feed_in_up_to_kw IS 'Size class of the plant in kW.';
COMMENT ON COLUMN plan_terms.feed_in_ct_net IS 'Fixed rate in ct/kWh without VAT.';
COMMENT ON COLUMN plan_terms.feed_in_margin_ct_net IS 'Service margin of direct marketing in ct/kWh without VAT.';
