-- Measured values as they were sent. Conditions on asset, household, type and on `timestamp` or `delivery_day` reach an
-- index (25-measured.sql).
CREATE VIEW analytics.snapshots AS
SELECT s.organization_id, s.asset, s.household, s.type, s.timestamp, s.delivery_day,
       s.timestamp AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(s.timestamp) AS utc_offset_hours,
       s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
  FROM measured.snapshots AS s;

-- One probe of the unique index for each asset, backwards from its end.
CREATE VIEW analytics.newest_snapshots AS
SELECT a.organization_id, a.id AS asset, a.household_id AS household, a.type, newest.timestamp,
       newest.timestamp AT TIME ZONE 'Europe/Berlin' AS local_time,
       extract(epoch FROM now() - newest.timestamp)::double precision AS age_seconds,
       newest.power_kw, newest.state_of_charge, newest.connected, newest.vehicle_state_of_charge, newest.created_at
  FROM public.assets AS a
 CROSS JOIN LATERAL (
   SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
     FROM measured.stored_snapshots AS s
    WHERE s.asset_id = a.key
    ORDER BY s.timestamp DESC
    LIMIT 1
 ) AS newest;

COMMENT ON VIEW analytics.snapshots IS
  'Measured values as they were sent, one row per asset and instant. Ask for assets or for a span of timestamp or delivery_day.';
COMMENT ON COLUMN analytics.snapshots.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.snapshots.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.snapshots.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.snapshots.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.snapshots.timestamp IS 'Instant of the measurement, to the microsecond.';
COMMENT ON COLUMN analytics.snapshots.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.snapshots.local_time IS
  'Clock time in Europe/Berlin. In the repeated hour of October two instants have the same one: utc_offset_hours tells them apart.';
COMMENT ON COLUMN analytics.snapshots.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative; household_net: import positive, export negative. Null: not sent.';
COMMENT ON COLUMN analytics.snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.snapshots.connected IS 'Whether a vehicle is connected to the wallbox; null: not sent.';
COMMENT ON COLUMN analytics.snapshots.vehicle_state_of_charge IS
  'State of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.snapshots.created_at IS 'Instant of storing: later than timestamp by the delay of the gateway.';

COMMENT ON VIEW analytics.newest_snapshots IS
  'The newest measured value of each asset of which one is stored (energy_progress.snapshots_kept_since); one look into the index per asset. The last days of those that are silent for longer are in energy_days.';
COMMENT ON COLUMN analytics.newest_snapshots.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.newest_snapshots.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.newest_snapshots.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.newest_snapshots.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.newest_snapshots.timestamp IS 'Instant of the measurement.';
COMMENT ON COLUMN analytics.newest_snapshots.local_time IS 'The same as clock time in Europe/Berlin.';
COMMENT ON COLUMN analytics.newest_snapshots.age_seconds IS 'Age of the measurement in seconds: for gateways that fell silent.';
COMMENT ON COLUMN analytics.newest_snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it, as in snapshots. Null: not sent.';
COMMENT ON COLUMN analytics.newest_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.newest_snapshots.connected IS 'Whether a vehicle is connected to the wallbox; null: not sent.';
COMMENT ON COLUMN analytics.newest_snapshots.vehicle_state_of_charge IS
  'State of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.newest_snapshots.created_at IS 'Instant of storing.';
