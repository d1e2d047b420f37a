-- Events and who was told of them, without their contents and the addresses of receivers. The day is joined, so that a
-- condition on it reaches the index of instants (25-measured.sql).
CREATE VIEW analytics.events AS
SELECT e.organization_id, e.id AS event, e.topic, e.timestamp, d.day AS delivery_day
  FROM public.events AS e
  LEFT JOIN public.delivery_days AS d
    ON d.day = (e.timestamp AT TIME ZONE 'Europe/Berlin')::date AND e.timestamp >= d.starts_at AND e.timestamp < d.ends_at
   AND e.timestamp > d.starts_at - interval '1 second' AND e.timestamp <= d.ends_at;

CREATE VIEW analytics.webhook_endpoints AS
SELECT organization_id, id AS endpoint, kind, topics, created_at, disabled_at, disabled_reason, deleted_at, failing_since,
       last_success_at, last_failure_at
  FROM public.webhook_endpoints;

-- The event by one look into the index for each delivery: joined without LIMIT, the events of 13 months would be read for those of a
-- day. A delivery is never kept longer than its event; without one is that of somebody who is restricted (Art. 18 GDPR).
CREATE VIEW analytics.webhook_deliveries AS
SELECT d.organization_id, d.event_id AS event, e.topic, d.endpoint_id AS endpoint, d.state, d.created_at,
       d.attempts_in_all AS attempts, d.last_attempt_at, d.delivered_at,
       extract(epoch FROM d.delivered_at - d.created_at)::double precision AS took_seconds, d.last_status, d.next_at
  FROM public.event_deliveries AS d
 CROSS JOIN LATERAL (
   SELECT e.topic FROM public.events AS e WHERE e.organization_id = d.organization_id AND e.id = d.event_id LIMIT 1) AS e;

COMMENT ON VIEW analytics.events IS 'Events of the organization, without what they say. Kept for 13 months.';
COMMENT ON COLUMN analytics.events.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.events.event IS 'Id of the event, evt_.';
COMMENT ON COLUMN analytics.events.topic IS 'What happened: subscription.created and so on.';
COMMENT ON COLUMN analytics.events.timestamp IS 'Instant of it.';
COMMENT ON COLUMN analytics.events.delivery_day IS 'Its day, Europe/Berlin.';

COMMENT ON VIEW analytics.webhook_endpoints IS 'Receivers of events, without their addresses.';
COMMENT ON COLUMN analytics.webhook_endpoints.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.webhook_endpoints.endpoint IS 'Id of the receiver, whe_.';
COMMENT ON COLUMN analytics.webhook_endpoints.kind IS 'address: requests go to a URL; listener: a command line takes them.';
COMMENT ON COLUMN analytics.webhook_endpoints.topics IS 'What it wants to hear; null: everything.';
COMMENT ON COLUMN analytics.webhook_endpoints.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analytics.webhook_endpoints.disabled_at IS 'Nothing is sent to it since; null: it is enabled.';
COMMENT ON COLUMN analytics.webhook_endpoints.disabled_reason IS 'operator, gone or long_failure; null: it is enabled.';
COMMENT ON COLUMN analytics.webhook_endpoints.deleted_at IS 'Deleted at; null: it is there.';
COMMENT ON COLUMN analytics.webhook_endpoints.failing_since IS
  'First failed attempt since the last success; null: the last one was a success, or none was made for five days.';
COMMENT ON COLUMN analytics.webhook_endpoints.last_success_at IS 'Last attempt that was answered with 2xx; null: none.';
COMMENT ON COLUMN analytics.webhook_endpoints.last_failure_at IS 'Last attempt that was not; null: none.';

COMMENT ON VIEW analytics.webhook_deliveries IS
  'Deliveries of events to receivers, one row for each event and receiver. Kept for 30 days.';
COMMENT ON COLUMN analytics.webhook_deliveries.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.webhook_deliveries.event IS 'Id of the event, evt_.';
COMMENT ON COLUMN analytics.webhook_deliveries.topic IS 'What happened.';
COMMENT ON COLUMN analytics.webhook_deliveries.endpoint IS 'Id of the receiver, whe_.';
COMMENT ON COLUMN analytics.webhook_deliveries.state IS 'pending, delivered, failed: given up, or cancelled.';
COMMENT ON COLUMN analytics.webhook_deliveries.created_at IS 'Instant from which it was to be delivered.';
COMMENT ON COLUMN analytics.webhook_deliveries.attempts IS 'Number of attempts.';
COMMENT ON COLUMN analytics.webhook_deliveries.last_attempt_at IS 'Instant of the last attempt; null: none.';
COMMENT ON COLUMN analytics.webhook_deliveries.delivered_at IS 'Instant at which it was taken; null: it was not.';
COMMENT ON COLUMN analytics.webhook_deliveries.took_seconds IS 'From creation to delivery in seconds; null: not delivered.';
COMMENT ON COLUMN analytics.webhook_deliveries.last_status IS 'HTTP status of the last answer; null: no answer.';
COMMENT ON COLUMN analytics.webhook_deliveries.next_at IS 'Instant of the next attempt; null: none.';
