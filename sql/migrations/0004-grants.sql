-- A grant is everything that was issued together: one family of refresh tokens and the access tokens that name it.
-- Revoking the row ends them all.
CREATE TABLE grants (
  organization_id text NOT NULL,
  id text NOT NULL UNIQUE CHECK (id ~ '^grt_[0-9a-z]{24}$'),
  client_id text NOT NULL,
  customer_id text,
  kind text NOT NULL CHECK (kind IN ('client_credentials', 'authorization_code')),
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}'),
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  revoked_reason text CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL)),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE INDEX grants_of_client ON grants (organization_id, client_id);
CREATE INDEX grants_by_age ON grants (organization_id, created_at);

-- Consumed by one conditional UPDATE on `used_at`: reading first and writing then lets two redeemers win.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  organization_id text NOT NULL,
  grant_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  FOREIGN KEY (organization_id, grant_id) REFERENCES grants (organization_id, id)
);
CREATE INDEX refresh_tokens_of_grant ON refresh_tokens (organization_id, grant_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (organization_id, expires_at);

ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE grants FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON grants USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);
CREATE POLICY across_organizations ON grants FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE refresh_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE refresh_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON refresh_tokens USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON grants, refresh_tokens TO voltstream_app;
GRANT SELECT ON grants TO voltstream_system_reader;

COMMENT ON TABLE grants IS 'What was issued together and is revoked together.';
COMMENT ON COLUMN grants.organization_id IS 'The tenant.';
COMMENT ON COLUMN grants.id IS 'grt_ and 24 random characters; access tokens carry it.';
COMMENT ON COLUMN grants.client_id IS 'The client it was issued to.';
COMMENT ON COLUMN grants.customer_id IS 'The customer it acts for; null: the whole organization.';
COMMENT ON COLUMN grants.kind IS 'The grant type that began it.';
COMMENT ON COLUMN grants.scopes IS 'What was given; a refresh never widens it.';
COMMENT ON COLUMN grants.created_at IS 'Beginning; refresh tokens end 180 days later at the latest.';
COMMENT ON COLUMN grants.revoked_at IS 'Dead since; access tokens within 5 seconds.';
COMMENT ON COLUMN grants.revoked_reason IS 'Why it was revoked.';

COMMENT ON TABLE refresh_tokens IS 'Refresh tokens, hashed; each use ends one and makes the next.';
COMMENT ON COLUMN refresh_tokens.hash IS 'HMAC-SHA-256 of the token under the pepper, 32 bytes.';
COMMENT ON COLUMN refresh_tokens.organization_id IS 'The tenant.';
COMMENT ON COLUMN refresh_tokens.grant_id IS 'Its family.';
COMMENT ON COLUMN refresh_tokens.created_at IS 'Instant of issue.';
COMMENT ON COLUMN refresh_tokens.expires_at IS '30 days after issue, 180 days after the beginning of the grant at the latest.';
COMMENT ON COLUMN refresh_tokens.used_at IS 'Rotated at; using it again kills the family.';
