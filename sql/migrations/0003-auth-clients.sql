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
COMMENT ON COLUMN auth_clients.s256_only IS 'Refuses the plain method of PKCE.';
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
