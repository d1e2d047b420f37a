-- Who did what. The service may add rows and nothing else: it cannot read, change or remove them. A daily hash over
-- the rows of a day and the hash of the day before makes later changes visible; its head is also logged outside.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  organization_id text,
  client_id text,
  grant_id text,
  staff text,
  act text NOT NULL,
  object_id text,
  route text,
  reason text,
  result text NOT NULL,
  request_id uuid,
  address text,
  before jsonb,
  after jsonb
);
CREATE INDEX audit_log_by_time ON audit_log (at);
CREATE INDEX audit_log_of_organization ON audit_log (organization_id, at);

-- No foreign keys: rows outlive what they speak of. Null is what belongs to no organization, such as a refused
-- request of an unknown client, and can be written only while no organization is set.
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON audit_log
  USING (organization_id = (SELECT nullif(current_setting('app.organization', true), '')))
  WITH CHECK (organization_id IS NOT DISTINCT FROM (SELECT nullif(current_setting('app.organization', true), '')));
CREATE POLICY across_organizations ON audit_log FOR SELECT TO voltstream_system_reader USING (true);

CREATE TABLE audit_seals (
  day date PRIMARY KEY,
  rows bigint NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  previous_hash bytea CHECK (octet_length(previous_hash) = 32),
  sealed_at timestamptz NOT NULL DEFAULT now()
);

GRANT INSERT ON audit_log TO voltstream_app;
GRANT SELECT ON audit_log TO voltstream_system_reader;
GRANT SELECT ON audit_seals TO voltstream_app;
GRANT SELECT, INSERT ON audit_seals TO voltstream_system_reader;

COMMENT ON TABLE audit_log IS 'Writes, reads of personal data, tokens and acts of staff; ids only, kept for 24 months.';
COMMENT ON COLUMN audit_log.id IS 'Order of writing.';
COMMENT ON COLUMN audit_log.at IS 'Instant of the transaction it was written in.';
COMMENT ON COLUMN audit_log.organization_id IS 'The tenant; null: none.';
COMMENT ON COLUMN audit_log.client_id IS 'The acting client.';
COMMENT ON COLUMN audit_log.grant_id IS 'The grant of its token.';
COMMENT ON COLUMN audit_log.staff IS 'The acting member of staff, on the command line.';
COMMENT ON COLUMN audit_log.act IS 'What was done: noun and verb.';
COMMENT ON COLUMN audit_log.object_id IS 'Id of what it was done to.';
COMMENT ON COLUMN audit_log.route IS 'Method and path pattern, or the command.';
COMMENT ON COLUMN audit_log.reason IS 'The reason that staff gave.';
COMMENT ON COLUMN audit_log.result IS 'How it ended.';
COMMENT ON COLUMN audit_log.request_id IS 'Id of the request, as in the answer.';
COMMENT ON COLUMN audit_log.address IS 'Shortened network address of the caller.';
COMMENT ON COLUMN audit_log.before IS 'Security settings before the change.';
COMMENT ON COLUMN audit_log.after IS 'Security settings after the change.';

COMMENT ON TABLE audit_seals IS 'Hash chain over the days of audit_log.';
COMMENT ON COLUMN audit_seals.day IS 'The day in UTC.';
COMMENT ON COLUMN audit_seals.rows IS 'Number of its rows.';
COMMENT ON COLUMN audit_seals.hash IS 'SHA-256 over the previous hash and the hashes of the rows.';
COMMENT ON COLUMN audit_seals.previous_hash IS 'Hash of the seal before; null on the first.';
COMMENT ON COLUMN audit_seals.sealed_at IS 'Instant of sealing.';
