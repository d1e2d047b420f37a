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

-- What analysts need: their accounts and the days by which they ask. The rights of the role that owns their views stand with
-- the tables.

-- People and programs that sign in to the database itself. Their roles belong to the whole server, so that a name is
-- given once, whatever the organization.
CREATE TABLE analysts (
  organization_id text NOT NULL REFERENCES organizations (id),
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z][a-z0-9_]{0,39}$' AND name <> 'reader'),
  created_at timestamptz NOT NULL DEFAULT now(),
  rotated_at timestamptz,
  PRIMARY KEY (organization_id, name)
);

-- Whoever acts for one customer has no business with the organization's analysts: here `app.customer` hides all.
ALTER TABLE analysts ENABLE ROW LEVEL SECURITY;
ALTER TABLE analysts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON analysts USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT ON analysts TO voltstream_app;

COMMENT ON TABLE analysts IS 'Accounts of the database that read the views of one organization.';
COMMENT ON COLUMN analysts.organization_id IS 'The tenant.';
COMMENT ON COLUMN analysts.name IS 'What the operator called it; the role is voltstream_analyst_ and this name.';
COMMENT ON COLUMN analysts.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analysts.rotated_at IS 'Instant of the last new password; null: the first one is in force.';

-- A day of the market is one of Berlin: 23, 24 or 25 hours. As rows, so that a condition on the day becomes a condition
-- on instants, for which there is an index. Filled by sql/analytics, again after each update: clocks are changed by law.
CREATE TABLE delivery_days (
  day date PRIMARY KEY,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
  hours smallint NOT NULL CHECK (hours BETWEEN 23 AND 25)
);
GRANT SELECT ON asset_snapshots, delivery_days TO voltstream_analyst_reader;

COMMENT ON TABLE delivery_days IS 'Days of Europe/Berlin from 2000 to 2099 with their instants.';
COMMENT ON COLUMN delivery_days.day IS 'The day.';
COMMENT ON COLUMN delivery_days.starts_at IS 'Instant of its midnight.';
COMMENT ON COLUMN delivery_days.ends_at IS 'Instant of the next midnight: no longer part of it.';
COMMENT ON COLUMN delivery_days.hours IS 'Its length in hours: 24; 23 and 25 when the clock is changed.';
