-- What analysts read: their accounts, the rights of the role that owns their views, and the days by which they ask.

-- People and programs that sign in to the database itself. Their roles belong to the whole server, so that a name is
-- given once, whatever the organization.
CREATE TABLE analysts (
  organization_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z][a-z0-9_]{0,39}$' AND name <> 'reader'),
  created_at timestamptz NOT NULL DEFAULT now(),
  rotated_at timestamptz,
  PRIMARY KEY (organization_id, name)
);

-- Whoever acts for one customer has no business with the organization's analysts: here `app.customer` hides all.
ALTER TABLE analysts ENABLE ROW LEVEL SECURITY;
ALTER TABLE analysts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON analysts USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT ON analysts TO voltstream_app;

COMMENT ON TABLE analysts IS 'Accounts of the database that read the views of one organization.';
COMMENT ON COLUMN analysts.organization_id IS 'The tenant.';
COMMENT ON COLUMN analysts.name IS 'What the operator called it; the role is voltstream_analyst_ and this name.';
COMMENT ON COLUMN analysts.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analysts.rotated_at IS 'Instant of the last new password; null: the first one is in force.';

-- A day of the market is one of Berlin: 23, 24 or 25 hours. As rows, so that a condition on the day becomes a condition
-- on instants, for which there is an index. Filled by sql/analytics, again after each update: clocks are changed by law.
CREATE TABLE delivery_days (
  day date PRIMARY KEY,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  hours smallint NOT NULL CHECK (hours BETWEEN 23 AND 25)
);
COMMENT ON TABLE delivery_days IS 'Days of Europe/Berlin from 2000 to 2099 with their instants.';
COMMENT ON COLUMN delivery_days.day IS 'The day.';
COMMENT ON COLUMN delivery_days.starts_at IS 'Instant of its midnight.';
COMMENT ON COLUMN delivery_days.ends_at IS 'Instant of the next midnight: no longer part of it.';
COMMENT ON COLUMN delivery_days.hours IS 'Its length in hours: 24; 23 and 25 when the clock is changed.';

-- The views of analysts show rows of all organizations to nobody but the views of one organization, which carry its id as
-- a constant. So the role that owns them sees all rows, and of each table only the columns that a view needs: no name, no
-- address, no account of a person.
DO $$
DECLARE
  needed constant jsonb := '{
    "customers": "organization_id, id, type, created_at",
    "households": "organization_id, id, customer_id, created_at",
    "assets": "organization_id, id, key, household_id, customer_id, type, external_id, manufacturer, model, parent_inverter, max_power_kw, hybrid, peak_power_kw, azimuth, tilt, capacity_kwh, max_charge_power_kw, max_discharge_power_kw, phases, bidirectional, thermal_power_kw, decommissioned_at, created_at",
    "plans": "organization_id, id, slug, name, type, status, created_at",
    "plan_terms": "organization_id, plan_id, valid_from, valid_to, base_fee_net, margin_ct_net, optimization_rate, cancellation_months, feed_in_kind, feed_in_scope, feed_in_up_to_kw, feed_in_ct_net, feed_in_margin_ct_net",
    "meters": "organization_id, id, customer_id, household_id, number, type, created_at",
    "meter_changes": "organization_id, customer_id, meter_id, valid_from, number, register, type, metering_operator",
    "subscriptions": "organization_id, id, plan_id, type, customer_id, household_id, meter_id, status, estimated_usage, intended_start_on, confirmed_at, start_at, terminated_at, termination_reason, end_at, created_at, meter_type, is_tax_exempt, plant_commissioned_on, plant_size_kw",
    "meter_orders": "organization_id, id, customer_id, subscription_id, product, provider, status, details_received_at, appointment_at, installed_at, activated_at, cancelled_at, cancelled_reason, blocked_at, blocked_reason, created_at",
    "grid_fee_reductions": "organization_id, id, customer_id, subscription_id, type, status, valid_from, valid_until, created_at",
    "meter_readings": "organization_id, id, customer_id, subscription_id, meter_id, value, read_on, type, register, created_at",
    "usage_quarter_hours": "organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source",
    "usage_days": "organization_id, customer_id, subscription_id, day, kwh, quarter_hours",
    "settled_usage_months": "organization_id, customer_id, subscription_id, month, settled_at"
  }';
  name text;
  columns text;
BEGIN
  FOR name, columns IN SELECT * FROM jsonb_each_text(needed) LOOP
    EXECUTE format('GRANT SELECT (%s) ON %I TO voltstream_analyst_reader', columns, name);
    EXECUTE format('CREATE POLICY analysts ON %I FOR SELECT TO voltstream_analyst_reader USING (true)', name);
  END LOOP;
END
$$;
GRANT SELECT ON asset_snapshots, delivery_days TO voltstream_analyst_reader;
GRANT SELECT (zone, interval_start, minutes, delivery_on, amount, source) ON spot_prices TO voltstream_analyst_reader;
