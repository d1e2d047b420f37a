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

GRANT SELECT, INSERT, UPDATE ON signing_keys TO voltstream_app;

COMMENT ON TABLE signing_keys IS 'Key pairs that sign access tokens.';
COMMENT ON COLUMN signing_keys.kid IS 'Thumbprint of the public key (RFC 7638).';
COMMENT ON COLUMN signing_keys.public_jwk IS 'The public key as published.';
COMMENT ON COLUMN signing_keys.private_key_encrypted IS 'The private key under the key of the configuration.';
COMMENT ON COLUMN signing_keys.created_at IS 'Instant of creation; published from here on.';
COMMENT ON COLUMN signing_keys.signs_from IS 'Signs from here on; later than creation, so that clients have fetched it.';
COMMENT ON COLUMN signing_keys.signs_until IS 'Signs until here; null: not yet replaced.';
COMMENT ON COLUMN signing_keys.removed_at IS 'No longer published since.';
