-- An order that waits for a visit without an appointment waits since it came there.
DROP INDEX meter_orders_to_act;
CREATE INDEX meter_orders_to_act ON meter_orders
  (organization_id,
   (CASE WHEN status IN ('installation_scheduled', 'installation_waiting') THEN coalesce(appointment_at, updated_at)
         ELSE updated_at END), id)
  WHERE status IN ('waiting', 'blocked', 'blocked_wim', 'installation_scheduled', 'installation_waiting');

-- A day of a meter may have had a row before its device, or its type, was entered: of each it is kept since when it is known.
ALTER TABLE meter_changes ADD COLUMN device_entered_at timestamptz;
UPDATE meter_changes SET device_entered_at = created_at WHERE register IS NOT NULL;
COMMENT ON COLUMN meter_changes.device_entered_at IS 'When the device was entered; null: none was mounted on this day.';

-- What the back office says of the type of a meter outweighs a sign-up of before that says "smart". What it said before this
-- was kept does not: bills were made of days on which the sign-up counted beside it.
ALTER TABLE meters ADD COLUMN type_entered_at timestamptz;
COMMENT ON COLUMN meters.type_entered_at IS
  'When the first type was entered last; null: never, or before this was kept.';
ALTER TABLE meter_changes ADD COLUMN type_entered_at timestamptz;
COMMENT ON COLUMN meter_changes.type_entered_at IS
  'When the type was entered last; null: none was, or before this was kept.';
GRANT SELECT (type_entered_at) ON meters TO voltstream_analyst_reader;
GRANT SELECT (type_entered_at) ON meter_changes TO voltstream_analyst_reader;
