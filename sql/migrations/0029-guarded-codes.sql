-- One-time codes are guessed, and asked for by strangers. Who asked (as a hash of the network) and for what is kept with
-- the code, so that strangers are counted apart from the customer. Wrong codes are kept by account: after ten within 24
-- hours its codes are longer for a day.
ALTER TABLE one_time_codes
  ADD COLUMN client_id text,
  ADD COLUMN network_hash bytea CHECK (octet_length(network_hash) = 32),
  ADD COLUMN signs_up boolean NOT NULL DEFAULT false,
  ADD COLUMN is_long boolean NOT NULL DEFAULT false;
CREATE INDEX one_time_codes_of_network ON one_time_codes (organization_id, network_hash, created_at) WHERE signs_up;
CREATE INDEX one_time_codes_of_client ON one_time_codes (organization_id, client_id, created_at) WHERE signs_up;

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

COMMENT ON TABLE one_time_codes IS 'Codes sent by e-mail, hashed: six digits, or ten letters and digits; 10 minutes, 5 attempts; for 2 hours.';
COMMENT ON COLUMN one_time_codes.attempts IS 'Guesses so far, by the browser that asked for it.';
COMMENT ON COLUMN one_time_codes.client_id IS 'The client of its request.';
COMMENT ON COLUMN one_time_codes.network_hash IS 'HMAC-SHA-256 of the network of the browser that asked for it.';
COMMENT ON COLUMN one_time_codes.signs_up IS 'Asked for by somebody who signs up: mailed to any address.';
COMMENT ON COLUMN one_time_codes.is_long IS 'Has ten letters and digits in place of six digits.';
COMMENT ON TABLE wrong_one_time_codes IS 'Wrong one-time codes that were typed in, one row each; for 24 hours.';
COMMENT ON COLUMN wrong_one_time_codes.organization_id IS 'The tenant.';
COMMENT ON COLUMN wrong_one_time_codes.id IS 'Order of typing.';
COMMENT ON COLUMN wrong_one_time_codes.address_hash IS 'HMAC-SHA-256 of the address, as in one_time_codes.';
COMMENT ON COLUMN wrong_one_time_codes.lengthens IS 'The tenth within 24 hours, or one after it: further codes are long for 24 hours.';
COMMENT ON COLUMN wrong_one_time_codes.created_at IS 'Instant of typing.';
COMMENT ON COLUMN auth_clients.s256_only IS 'Demands PKCE with the method S256.';
