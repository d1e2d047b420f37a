-- The answers of creating calls that carried an Idempotency-Key, written in the transaction that creates the thing.
CREATE TABLE idempotency_keys (
  organization_id text NOT NULL,
  client_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  body_hash bytea NOT NULL CHECK (octet_length(body_hash) = 32),
  status integer NOT NULL,
  response json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, client_id, route, key),
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (organization_id, created_at);

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON idempotency_keys
  USING (organization_id = (SELECT nullif(current_setting('app.organization', true), '')));

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO voltstream_app;

COMMENT ON TABLE idempotency_keys IS 'First answers of creating calls, repeated for 24 hours.';
COMMENT ON COLUMN idempotency_keys.organization_id IS 'The tenant.';
COMMENT ON COLUMN idempotency_keys.client_id IS 'The client that sent the key.';
COMMENT ON COLUMN idempotency_keys.route IS 'Method and path pattern.';
COMMENT ON COLUMN idempotency_keys.key IS 'The header as sent.';
COMMENT ON COLUMN idempotency_keys.body_hash IS 'SHA-256 of the body: the same key with another body is a conflict.';
COMMENT ON COLUMN idempotency_keys.status IS 'HTTP status of the first answer.';
COMMENT ON COLUMN idempotency_keys.response IS 'Body of the first answer; json keeps its text as it was.';
COMMENT ON COLUMN idempotency_keys.created_at IS 'Instant of the first call; kept for 24 hours.';
