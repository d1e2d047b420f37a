-- Customers sign in to the portal with a mailed code too. Such a code belongs to no authorization request; it goes by its own age.

ALTER TABLE one_time_codes
  DROP CONSTRAINT one_time_codes_organization_id_request_id_fkey,
  ADD CONSTRAINT one_time_codes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id);
CREATE INDEX one_time_codes_by_age ON one_time_codes (organization_id, created_at);
COMMENT ON COLUMN one_time_codes.request_id IS
  'The sign-in it belongs to: an authorization request (atx_), or a sign-in to the portal (psi_), which is not stored.';
COMMENT ON COLUMN one_time_codes.client_id IS 'The client of its authorization request; null: for the portal.';
