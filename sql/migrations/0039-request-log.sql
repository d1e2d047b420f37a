-- What an organization's programs asked for and how it ended, for its console: each request for 30 days, and sums by minute of the last day and by day for ever.

CREATE TABLE request_log (
  organization_id text NOT NULL REFERENCES organizations (id),
  id bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL,
  request_id text NOT NULL,
  client_id text NOT NULL,
  route text NOT NULL,
  version text NOT NULL,
  status smallint NOT NULL,
  rows_stored integer,
  milliseconds integer NOT NULL,
  problems jsonb,
  PRIMARY KEY (organization_id, created_at, id)
);
CREATE INDEX request_log_of_request ON request_log (organization_id, request_id);
CREATE INDEX request_log_refused ON request_log (organization_id, created_at, id) WHERE status >= 400;

CREATE TABLE request_days (
  organization_id text NOT NULL REFERENCES organizations (id),
  day date NOT NULL,
  requests bigint NOT NULL,
  refused bigint NOT NULL,
  rows_stored bigint NOT NULL,
  PRIMARY KEY (organization_id, day)
);

CREATE TABLE request_minutes (
  organization_id text NOT NULL REFERENCES organizations (id),
  minute timestamptz NOT NULL,
  requests bigint NOT NULL,
  rows_stored bigint NOT NULL,
  PRIMARY KEY (organization_id, minute)
);

ALTER TABLE request_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_log FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON request_log USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

ALTER TABLE request_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_days FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON request_days USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

ALTER TABLE request_minutes ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_minutes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON request_minutes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON request_log, request_days, request_minutes TO voltstream_app;

COMMENT ON TABLE request_log IS 'Requests of an organization''s clients, for its console. Written behind the answers, in groups.';
COMMENT ON COLUMN request_log.organization_id IS 'The tenant.';
COMMENT ON COLUMN request_log.id IS 'Tells requests of the same instant apart.';
COMMENT ON COLUMN request_log.created_at IS 'Instant of the answer.';
COMMENT ON COLUMN request_log.request_id IS 'The requestId of the answer.';
COMMENT ON COLUMN request_log.client_id IS 'The client whose token it was, oac_.';
COMMENT ON COLUMN request_log.route IS 'The pattern of the route, without the ids of its path.';
COMMENT ON COLUMN request_log.version IS 'The version of the interface that was spoken.';
COMMENT ON COLUMN request_log.status IS 'HTTP status of the answer.';
COMMENT ON COLUMN request_log.rows_stored IS 'Number of rows that were newly stored; null: the route stores none.';
COMMENT ON COLUMN request_log.milliseconds IS 'Time to answer, in milliseconds.';
COMMENT ON COLUMN request_log.problems IS 'The first problems of a refusal, at most three: code and field, no value; null: none.';

COMMENT ON TABLE request_days IS 'Requests of an organization by day, also of those that the log has no row of.';
COMMENT ON COLUMN request_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN request_days.day IS 'The day of the calendar in Berlin.';
COMMENT ON COLUMN request_days.requests IS 'Number of requests with a valid token.';
COMMENT ON COLUMN request_days.refused IS 'Number of those that were answered with 400 or more.';
COMMENT ON COLUMN request_days.rows_stored IS 'Number of rows that were newly stored.';

COMMENT ON TABLE request_minutes IS 'Requests of an organization by minute, for the rate of the last minutes. Kept for a day.';
COMMENT ON COLUMN request_minutes.organization_id IS 'The tenant.';
COMMENT ON COLUMN request_minutes.minute IS 'Start of the minute of the answer; of the hour where the database was away.';
COMMENT ON COLUMN request_minutes.requests IS 'Number of requests with a valid token.';
COMMENT ON COLUMN request_minutes.rows_stored IS 'Number of rows that were newly stored.';
