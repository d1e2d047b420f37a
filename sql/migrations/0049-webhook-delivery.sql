-- Deliveries are sent now: an endpoint has an address and secrets, and its health decides when it is served; a delivery
-- has its place in the schedule of waits, and every attempt is logged. No command made endpoints until now: a row here was
-- written by hand, and has neither address nor secret.
DELETE FROM event_deliveries;
DELETE FROM webhook_endpoints;

ALTER TABLE webhook_endpoints
  ADD COLUMN kind text NOT NULL DEFAULT 'address' CHECK (kind IN ('address', 'listener')),
  ADD COLUMN url text CHECK (length(url) <= 2048),
  ADD COLUMN description text NOT NULL DEFAULT '' CHECK (length(description) <= 200),
  ADD COLUMN contact_email text CHECK (length(contact_email) <= 254),
  ADD COLUMN secret bytea,
  ADD COLUMN previous_secret bytea,
  ADD COLUMN previous_secret_until timestamptz,
  ADD COLUMN disabled_reason text CHECK (disabled_reason IN ('operator', 'gone', 'long_failure')),
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN failing_since timestamptz,
  ADD COLUMN last_success_at timestamptz,
  ADD COLUMN last_failure_at timestamptz,
  ADD COLUMN first_mail_at timestamptz,
  ADD COLUMN wait_until timestamptz,
  ADD COLUMN one_at_a_time boolean NOT NULL DEFAULT false,
  ADD COLUMN asked_run bigint,
  ADD COLUMN asked_at timestamptz,
  ADD COLUMN served_by bigint,
  ADD COLUMN served_at timestamptz,
  ADD CHECK ((kind = 'address') = (url IS NOT NULL)),
  ADD CHECK (kind = 'listener' OR secret IS NOT NULL),
  ADD CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
  ADD CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  ADD CHECK ((asked_run IS NULL) = (asked_at IS NULL)),
  ADD CHECK ((served_by IS NULL) = (served_at IS NULL));

-- Processes of the version before write deliveries without next_at: the sweep finds them.
ALTER TABLE event_deliveries
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN attempts_in_all integer NOT NULL DEFAULT 0 CHECK (attempts_in_all >= attempts),
  ADD COLUMN next_at timestamptz DEFAULT now(),
  ADD COLUMN last_attempt_at timestamptz,
  ADD COLUMN delivered_at timestamptz,
  ADD COLUMN last_status smallint,
  ADD COLUMN last_error text,
  ADD CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  ADD CHECK ((state = 'delivered') = (delivered_at IS NOT NULL));

CREATE TABLE delivery_attempts (
  organization_id text NOT NULL,
  event_id text NOT NULL,
  endpoint_id text NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  at timestamptz NOT NULL,
  status smallint,
  error text CHECK (error IN ('connection', 'tls', 'time_out', 'address')),
  answer text NOT NULL DEFAULT '' CHECK (length(answer) <= 1024),
  milliseconds integer NOT NULL CHECK (milliseconds >= 0),
  PRIMARY KEY (organization_id, event_id, endpoint_id, number),
  FOREIGN KEY (organization_id, event_id, endpoint_id)
    REFERENCES event_deliveries (organization_id, event_id, endpoint_id) ON DELETE CASCADE,
  CHECK ((status IS NULL) = (error IS NOT NULL))
);

-- What is due at an endpoint, however much waits there; the log by endpoint and state; and what is old enough to go.
CREATE INDEX event_deliveries_pending ON event_deliveries (organization_id, endpoint_id, next_at) WHERE state = 'pending';
CREATE INDEX event_deliveries_newest_first ON event_deliveries (organization_id, endpoint_id, state, created_at DESC);
CREATE INDEX event_deliveries_age ON event_deliveries (organization_id, created_at);

-- Endpoints are updated with each portion that was sent: room in the page keeps the indexes out of it.
ALTER TABLE webhook_endpoints SET (fillfactor = 50);

ALTER TABLE delivery_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON delivery_attempts USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT ON delivery_attempts TO voltstream_app;
GRANT DELETE ON webhook_endpoints, event_deliveries TO voltstream_app;

-- The sweep and the metrics look across organizations, at instants and states only.
CREATE POLICY across_organizations ON webhook_endpoints FOR SELECT TO voltstream_system_reader USING (true);
CREATE POLICY across_organizations ON event_deliveries FOR SELECT TO voltstream_system_reader USING (true);
GRANT SELECT (organization_id, id, kind, created_at, disabled_at, deleted_at, failing_since, last_failure_at, first_mail_at,
              wait_until, served_at) ON webhook_endpoints TO voltstream_system_reader;
