-- People of an organization who sign in to the console with a mailed code. Operators make them. An address belongs to one
-- organization: at the sign-in it is all that is known.

CREATE TABLE console_users (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  email text NOT NULL,
  email_lower text GENERATED ALWAYS AS (lower(email)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX console_users_email_lower_key ON console_users (email_lower);

CREATE TABLE console_sessions (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  organization_id text NOT NULL,
  user_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (organization_id, user_id) REFERENCES console_users (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX console_sessions_by_expiry ON console_sessions (organization_id, expires_at);
CREATE INDEX console_sessions_of_user ON console_sessions (organization_id, user_id);

ALTER TABLE console_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE console_users FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON console_users USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON console_users FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE console_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE console_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON console_sessions USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON console_sessions FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON console_users, console_sessions TO voltstream_app;
GRANT SELECT (organization_id, id, email, email_lower) ON console_users TO voltstream_system_reader;
GRANT SELECT (organization_id, hash, user_id, expires_at) ON console_sessions TO voltstream_system_reader;

COMMENT ON TABLE console_users IS 'People of an organization who may sign in to its console.';
COMMENT ON COLUMN console_users.organization_id IS 'The tenant.';
COMMENT ON COLUMN console_users.id IS 'Opaque id, usr_.';
COMMENT ON COLUMN console_users.email IS 'Where codes are mailed to; of one organization only.';
COMMENT ON COLUMN console_users.email_lower IS 'In small letters, by which it is found.';
COMMENT ON COLUMN console_users.created_at IS 'Instant of creation.';

COMMENT ON TABLE console_sessions IS 'Sessions of users in the console.';
COMMENT ON COLUMN console_sessions.hash IS 'HMAC-SHA-256 of the cookie, 32 bytes.';
COMMENT ON COLUMN console_sessions.organization_id IS 'The tenant.';
COMMENT ON COLUMN console_sessions.user_id IS 'Who is signed in.';
COMMENT ON COLUMN console_sessions.created_at IS 'Instant of creation.';
COMMENT ON COLUMN console_sessions.expires_at IS '12 hours after creation.';

COMMENT ON COLUMN one_time_codes.request_id IS
  'The sign-in it belongs to: an authorization request (atx_), or one to portal or console (psi_), which is not stored.';
COMMENT ON COLUMN one_time_codes.client_id IS 'The client of its authorization request; null: for portal or console.';
