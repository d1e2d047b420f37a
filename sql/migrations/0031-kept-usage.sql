-- Final values of usage: each with its source, each replaced one in a history, and sums of days, so that a long period
-- costs its days and not its quarter hours.
ALTER TABLE usage_quarter_hours RENAME COLUMN imported_at TO kept_at;
ALTER TABLE usage_quarter_hours
  ADD COLUMN source text NOT NULL DEFAULT 'metering_operator'
    CHECK (source IN ('own_measurement', 'metering_operator'));
ALTER TABLE usage_quarter_hours ALTER COLUMN source DROP DEFAULT;
COMMENT ON COLUMN usage_quarter_hours.kept_at IS 'Instant at which this value came in or was frozen.';
COMMENT ON COLUMN usage_quarter_hours.source IS
  'own_measurement: from snapshots, frozen when the month was settled; metering_operator: imported.';
COMMENT ON TABLE usage_quarter_hours IS 'Final energy per quarter hour of smart meters.';

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

CREATE TABLE settled_usage_months (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  month date NOT NULL CHECK (extract(day FROM month) = 1),
  settled_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, subscription_id, month),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id)
);

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

-- The owner is bound by row-level security, too, and this migration belongs to no organization.
ALTER TABLE usage_quarter_hours NO FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_log NO FORCE ROW LEVEL SECURITY;

-- The job that froze values until now wrote one line of the audit log for each contract and month, in the same minute.
UPDATE usage_quarter_hours AS kept
   SET source = 'own_measurement'
  FROM audit_log AS act
 WHERE act.act = 'usage.settle'
   AND act.organization_id = kept.organization_id
   AND act.object_id = kept.subscription_id
   AND act.at BETWEEN kept.kept_at - INTERVAL '10 minutes' AND kept.kept_at + INTERVAL '10 minutes';

-- Days of Berlin by the rule of summer time: a server without time zone data can run this, too.
INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
SELECT organization_id, customer_id, subscription_id, day, sum(kwh), count(*)
  FROM usage_quarter_hours,
       LATERAL (SELECT interval_start AT TIME ZONE 'UTC' AS utc) AS instant,
       LATERAL (SELECT make_date(extract(year FROM utc)::int, 3, 31) AS march,
                       make_date(extract(year FROM utc)::int, 10, 31) AS october) AS last,
       LATERAL (SELECT march - extract(dow FROM march)::int + TIME '01:00' AS begins,
                       october - extract(dow FROM october)::int + TIME '01:00' AS ends) AS summer,
       LATERAL (SELECT (utc + CASE WHEN utc >= begins AND utc < ends THEN INTERVAL '2 hours'
                                   ELSE INTERVAL '1 hour' END)::date AS day) AS local
 GROUP BY organization_id, customer_id, subscription_id, day;

ALTER TABLE usage_quarter_hours FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;

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
GRANT SELECT, INSERT ON settled_usage_months, replaced_usage TO voltstream_app;

COMMENT ON TABLE usage_days IS 'Sums of the final quarter hours of each day, written with them.';
COMMENT ON COLUMN usage_days.day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN usage_days.kwh IS 'Energy in kWh of the quarter hours that are known. Personal; for billing; 3 years.';
COMMENT ON COLUMN usage_days.quarter_hours IS 'How many quarter hours are known.';

COMMENT ON TABLE settled_usage_months IS
  'Months of which the own measurements are frozen: snapshots that come later change nothing.';
COMMENT ON COLUMN settled_usage_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN settled_usage_months.settled_at IS 'Instant at which the values were written.';

COMMENT ON TABLE replaced_usage IS 'Final values that an import of the metering operator replaced; append-only.';
COMMENT ON COLUMN replaced_usage.id IS 'Counts the replaced values.';
COMMENT ON COLUMN replaced_usage.interval_start IS 'UTC start of the quarter hour.';
COMMENT ON COLUMN replaced_usage.kwh IS 'The old value in kWh. Personal; for billing; 3 years.';
COMMENT ON COLUMN replaced_usage.source IS 'Where the old value was from: own_measurement or metering_operator.';
COMMENT ON COLUMN replaced_usage.kept_at IS 'Instant at which the old value came in or was frozen.';
COMMENT ON COLUMN replaced_usage.replaced_at IS 'Instant of the import that replaced it.';