GRANT SELECT (organization_id, endpoint_id, state, next_at) ON event_deliveries TO voltstream_system_reader;

COMMENT ON COLUMN webhook_endpoints.kind IS 'address: requests go to its url. listener: a developer''s command line takes them.';
COMMENT ON COLUMN webhook_endpoints.url IS 'Where requests go; null for a listener.';
COMMENT ON COLUMN webhook_endpoints.description IS 'For people; shown in lists and mails.';
COMMENT ON COLUMN webhook_endpoints.contact_email IS 'Who is told when it fails or was disabled. Personal; for the operation of the endpoint; as long as the endpoint.';
COMMENT ON COLUMN webhook_endpoints.secret IS 'Signs what is sent; encrypted. Null: a listener that has its own.';
COMMENT ON COLUMN webhook_endpoints.previous_secret IS 'Signs as well until previous_secret_until; encrypted.';
COMMENT ON COLUMN webhook_endpoints.previous_secret_until IS 'End of the overlap of two secrets.';
COMMENT ON COLUMN webhook_endpoints.disabled_reason IS 'operator: by command. gone: it answered 410. long_failure: days without a success.';
COMMENT ON COLUMN webhook_endpoints.deleted_at IS 'From here on it is shown to nobody; its deliveries stay for their time.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'First failed attempt since the last success; null: the last attempt was a success.';
COMMENT ON COLUMN webhook_endpoints.last_success_at IS 'Last attempt that was answered with 2xx.';
COMMENT ON COLUMN webhook_endpoints.last_failure_at IS 'Last attempt that was not.';
COMMENT ON COLUMN webhook_endpoints.first_mail_at IS 'The mail about this failure was asked for at.';
COMMENT ON COLUMN webhook_endpoints.wait_until IS 'It asked to be left alone until then, by Retry-After.';
COMMENT ON COLUMN webhook_endpoints.one_at_a_time IS 'It asked to be left alone and has not answered with 2xx since: one request at a time.';
COMMENT ON COLUMN webhook_endpoints.asked_run IS 'The run that was asked for and has not begun, in job_runs; null: none.';
COMMENT ON COLUMN webhook_endpoints.asked_at IS 'The instant at which that run is due.';
COMMENT ON COLUMN webhook_endpoints.served_by IS 'The run that serves it; null: none.';
COMMENT ON COLUMN webhook_endpoints.served_at IS 'Last sign of life of that run: after a while another one may take over.';
COMMENT ON COLUMN event_deliveries.created_at IS 'Written at; what was delivered, failed or cancelled goes 30 days later.';
COMMENT ON COLUMN event_deliveries.attempts IS 'How often it was sent, since it was written or asked for again.';
COMMENT ON COLUMN event_deliveries.attempts_in_all IS 'How often it was sent ever: number of the last row in delivery_attempts.';
COMMENT ON COLUMN event_deliveries.next_at IS 'Not sent before; null where nothing is to be sent any more.';
COMMENT ON COLUMN event_deliveries.last_attempt_at IS 'Sent last at.';
COMMENT ON COLUMN event_deliveries.delivered_at IS 'The request that was answered with 2xx was sent at.';
COMMENT ON COLUMN event_deliveries.last_status IS 'HTTP status of the last answer; null: none came.';
COMMENT ON COLUMN event_deliveries.last_error IS 'Why no answer came: connection, tls, time_out or address.';
COMMENT ON TABLE delivery_attempts IS 'Every request that was sent to an endpoint, and what came back; goes with its delivery.';
COMMENT ON COLUMN delivery_attempts.organization_id IS 'The tenant.';
COMMENT ON COLUMN delivery_attempts.event_id IS 'The event.';
COMMENT ON COLUMN delivery_attempts.endpoint_id IS 'The receiver.';
COMMENT ON COLUMN delivery_attempts.number IS 'First, second, … of its delivery.';
COMMENT ON COLUMN delivery_attempts.at IS 'Sent at.';
COMMENT ON COLUMN delivery_attempts.status IS 'HTTP status of the answer; null: none came.';
COMMENT ON COLUMN delivery_attempts.error IS 'Why no answer came.';
COMMENT ON COLUMN delivery_attempts.answer IS 'The beginning of the answer as text; empty where none came.';
COMMENT ON COLUMN delivery_attempts.milliseconds IS 'From the dialling to the end of the answer.';
