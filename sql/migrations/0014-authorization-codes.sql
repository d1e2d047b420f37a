-- Acting for a customer: what a browser was sent here to ask for, the codes that prove an e-mail address, and the
-- codes that a client exchanges for tokens.
CREATE TABLE authorization_requests (
  organization_id text NOT NULL,
  id text NOT NULL UNIQUE CHECK (id ~ '^atx_[0-9a-z]{24}$'),
  client_id text NOT NULL,
  redirect_uri text NOT NULL,
  state bytea,
  code_challenge text,
  flow text NOT NULL CHECK (flow IN ('consent', 'login', 'signup')),
  browser_hash bytea CHECK (octet_length(browser_hash) = 32),
  email text,
  sign_up json,
  customer_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE INDEX authorization_requests_by_age ON authorization_requests (organization_id, created_at);
CREATE INDEX authorization_requests_of_challenge ON authorization_requests (organization_id, client_id, code_challenge)
  WHERE code_challenge IS NOT NULL;

-- A row for unknown addresses too, with a code that nobody was sent: neither answers nor limits tell who is a customer.
CREATE TABLE one_time_codes (
  organization_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  request_id text NOT NULL,
  address_hash bytea NOT NULL CHECK (octet_length(address_hash) = 32),
  code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, request_id) REFERENCES authorization_requests (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX one_time_codes_of_address ON one_time_codes (organization_id, address_hash, created_at);
CREATE INDEX one_time_codes_of_request ON one_time_codes (organization_id, request_id, id);

-- Consumed by one conditional UPDATE on `used_at`, like refresh tokens. A used row stays as long as its grant, so that a
-- second use is known for what it is.
CREATE TABLE authorization_codes (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  organization_id text NOT NULL,
  request_id text NOT NULL,
  client_id text NOT NULL,
  customer_id text NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text,
  grant_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id),
  FOREIGN KEY (organization_id, grant_id) REFERENCES grants (organization_id, id) ON DELETE CASCADE
);
-- One code for each request; the request itself is gone after 2 hours.
CREATE UNIQUE INDEX authorization_codes_of_request ON authorization_codes (organization_id, request_id);
CREATE INDEX authorization_codes_of_grant ON authorization_codes (organization_id, grant_id);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (organization_id, expires_at);

-- Whoever acts for one customer has no business here: `app.customer` hides all.
ALTER TABLE authorization_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE authorization_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON authorization_requests USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON authorization_requests FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE one_time_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE one_time_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON one_time_codes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

ALTER TABLE authorization_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE authorization_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON authorization_codes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON authorization_codes TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON authorization_requests, one_time_codes, authorization_codes TO voltstream_app;
GRANT SELECT (organization_id, id) ON authorization_requests TO voltstream_system_reader;
GRANT SELECT (organization_id, hash, used_at), UPDATE (used_at) ON authorization_codes TO voltstream_system_reader;

COMMENT ON TABLE authorization_requests IS 'Calls of the authorize endpoint, from the redirect to the sign-in until the answer; for 2 hours.';
COMMENT ON COLUMN authorization_requests.organization_id IS 'The tenant.';
COMMENT ON COLUMN authorization_requests.id IS 'atx_ and 24 random characters; in the address of every screen.';
COMMENT ON COLUMN authorization_requests.client_id IS 'The client that asks.';
COMMENT ON COLUMN authorization_requests.redirect_uri IS 'Where the answer goes, as it was sent.';
COMMENT ON COLUMN authorization_requests.state IS 'The client''s own text, byte by byte; goes back unchanged.';
COMMENT ON COLUMN authorization_requests.code_challenge IS 'base64url of the SHA-256 of the expected verifier; null: none was sent.';
COMMENT ON COLUMN authorization_requests.flow IS 'consent: sign in and consent; login: consent for third parties only; signup: may create a customer.';
COMMENT ON COLUMN authorization_requests.browser_hash IS 'HMAC-SHA-256 of the cookie of the browser that opened the first screen.';
COMMENT ON COLUMN authorization_requests.email IS 'Address that was typed in. Personal; to send the code and to show where it went; until the answer, 2 hours at most.';
COMMENT ON COLUMN authorization_requests.sign_up IS 'Names of a customer to be created. Personal; for the supply contract; until the answer, 2 hours at most.';
COMMENT ON COLUMN authorization_requests.customer_id IS 'The customer who signed in; null before.';
COMMENT ON COLUMN authorization_requests.created_at IS 'Instant of the call.';
COMMENT ON COLUMN authorization_requests.expires_at IS '15 minutes later.';
COMMENT ON COLUMN authorization_requests.ended_at IS 'Answered at: allowed, denied or failed.';

COMMENT ON TABLE one_time_codes IS 'Six-digit codes sent by e-mail, hashed; 10 minutes, 5 attempts; for 2 hours.';
COMMENT ON COLUMN one_time_codes.organization_id IS 'The tenant.';
COMMENT ON COLUMN one_time_codes.id IS 'Order of making: only the newest of a request counts.';
COMMENT ON COLUMN one_time_codes.request_id IS 'The authorization request it belongs to.';
COMMENT ON COLUMN one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, to count codes by address.';
COMMENT ON COLUMN one_time_codes.code_hash IS 'HMAC-SHA-256 of request and code under the pepper.';
COMMENT ON COLUMN one_time_codes.attempts IS 'Guesses so far.';
COMMENT ON COLUMN one_time_codes.created_at IS 'Instant of making.';
COMMENT ON COLUMN one_time_codes.expires_at IS '10 minutes later.';
COMMENT ON COLUMN one_time_codes.used_at IS 'Typed in correctly at.';

COMMENT ON TABLE authorization_codes IS 'Authorization codes, hashed; single use, 10 minutes.';
COMMENT ON COLUMN authorization_codes.hash IS 'HMAC-SHA-256 of the code under the pepper, 32 bytes.';
COMMENT ON COLUMN authorization_codes.organization_id IS 'The tenant.';
COMMENT ON COLUMN authorization_codes.request_id IS 'The authorization request that it answers.';
COMMENT ON COLUMN authorization_codes.client_id IS 'The client it was issued to.';
COMMENT ON COLUMN authorization_codes.customer_id IS 'The customer who allowed it.';
COMMENT ON COLUMN authorization_codes.redirect_uri IS 'The token request must name exactly this text.';
COMMENT ON COLUMN authorization_codes.code_challenge IS 'As in the request; null: no verifier may be presented.';
COMMENT ON COLUMN authorization_codes.grant_id IS 'What was issued for it: revoked when the code comes back.';
COMMENT ON COLUMN authorization_codes.created_at IS 'Instant of the consent.';
COMMENT ON COLUMN authorization_codes.expires_at IS '10 minutes later.';
COMMENT ON COLUMN authorization_codes.used_at IS 'Presented at, successfully or not.';
