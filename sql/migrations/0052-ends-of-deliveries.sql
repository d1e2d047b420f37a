-- A delivery is kept for 30 days from its end, not from its beginning: what waited for long could not be sent again when it was
-- given up. Rows of before count from this migration, which rewrites none of them.
ALTER TABLE event_deliveries ADD COLUMN kept_from timestamptz NOT NULL DEFAULT now();
CREATE INDEX event_deliveries_ended ON event_deliveries (organization_id, kept_from) WHERE state <> 'pending';
COMMENT ON COLUMN event_deliveries.created_at IS 'Written at.';
COMMENT ON COLUMN event_deliveries.kept_from IS
  'Delivered, given up or cancelled at: it goes 30 days later. While it is pending: written or last sent at.';
