-- What customers of an organization see it as: name, colour and logo on its portal, its sign-in, its mails and its bills.

CREATE TABLE organization_brands (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  name text NOT NULL CHECK (name <> '' AND length(name) <= 100),
  color text CHECK (color ~ '^#[0-9a-f]{6}$'),
  logo bytea CHECK (octet_length(logo) BETWEEN 1 AND 49152),
  logo_width smallint CHECK (logo_width BETWEEN 1 AND 1000),
  logo_height smallint CHECK (logo_height BETWEEN 1 AND 400),
  version text NOT NULL CHECK (version ~ '^[0-9a-f]{16}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((logo IS NULL) = (logo_width IS NULL) AND (logo IS NULL) = (logo_height IS NULL))
);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON organization_brands
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE organization_brands ENABLE ROW LEVEL SECURITY;
ALTER TABLE organization_brands FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON organization_brands USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON organization_brands TO voltstream_app;

COMMENT ON TABLE organization_brands IS 'What customers see an organization as; none has the look of the service.';
COMMENT ON COLUMN organization_brands.organization_id IS 'The tenant.';
COMMENT ON COLUMN organization_brands.name IS 'Name that its customers know.';
COMMENT ON COLUMN organization_brands.color IS 'Of links and buttons, six digits; null: the colour of the service.';
COMMENT ON COLUMN organization_brands.logo IS 'PNG of at most 48 kB, written anew from what was given; null: none.';
COMMENT ON COLUMN organization_brands.logo_width IS 'Pixels.';
COMMENT ON COLUMN organization_brands.logo_height IS 'Pixels.';
COMMENT ON COLUMN organization_brands.version IS 'Another one for every other colour and logo: part of the names of its files.';
COMMENT ON COLUMN organization_brands.created_at IS 'Instant of creation.';
COMMENT ON COLUMN organization_brands.updated_at IS 'Instant of the last change.';
