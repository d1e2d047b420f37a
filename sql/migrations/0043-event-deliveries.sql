-- Who hears of events, and which of them each is to hear. Address and secret come with the sending.
CREATE TABLE webhook_endpoints (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^whe_[0-9a-z]{24}$'),
  topics text[],
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE TABLE event_deliveries (
  organization_id text NOT NULL,
  event_id text NOT NULL,
  endpoint_id text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, event_id, endpoint_id),
  FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id),
  FOREIGN KEY (organization_id, endpoint_id) REFERENCES webhook_endpoints (organization_id, id)
);

ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_endpoints USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
ALTER TABLE event_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON event_deliveries USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, UPDATE ON webhook_endpoints, event_deliveries TO voltstream_app;

COMMENT ON TABLE webhook_endpoints IS 'Receivers of an organization''s events.';
COMMENT ON COLUMN webhook_endpoints.organization_id IS 'The tenant.';
COMMENT ON COLUMN webhook_endpoints.id IS 'whe_ and 24 random characters.';
COMMENT ON COLUMN webhook_endpoints.topics IS 'What it wants to hear; null: everything.';
COMMENT ON COLUMN webhook_endpoints.disabled_at IS 'From here on nothing is sent to it.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'It hears what happens from here on.';
COMMENT ON TABLE event_deliveries IS 'Which endpoint is to hear of which event, and whether it has.';
COMMENT ON COLUMN event_deliveries.organization_id IS 'The tenant.';
COMMENT ON COLUMN event_deliveries.event_id IS 'The event.';
COMMENT ON COLUMN event_deliveries.endpoint_id IS 'The receiver.';
COMMENT ON COLUMN event_deliveries.state IS 'pending, delivered, failed or cancelled.';
COMMENT ON COLUMN event_deliveries.created_at IS 'Written at.';
