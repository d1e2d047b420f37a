-- The tenants. The one table whose own id is the tenant: its policy compares `id`.
CREATE TABLE organizations (
  id text PRIMARY KEY CHECK (id ~ '^org_[0-9a-z]{24}$'),
  name text NOT NULL CHECK (name <> ''),
  standing text NOT NULL DEFAULT 'in_order'
    CHECK (standing IN ('in_order', 'past_due', 'suspended', 'deleted')),
  forecast_enabled boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The subselect is evaluated once per statement, not per row. Without a setting, or with the empty text that a
-- setting leaves behind on its connection, the comparison is with null: no row.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_organization ON organizations
  USING (id = (SELECT nullif(current_setting('app.organization', true), '')));
CREATE POLICY across_organizations ON organizations FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE ON organizations TO voltstream_app;
GRANT SELECT ON organizations TO voltstream_system_reader;

COMMENT ON TABLE organizations IS 'Tenants: every row of every other tenant table belongs to exactly one of them.';
COMMENT ON COLUMN organizations.id IS 'org_ and 24 random characters.';
COMMENT ON COLUMN organizations.name IS 'Name for operators; shown by no API call.';
COMMENT ON COLUMN organizations.standing IS
  'in_order; past_due answers 402; suspended and deleted make every token invalid within 5 seconds.';
COMMENT ON COLUMN organizations.forecast_enabled IS 'Whether forecast prices are shown to it.';
COMMENT ON COLUMN organizations.created_at IS 'Instant of creation.';
COMMENT ON COLUMN organizations.updated_at IS 'Instant of the last change.';
