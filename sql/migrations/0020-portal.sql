-- Links by which a customer enters the portal, and the sessions behind them. Only hashes are stored.
CREATE TABLE magic_links (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE INDEX magic_links_by_expiry ON magic_links (organization_id, expires_at);

CREATE TABLE portal_sessions (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE INDEX portal_sessions_by_expiry ON portal_sessions (organization_id, expires_at);

ALTER TABLE magic_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE magic_links FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON magic_links USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON magic_links FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE portal_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE portal_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON portal_sessions USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON portal_sessions FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON magic_links, portal_sessions TO voltstream_app;
GRANT SELECT (organization_id, hash) ON magic_links TO voltstream_system_reader;
GRANT SELECT (organization_id, hash, customer_id, expires_at) ON portal_sessions TO voltstream_system_reader;

COMMENT ON TABLE magic_links IS 'Links into the portal, used once.';
COMMENT ON COLUMN magic_links.hash IS 'HMAC-SHA-256 of the link''s secret, 32 bytes.';
COMMENT ON COLUMN magic_links.organization_id IS 'The tenant.';
COMMENT ON COLUMN magic_links.customer_id IS 'Whom it lets in.';
COMMENT ON COLUMN magic_links.created_at IS 'Instant of creation.';
COMMENT ON COLUMN magic_links.expires_at IS '15 minutes after creation.';
COMMENT ON COLUMN magic_links.used_at IS 'Used at; it works once.';

COMMENT ON TABLE portal_sessions IS 'Sessions of customers in the portal.';
COMMENT ON COLUMN portal_sessions.hash IS 'HMAC-SHA-256 of the cookie, 32 bytes.';
COMMENT ON COLUMN portal_sessions.organization_id IS 'The tenant.';
COMMENT ON COLUMN portal_sessions.customer_id IS 'Who is signed in.';
COMMENT ON COLUMN portal_sessions.created_at IS 'Instant of creation.';
COMMENT ON COLUMN portal_sessions.expires_at IS '12 hours after creation.';
