-- Who hears of an event is decided when it happens: topics that are taken out, an endpoint that is switched off or made before the
-- fan-out come too late for it.
ALTER TABLE events ADD COLUMN heard_by text[];
COMMENT ON COLUMN events.heard_by IS
  'The endpoints that were on and wanted its topic when it happened; null: written by a version before, which did not say it.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'When it was asked for; it hears what happens once it is stored.';
