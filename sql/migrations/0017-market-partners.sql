-- Suppliers of the market, shared by all organizations: public facts of the BDEW register, no tenant.
CREATE TABLE market_partners (
  id text PRIMARY KEY CHECK (id ~ '^mp_[0-9a-z]{24}$'),
  code text NOT NULL UNIQUE CHECK (code ~ '^[0-9]{13}$'),
  name text NOT NULL CHECK (name <> ''),
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX market_partners_newest_first ON market_partners (created_at DESC, id DESC);

GRANT SELECT, INSERT, UPDATE ON market_partners TO voltstream_app;

COMMENT ON TABLE market_partners IS 'Suppliers that a customer may come from.';
COMMENT ON COLUMN market_partners.id IS 'mp_ and 24 random characters.';
COMMENT ON COLUMN market_partners.code IS 'BDEW code, 13 digits.';
COMMENT ON COLUMN market_partners.name IS 'Name of the company.';
COMMENT ON COLUMN market_partners.country IS 'ISO 3166-1, two letters.';
COMMENT ON COLUMN market_partners.created_at IS 'Instant of creation.';
COMMENT ON COLUMN market_partners.updated_at IS 'Instant of the last change.';
