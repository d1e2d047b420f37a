-- What happened, written in the transaction of the change; append-only, ids only.
CREATE TABLE events (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^evt_[0-9a-z]{24}$'),
  topic text NOT NULL CHECK (topic ~ '^[a-z_]+\.[a-z_]+$'),
  timestamp timestamptz NOT NULL,
  context jsonb NOT NULL CHECK (jsonb_typeof(context) = 'object'),
  -- What happened at one instant happened in an order all the same: a sign-up tells of the contract and then of its
  -- orders. Ids are random and cannot say which came first.
  position bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX events_newest_first ON events (organization_id, timestamp DESC, position DESC);
-- GET /events looks a page up for each topic: by time alone, a rare topic is searched among all events.
CREATE INDEX events_of_topic ON events (organization_id, topic, timestamp, position);

ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
-- Events name no customer; nobody who acts for one reads or writes them. Of `(SELECT …) IS NULL` the planner believes that
-- one row in 200 passes it, and for so few rows it reads and sorts all of a topic instead of walking down the index; of a
-- truth value it believes one in two.
CREATE POLICY own_rows ON events USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '') IS NULL)
);

GRANT SELECT, INSERT ON events TO voltstream_app;
-- Events go after 13 months. Nobody changes one before.
GRANT DELETE ON events TO voltstream_app;

COMMENT ON TABLE events IS 'What happened to contracts, orders and invoices; never changed, and removed after 13 months.';
COMMENT ON COLUMN events.organization_id IS 'The tenant.';
COMMENT ON COLUMN events.id IS 'evt_ and 24 random characters.';
COMMENT ON COLUMN events.topic IS 'Noun and what happened.';
COMMENT ON COLUMN events.timestamp IS 'Instant of the change.';
COMMENT ON COLUMN events.context IS 'Ids only.';
COMMENT ON COLUMN events.position IS 'Order of the events of one instant; never shown.';

-- Who hears of events, and which of them each is to hear.
-- Endpoints are updated with each portion that was sent: room in the page keeps the indexes out of it.
CREATE TABLE webhook_endpoints (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^whe_[0-9a-z]{24}$'),
  topics text[],
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- An endpoint has an address and secrets, and its health decides when it is served.
  kind text NOT NULL DEFAULT 'address' CHECK (kind IN ('address', 'listener')),
  url text CHECK (length(url) <= 2048),
  description text NOT NULL DEFAULT '' CHECK (length(description) <= 200),
  contact_email text CHECK (length(contact_email) <= 254),
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('operator', 'gone', 'long_failure')),
  deleted_at timestamptz,
  failing_since timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  first_mail_at timestamptz,
  wait_until timestamptz,
  one_at_a_time boolean NOT NULL DEFAULT false,
  asked_run bigint,
  asked_at timestamptz,
  served_by bigint,
  served_at timestamptz,
  PRIMARY KEY (organization_id, id),
  CHECK ((kind = 'address') = (url IS NOT NULL)),
  CHECK (kind = 'listener' OR secret IS NOT NULL),
  CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CHECK ((asked_run IS NULL) = (asked_at IS NULL)),
  CHECK ((served_by IS NULL) = (served_at IS NULL))
) WITH (fillfactor = 50);

CREATE TABLE event_deliveries (
  organization_id text NOT NULL,
  event_id text NOT NULL,
  endpoint_id text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A delivery has its place in the schedule of waits, and every attempt is logged.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  attempts_in_all integer NOT NULL DEFAULT 0 CHECK (attempts_in_all >= attempts),
  next_at timestamptz DEFAULT now(),
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  last_status smallint,
  last_error text,
  PRIMARY KEY (organization_id, event_id, endpoint_id),
  FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id),
  FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoints (organization_id, id),
  CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL))
);
-- What is due at an endpoint, however much waits there; the log by endpoint and state; and what is old enough to go.
CREATE INDEX event_deliveries_pending ON event_deliveries (organization_id, endpoint_id, next_at) WHERE state = 'pending';
CREATE INDEX event_deliveries_newest_first ON event_deliveries (organization_id, endpoint_id, state, created_at DESC);
CREATE INDEX event_deliveries_age ON event_deliveries (organization_id, created_at);

ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_endpoints USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
-- The sweep and the metrics look across organizations, at instants and states only.
CREATE POLICY across_organizations ON webhook_endpoints FOR SELECT TO voltstream_system_reader USING (true);

ALTER TABLE event_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON event_deliveries USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
CREATE POLICY across_organizations ON event_deliveries FOR SELECT TO voltstream_system_reader USING (true);

GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoints, event_deliveries TO voltstream_app;
GRANT SELECT (organization_id, endpoint_id, state, next_at) ON event_deliveries TO voltstream_system_reader;
GRANT SELECT (organization_id, id, kind, created_at, disabled_at, deleted_at, failing_since, last_failure_at, first_mail_at,
              wait_until, served_at) ON webhook_endpoints TO voltstream_system_reader;

COMMENT ON TABLE webhook_endpoints IS 'Receivers of an organization''s events.';
COMMENT ON COLUMN webhook_endpoints.organization_id IS 'The tenant.';
COMMENT ON COLUMN webhook_endpoints.id IS 'whe_ and 24 random characters.';
COMMENT ON COLUMN webhook_endpoints.topics IS 'What it wants to hear; null: everything.';
COMMENT ON COLUMN webhook_endpoints.disabled_at IS 'From here on nothing is sent to it.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'It hears what happens from here on.';
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

COMMENT ON TABLE event_deliveries IS 'Which endpoint is to hear of which event, and whether it has.';
COMMENT ON COLUMN event_deliveries.organization_id IS 'The tenant.';
COMMENT ON COLUMN event_deliveries.event_id IS 'The event.';
COMMENT ON COLUMN event_deliveries.endpoint_id IS 'The receiver.';
COMMENT ON COLUMN event_deliveries.state IS 'pending, delivered, failed or cancelled.';
COMMENT ON COLUMN event_deliveries.created_at IS 'Written at; what was delivered, failed or cancelled goes 30 days later.';
COMMENT ON COLUMN event_deliveries.attempts IS 'How often it was sent, since it was written or asked for again.';
COMMENT ON COLUMN event_deliveries.attempts_in_all IS 'How often it was sent ever: number of the last row in delivery_attempts.';
COMMENT ON COLUMN event_deliveries.next_at IS 'Not sent before; null where nothing is to be sent any more.';
COMMENT ON COLUMN event_deliveries.last_attempt_at IS 'Sent last at.';
COMMENT ON COLUMN event_deliveries.delivered_at IS 'The request that was answered with 2xx was sent at.';
COMMENT ON COLUMN event_deliveries.last_status IS 'HTTP status of the last answer; null: none came.';
COMMENT ON COLUMN event_deliveries.last_error IS 'Why no answer came: connection, tls, time_out or address.';

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

ALTER TABLE delivery_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON delivery_attempts USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT ON delivery_attempts TO voltstream_app;

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
