-- Who may call the API. A client is looked up before its organization is known, so its id is unique by itself.
CREATE TABLE auth_clients (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL UNIQUE CHECK (id ~ '^oac_[0-9a-z]{24}$'),
  display_name text NOT NULL CHECK (display_name <> ''),
  redirect_uris text[] NOT NULL DEFAULT '{}',
  redirect_rule text NOT NULL DEFAULT 'origin' CHECK (redirect_rule IN ('origin', 'exact')),
  role text NOT NULL DEFAULT 'organization' CHECK (role IN ('organization', 'customer')),
  customer_id text CHECK ((role = 'customer') = (customer_id IS NOT NULL)),
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}'),
  grants text[] NOT NULL,
  public boolean NOT NULL DEFAULT false,
  third_party boolean NOT NULL DEFAULT false,
  s256_only boolean NOT NULL DEFAULT false,
  version text NOT NULL,
  rate_per_second integer NOT NULL DEFAULT 50 CHECK (rate_per_second > 0),
  rate_burst integer NOT NULL DEFAULT 100 CHECK (rate_burst > 0),
  disabled_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON auth_clients
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

-- Several at once, so that a secret can be exchanged without a gap.
CREATE TABLE client_secrets (
  organization_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  client_id text NOT NULL,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id)
);
CREATE INDEX client_secrets_of_client ON client_secrets (organization_id, client_id);

-- Whoever acts for one customer has no business with the organization's clients: here `app.customer` hides all.
ALTER TABLE auth_clients ENABLE ROW LEVEL SECURITY;
ALTER TABLE auth_clients FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON auth_clients USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON auth_clients FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE client_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE client_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON client_secrets USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE ON auth_clients, client_secrets TO voltstream_app;
GRANT SELECT ON auth_clients TO voltstream_system_reader;

COMMENT ON TABLE auth_clients IS 'OAuth clients: programs that may ask for tokens.';
COMMENT ON COLUMN auth_clients.organization_id IS 'The tenant.';
COMMENT ON COLUMN auth_clients.id IS 'The client_id: oac_ and 24 random characters.';
COMMENT ON COLUMN auth_clients.display_name IS 'Shown to operators and on consent screens.';
COMMENT ON COLUMN auth_clients.redirect_uris IS 'Registered addresses for the authorization code flow.';
COMMENT ON COLUMN auth_clients.redirect_rule IS 'origin: any path below a registered origin; exact: the text itself.';
COMMENT ON COLUMN auth_clients.role IS 'organization, or customer: then it acts for one customer.';
COMMENT ON COLUMN auth_clients.customer_id IS 'The customer that a client of role customer acts for.';
COMMENT ON COLUMN auth_clients.scopes IS 'read:* and write:*: what its tokens may do.';
COMMENT ON COLUMN auth_clients.grants IS 'Grant types it may use.';
COMMENT ON COLUMN auth_clients.public IS 'Has no secret (an app on a device).';
COMMENT ON COLUMN auth_clients.third_party IS 'Belongs to somebody else: the customer is asked for consent.';
COMMENT ON COLUMN auth_clients.s256_only IS 'Demands PKCE with the method S256.';
COMMENT ON COLUMN auth_clients.version IS 'Dated version of the interface that its tokens are pinned to.';
COMMENT ON COLUMN auth_clients.rate_per_second IS 'Requests per second that the bucket refills by.';
COMMENT ON COLUMN auth_clients.rate_burst IS 'Requests that the full bucket holds.';
COMMENT ON COLUMN auth_clients.disabled_at IS 'Switched off since; its tokens die within 5 seconds.';
COMMENT ON COLUMN auth_clients.last_used_at IS 'Last token or call, exact to about a minute.';
COMMENT ON COLUMN auth_clients.created_at IS 'Instant of creation.';
COMMENT ON COLUMN auth_clients.updated_at IS 'Instant of the last change.';

COMMENT ON TABLE client_secrets IS 'Secrets of clients, hashed; several may be valid at once.';
COMMENT ON COLUMN client_secrets.organization_id IS 'The tenant.';
COMMENT ON COLUMN client_secrets.id IS 'Names the secret towards operators.';
COMMENT ON COLUMN client_secrets.client_id IS 'Whose secret it is.';
COMMENT ON COLUMN client_secrets.secret_hash IS 'HMAC-SHA-256 of the secret under the pepper, 32 bytes.';
COMMENT ON COLUMN client_secrets.created_at IS 'Instant of creation.';
COMMENT ON COLUMN client_secrets.expires_at IS 'End of the overlap after an exchange; null: no end.';
COMMENT ON COLUMN client_secrets.revoked_at IS 'Refused since.';

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
CREATE INDEX grants_by_age ON grants (organization_id, created_at);
-- What the operator lists of a client, or of a customer: the newest first. A client has one grant for each token it got.
CREATE INDEX grants_of_client_newest ON grants (organization_id, client_id, created_at DESC, id DESC);
CREATE INDEX grants_of_customer ON grants (organization_id, customer_id, created_at DESC, id DESC)
  WHERE customer_id IS NOT NULL;

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

-- Keys of access tokens: they belong to the service, not to an organization.
CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_key_encrypted bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  signs_from timestamptz NOT NULL,
  signs_until timestamptz CHECK (signs_until > signs_from),
  removed_at timestamptz
);

