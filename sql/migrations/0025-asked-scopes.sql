-- A client may ask for some of its scopes. What it asked for goes along from the authorize call to the grant. Null in rows
-- that were written before: all scopes of the client.
ALTER TABLE authorization_requests ADD COLUMN scopes text[]
  CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}');
ALTER TABLE authorization_codes ADD COLUMN scopes text[]
  CHECK (scopes <@ ARRAY['read:*', 'write:*']) CHECK (scopes <> '{}');

COMMENT ON COLUMN authorization_requests.scopes IS 'What the client asked for; null: all that it has.';
COMMENT ON COLUMN authorization_codes.scopes IS 'What the customer allowed; null: all that the client has.';
