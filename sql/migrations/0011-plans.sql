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
CREATE INDEX plans_of_status ON plans (organization_id, status, created_at DESC, id DESC);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON plans
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

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
GRANT SELECT (organization_id, id, slug, name, type, status, created_at) ON plans TO voltstream_analyst_reader;
CREATE POLICY analysts ON plans FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON plan_terms TO voltstream_app;
GRANT SELECT (organization_id, plan_id, valid_from, valid_to, base_fee_net, margin_ct_net, optimization_rate,
              cancellation_months, feed_in_kind, feed_in_scope, feed_in_up_to_kw, feed_in_ct_net, feed_in_margin_ct_net)
  ON plan_terms TO voltstream_analyst_reader;
CREATE POLICY analysts ON plan_terms FOR SELECT TO voltstream_analyst_reader USING (true);

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

-- An import replaces terms of the same first day. What they were is kept: it answers why an earlier price was another.
CREATE TABLE plan_terms_history (
  organization_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  plan_id text NOT NULL,
  valid_from date,
  old_terms jsonb NOT NULL CHECK (jsonb_typeof(old_terms) = 'object'),
  replaced_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, plan_id) REFERENCES plans (organization_id, id)
);
CREATE INDEX plan_terms_history_of_plan ON plan_terms_history (organization_id, plan_id, id);

ALTER TABLE plan_terms_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE plan_terms_history FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON plan_terms_history USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
);

GRANT SELECT, INSERT ON plan_terms_history TO voltstream_app;

COMMENT ON TABLE plan_terms_history IS 'Terms of plans as they were before an import replaced them; append-only.';
COMMENT ON COLUMN plan_terms_history.organization_id IS 'The tenant.';
COMMENT ON COLUMN plan_terms_history.id IS 'Order of the changes.';
COMMENT ON COLUMN plan_terms_history.plan_id IS 'The plan.';
COMMENT ON COLUMN plan_terms_history.valid_from IS 'First day of the terms, Europe/Berlin; null: always.';
COMMENT ON COLUMN plan_terms_history.old_terms IS 'The row of plan_terms as it was.';
COMMENT ON COLUMN plan_terms_history.replaced_at IS 'Instant of the import.';

-- Quotes price energy by the mean of the day-ahead prices of the last twelve months. It is kept by price date, and what it
-- is made of by delivery day, so that a new mean reads 366 short rows and not 35,000 prices.
CREATE TABLE price_day_sums (
  zone text NOT NULL CHECK (zone IN ('DE-LU', 'DE-AT-LU')),
  delivery_on date NOT NULL,
  version integer NOT NULL,
  minutes smallint CHECK (minutes IN (15, 60)),
  quarter_hours integer NOT NULL CHECK (quarter_hours BETWEEN 0 AND 100),
  amount_sum numeric NOT NULL,
  PRIMARY KEY (zone, delivery_on),
  FOREIGN KEY (zone, delivery_on) REFERENCES price_days (zone, delivery_on) ON DELETE CASCADE
);

CREATE TABLE day_ahead_means (
  price_date date PRIMARY KEY,
  window_start timestamptz NOT NULL,
  window_end timestamptz NOT NULL CHECK (window_end > window_start),
  quarter_hours integer NOT NULL CHECK (quarter_hours > 0),
  priced_quarter_hours integer NOT NULL CHECK (priced_quarter_hours BETWEEN 0 AND quarter_hours),
  mean_ct_net numeric CHECK ((mean_ct_net IS NULL) = (priced_quarter_hours = 0)),
  price_changes bigint NOT NULL,
  price_kind text CHECK (price_kind IN ('market', 'local', 'synthetic')),
  sources text[] NOT NULL,
  computed_at timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON price_day_sums, day_ahead_means TO voltstream_app;

COMMENT ON TABLE price_day_sums IS 'Sums of the served prices of delivery days; made again when the version of the day is another one.';
COMMENT ON COLUMN price_day_sums.zone IS 'Bidding zone.';
COMMENT ON COLUMN price_day_sums.delivery_on IS 'Delivery day, Europe/Berlin.';
COMMENT ON COLUMN price_day_sums.version IS 'Version of the day in price_days that the sum is of.';
COMMENT ON COLUMN price_day_sums.minutes IS 'Width of its intervals; null: none has a price.';
COMMENT ON COLUMN price_day_sums.quarter_hours IS 'Quarter hours with a price; an hour counts as four.';
COMMENT ON COLUMN price_day_sums.amount_sum IS 'Sum of EUR/MWh over these quarter hours.';

COMMENT ON TABLE day_ahead_means IS 'Mean of the realized day-ahead prices of the twelve months before a price date.';
COMMENT ON COLUMN day_ahead_means.price_date IS 'Day of the quote, Europe/Berlin.';
COMMENT ON COLUMN day_ahead_means.window_start IS 'Berlin midnight one year before, inclusive.';
COMMENT ON COLUMN day_ahead_means.window_end IS 'Berlin midnight that begins the price date, exclusive.';
COMMENT ON COLUMN day_ahead_means.quarter_hours IS 'Quarter hours of the window.';
COMMENT ON COLUMN day_ahead_means.priced_quarter_hours IS 'Those with a price. Below 90 % the mean is not used.';
COMMENT ON COLUMN day_ahead_means.mean_ct_net IS 'ct/kWh net, 4 decimals; null: no price at all.';
COMMENT ON COLUMN day_ahead_means.price_changes IS 'Sum of the versions of the window''s days: one more with each change of a price in it.';
COMMENT ON COLUMN day_ahead_means.price_kind IS 'As in price_kind: synthetic means invented prices; null: prices came as files only, or none.';
COMMENT ON COLUMN day_ahead_means.sources IS 'Feeds whose prices it was made of.';
COMMENT ON COLUMN day_ahead_means.computed_at IS 'Instant of the computation, by the clock of the database.';
