-- What a meter is holds from a day on. The row in meters says what it was at first; each day on which something changed
-- has a row here. A sign-up that says "smart" is no such row: it counts from the start of its supply, which may move or
-- never come, so it stays with its contract. The view meter_states puts the three together.
CREATE TABLE meter_changes (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  meter_id text NOT NULL,
  valid_from date NOT NULL CHECK (isfinite(valid_from)),
  number text CHECK (number = upper(number) AND number ~ '^\S+$'),
  register integer CHECK (register > 1),
  type text CHECK (type IN ('smart', 'analog')),
  metering_operator text CHECK (metering_operator ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, meter_id, valid_from),
  UNIQUE (organization_id, meter_id, register),
  -- Another device counts from anew.
  CHECK ((number IS NULL) = (register IS NULL)),
  CHECK (num_nonnulls(number, type, metering_operator) > 0),
  FOREIGN KEY (organization_id, customer_id, meter_id) REFERENCES meters (organization_id, customer_id, id)
);
-- A sign-up finds the customer's household by the number that its meter has today.
CREATE INDEX meter_changes_of_customer ON meter_changes (organization_id, customer_id, number)
  WHERE number IS NOT NULL;

ALTER TABLE meter_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE meter_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON meter_changes USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON meter_changes TO voltstream_app;

ALTER TABLE subscriptions ADD COLUMN meter_type text CHECK (meter_type IN ('smart', 'analog'));
CREATE INDEX subscriptions_with_smart_meter ON subscriptions (organization_id, meter_id) WHERE meter_type = 'smart';

-- Of an exchange day there are two readings: the closing one of the old device, the opening one of the new device. A new
-- device may begin at 0.
ALTER TABLE meter_readings ADD COLUMN register integer NOT NULL DEFAULT 1 CHECK (register > 0);
ALTER TABLE meter_readings DROP CONSTRAINT meter_readings_value_check;
ALTER TABLE meter_readings ADD CONSTRAINT meter_readings_value_check CHECK (value >= 0 AND value < 'Infinity');
DROP INDEX meter_readings_one_a_day;
CREATE UNIQUE INDEX meter_readings_one_a_day ON meter_readings (organization_id, meter_id, register, read_on)
  WHERE type <> 'grid_estimation';

COMMENT ON COLUMN meters.number IS
  'The first one; a later one is in meter_changes. Upper-case, without blanks. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meters.type IS 'The first one, smart or analog; a later one is in meter_states.';

COMMENT ON TABLE meter_changes IS 'What of a meter is different from a day on; null: stays as it was.';
COMMENT ON COLUMN meter_changes.organization_id IS 'The tenant.';
COMMENT ON COLUMN meter_changes.customer_id IS 'Whose household it serves.';
COMMENT ON COLUMN meter_changes.meter_id IS 'The meter.';
COMMENT ON COLUMN meter_changes.valid_from IS 'First day, Europe/Berlin.';
COMMENT ON COLUMN meter_changes.number IS
  'Number of the device that was mounted on this day. Upper-case, without blanks. Personal; for the supply contract; until erased.';
COMMENT ON COLUMN meter_changes.register IS 'The counter of that device: the meter''s first one is 1.';
COMMENT ON COLUMN meter_changes.type IS 'smart or analog.';
COMMENT ON COLUMN meter_changes.metering_operator IS 'Who operates it, as the metering fees name it.';
COMMENT ON COLUMN meter_changes.created_at IS 'Instant of creation.';
COMMENT ON COLUMN meter_changes.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN subscriptions.meter_type IS
  'smart or analog, as the sign-up said; smart counts from the start of supply. Null: not kept then.';
COMMENT ON COLUMN meter_readings.register IS
  'The counter that was read: only readings of one counter are compared. 1: the meter''s first one.';
