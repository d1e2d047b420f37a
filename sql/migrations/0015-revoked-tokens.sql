-- Single access tokens that their client gave back before their time. What was issued together is revoked through
-- `grants`; this is for one token whose refresh token lives on.
CREATE TABLE revoked_tokens (
  organization_id text NOT NULL,
  jti text NOT NULL CHECK (char_length(jti) BETWEEN 1 AND 255),
  client_id text NOT NULL,
  revoked_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, jti),
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id)
);
CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (organization_id, expires_at);

ALTER TABLE revoked_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE revoked_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON revoked_tokens USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON revoked_tokens FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON revoked_tokens TO voltstream_app;
GRANT SELECT ON revoked_tokens TO voltstream_system_reader;

COMMENT ON TABLE revoked_tokens IS 'Access tokens that were revoked one by one, until they would have expired.';
COMMENT ON COLUMN revoked_tokens.organization_id IS 'The tenant.';
COMMENT ON COLUMN revoked_tokens.jti IS 'The id that the token carries.';
COMMENT ON COLUMN revoked_tokens.client_id IS 'The client it was issued to, which revoked it.';
COMMENT ON COLUMN revoked_tokens.revoked_at IS 'Refused since, within 5 seconds.';
COMMENT ON COLUMN revoked_tokens.expires_at IS 'End of the token; the row may go after it.';
