-- A token that acts for one customer sees that customer's rows only, by row-level security as well. Two tables looked at
-- the organization alone. Events name no customer; nobody who acts for one reads or writes them.
DROP POLICY own_rows ON events;
CREATE POLICY own_rows ON events USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

ALTER TABLE idempotency_keys
  ADD COLUMN customer_id text,
  ADD FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id);
UPDATE idempotency_keys SET customer_id = substring(route FROM ' for (cus_[0-9a-z]{24})$') WHERE route ~ ' for cus_';
COMMENT ON COLUMN idempotency_keys.customer_id IS 'Whom the token acted for; null: for the organization.';
COMMENT ON COLUMN idempotency_keys.route IS 'Method and path, and the customer whom the token acted for.';

DROP POLICY own_rows ON idempotency_keys;
CREATE POLICY own_rows ON idempotency_keys USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

-- A key ends, and loses its private half. Its public half, its id and its begin never change.
REVOKE UPDATE ON signing_keys FROM voltstream_app;
GRANT UPDATE (signs_until, removed_at, private_key_encrypted) ON signing_keys TO voltstream_app;
