-- API processes believe a token for minutes, and ask every two seconds, together with the assets (0004-assets.sql), what
-- ended meanwhile: a grant, a client, an organization or the token alone. A client whose rate changed counts as well. Rows
-- that are new end nothing; of the others few ever change like this, so the indexes stay small.
ALTER TABLE grants ADD COLUMN IF NOT EXISTS changed_in xid8;
ALTER TABLE auth_clients ADD COLUMN IF NOT EXISTS changed_in xid8;
ALTER TABLE organizations ADD COLUMN IF NOT EXISTS changed_in xid8;
ALTER TABLE revoked_tokens ADD COLUMN IF NOT EXISTS changed_in xid8;
CREATE INDEX IF NOT EXISTS grants_changed ON grants (changed_in) WHERE changed_in IS NOT NULL;
CREATE INDEX IF NOT EXISTS auth_clients_changed ON auth_clients (changed_in) WHERE changed_in IS NOT NULL;
CREATE INDEX IF NOT EXISTS organizations_changed ON organizations (changed_in) WHERE changed_in IS NOT NULL;
CREATE INDEX IF NOT EXISTS revoked_tokens_changed ON revoked_tokens (changed_in) WHERE changed_in IS NOT NULL;

CREATE OR REPLACE TRIGGER note_transaction BEFORE UPDATE OF revoked_at ON grants
  FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE OR REPLACE TRIGGER note_transaction BEFORE UPDATE OF disabled_at, rate_per_second, rate_burst ON auth_clients
  FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE OR REPLACE TRIGGER note_transaction BEFORE UPDATE OF standing ON organizations
  FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE OR REPLACE TRIGGER note_transaction BEFORE INSERT ON revoked_tokens
  FOR EACH ROW EXECUTE FUNCTION note_transaction();

COMMENT ON COLUMN grants.changed_in IS 'The transaction that ended it; never shown. Processes that believe its tokens ask by it.';
COMMENT ON COLUMN auth_clients.changed_in IS
  'The transaction that last switched it off or on, or changed its rate; never shown. Processes that believe its tokens ask by it.';
COMMENT ON COLUMN organizations.changed_in IS
  'The transaction that last changed its standing; never shown. Processes that believe tokens of it ask by it.';
COMMENT ON COLUMN revoked_tokens.changed_in IS
  'The transaction that revoked it; never shown. Processes that believe it ask by this.';
