-- Which months changed after they were frozen: a bill of one of them is looked at again, and nobody has to compare the
-- quarter hours of all bills for that.
ALTER TABLE settled_usage_months ADD COLUMN changed_at timestamptz;
GRANT UPDATE (changed_at) ON settled_usage_months TO voltstream_app;
COMMENT ON COLUMN settled_usage_months.changed_at IS
  'Instant of the last import, or of days that were frozen later, by which its values are others; null: as first frozen.';
CREATE INDEX settled_usage_months_changed ON settled_usage_months (organization_id, changed_at)
  WHERE changed_at IS NOT NULL;
CREATE INDEX meter_changes_updated ON meter_changes (organization_id, updated_at);
CREATE INDEX subscriptions_of_meter ON subscriptions (organization_id, meter_id);