GRANT SELECT, INSERT ON signing_keys TO voltstream_app;
-- A key ends, and loses its private half. Its public half, its id and its begin never change.
GRANT UPDATE (signs_until, removed_at, private_key_encrypted) ON signing_keys TO voltstream_app;

COMMENT ON TABLE signing_keys IS 'Key pairs that sign access tokens.';
COMMENT ON COLUMN signing_keys.kid IS 'Thumbprint of the public key (RFC 7638).';
COMMENT ON COLUMN signing_keys.public_jwk IS 'The public key as published.';
COMMENT ON COLUMN signing_keys.private_key_encrypted IS 'The private key under the key of the configuration.';
COMMENT ON COLUMN signing_keys.created_at IS 'Instant of creation; published from here on.';
COMMENT ON COLUMN signing_keys.signs_from IS 'Signs from here on; later than creation, so that clients have fetched it.';
COMMENT ON COLUMN signing_keys.signs_until IS 'Signs until here; null: not yet replaced.';
COMMENT ON COLUMN signing_keys.removed_at IS 'No longer published since.';

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
  -- What the client asked for goes along from the authorize call to the grant. Null: all scopes of the client.
  scopes text[]
    CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}'),
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
  -- Codes are guessed, and asked for by strangers. Who asked (as a hash of the network) and for what is kept with the
  -- code, so that strangers are counted apart from the customer.
  client_id text,
  network_hash bytea CHECK (octet_length(network_hash) = 32),
  signs_up boolean NOT NULL DEFAULT false,
  is_long boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, request_id) REFERENCES authorization_requests (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX one_time_codes_of_address ON one_time_codes (organization_id, address_hash, created_at);
CREATE INDEX one_time_codes_of_request ON one_time_codes (organization_id, request_id, id);
CREATE INDEX one_time_codes_of_network ON one_time_codes (organization_id, network_hash, created_at) WHERE signs_up;
CREATE INDEX one_time_codes_of_client ON one_time_codes (organization_id, client_id, created_at) WHERE signs_up;

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
  scopes text[]
    CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}'),
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
COMMENT ON COLUMN authorization_requests.scopes IS 'What the client asked for; null: all that it has.';

COMMENT ON TABLE one_time_codes IS 'Codes sent by e-mail, hashed: six digits, or ten letters and digits; 10 minutes, 5 attempts; for 2 hours.';
COMMENT ON COLUMN one_time_codes.organization_id IS 'The tenant.';
COMMENT ON COLUMN one_time_codes.id IS 'Order of making: only the newest of a request counts.';
COMMENT ON COLUMN one_time_codes.request_id IS 'The authorization request it belongs to.';
COMMENT ON COLUMN one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, to count codes by address.';
COMMENT ON COLUMN one_time_codes.code_hash IS 'HMAC-SHA-256 of request and code under the pepper.';
COMMENT ON COLUMN one_time_codes.attempts IS 'Guesses so far, by the browser that asked for it.';
COMMENT ON COLUMN one_time_codes.created_at IS 'Instant of making.';
COMMENT ON COLUMN one_time_codes.expires_at IS '10 minutes later.';
COMMENT ON COLUMN one_time_codes.used_at IS 'Typed in correctly at.';
COMMENT ON COLUMN one_time_codes.client_id IS 'The client of its request.';
COMMENT ON COLUMN one_time_codes.network_hash IS 'HMAC-SHA-256 of the network of the browser that asked for it.';
COMMENT ON COLUMN one_time_codes.signs_up IS 'Asked for by somebody who signs up: mailed to any address.';
COMMENT ON COLUMN one_time_codes.is_long IS 'Has ten letters and digits in place of six digits.';

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
COMMENT ON COLUMN authorization_codes.scopes IS 'What the customer allowed; null: all that the client has.';

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

-- Wrong codes are kept by account: after ten within 24 hours its codes are longer for a day.
CREATE TABLE wrong_one_time_codes (
  organization_id text NOT NULL REFERENCES organizations (id),
  id bigint GENERATED ALWAYS AS IDENTITY,
  address_hash bytea NOT NULL CHECK (octet_length(address_hash) = 32),
  lengthens boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX wrong_one_time_codes_of_address ON wrong_one_time_codes (organization_id, address_hash, created_at);
CREATE INDEX wrong_one_time_codes_lengthening ON wrong_one_time_codes (organization_id, address_hash, created_at)
  WHERE lengthens;
CREATE INDEX wrong_one_time_codes_by_age ON wrong_one_time_codes (organization_id, created_at);

ALTER TABLE wrong_one_time_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE wrong_one_time_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON wrong_one_time_codes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, DELETE ON wrong_one_time_codes TO voltstream_app;

COMMENT ON TABLE wrong_one_time_codes IS 'Wrong one-time codes that were typed in, one row each; for 24 hours.';
COMMENT ON COLUMN wrong_one_time_codes.organization_id IS 'The tenant.';
COMMENT ON COLUMN wrong_one_time_codes.id IS 'Order of typing.';
COMMENT ON COLUMN wrong_one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, as in one_time_codes.';
COMMENT ON COLUMN wrong_one_time_codes.lengthens IS 'The tenth within 24 hours, or one after it: further codes are long for 24 hours.';
COMMENT ON COLUMN wrong_one_time_codes.created_at IS 'Instant of typing.';
