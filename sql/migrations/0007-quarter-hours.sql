-- Snapshots of one asset in one quarter hour as one row, kept longer than the snapshots themselves: questions about months
-- and years read 96 rows of an asset's day instead of up to 86,400. A job keeps them, on both editions of TimescaleDB; why
-- no continuous aggregate does, and why nothing is computed while it is read: docs/decisions/telemetry.md.
--
-- Like asset_snapshots without its organization and without row-level security: the barrier is made of rights.
CREATE TABLE asset_quarter_hours (
  asset_id bigint NOT NULL,
  start timestamptz NOT NULL,
  samples integer NOT NULL,
  connected_samples integer NOT NULL,
  first_at timestamptz,
  last_at timestamptz,
  first_power_kw double precision,
  last_power_kw double precision,
  power_kw_min double precision,
  power_kw_max double precision,
  covered_seconds double precision NOT NULL,
  consumed_kwh double precision NOT NULL,
  fed_kwh double precision NOT NULL,
  state_of_charge_first double precision,
  state_of_charge_last double precision,
  vehicle_state_of_charge_last double precision
);
SELECT create_hypertable(
  'asset_quarter_hours', by_range('start', INTERVAL '7 days'), create_default_indexes => false
);
CREATE UNIQUE INDEX asset_quarter_hours_asset_id_start_key ON asset_quarter_hours (asset_id, start);
GRANT SELECT ON asset_quarter_hours TO voltstream_analyst_reader, voltstream_snapshot_reader;

COMMENT ON TABLE asset_quarter_hours IS
  'Sums of snapshots: one row per asset and quarter hour in which a power value was sent or still held. A hypertable in chunks of 7 days, kept by the job sum-quarter-hours: final before quarter_hour_progress.summed_until, some minutes old after it.';
COMMENT ON COLUMN asset_quarter_hours.asset_id IS
  'Internal key of the asset: assets.key. Personal: shows who is at home. Kept for QUARTER_HOUR_RETENTION_MONTHS, 3 years.';
COMMENT ON COLUMN asset_quarter_hours.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN asset_quarter_hours.samples IS
  'Number of power values; 0: none was sent, the last one of the quarter hour before still held.';
COMMENT ON COLUMN asset_quarter_hours.connected_samples IS 'Number of values that say a vehicle is connected.';
COMMENT ON COLUMN asset_quarter_hours.first_at IS 'Instant of the first power value; null: none.';
COMMENT ON COLUMN asset_quarter_hours.last_at IS 'Instant of the last power value; null: none.';
COMMENT ON COLUMN asset_quarter_hours.first_power_kw IS 'First power value in kW; null: none.';
COMMENT ON COLUMN asset_quarter_hours.last_power_kw IS 'Last power value in kW; null: none.';
COMMENT ON COLUMN asset_quarter_hours.power_kw_min IS 'Least power value in kW; null: none.';
COMMENT ON COLUMN asset_quarter_hours.power_kw_max IS 'Greatest power value in kW; null: none.';
COMMENT ON COLUMN asset_quarter_hours.covered_seconds IS
  'For how many of the 900 seconds a power value held: each holds until the next one, at most 15 minutes.';
COMMENT ON COLUMN asset_quarter_hours.consumed_kwh IS 'Energy into the asset while a value held, in kWh: its positive power times its seconds.';
COMMENT ON COLUMN asset_quarter_hours.fed_kwh IS 'Energy out of the asset in kWh, positive.';
COMMENT ON COLUMN asset_quarter_hours.state_of_charge_first IS 'First state of charge of a battery, 0 to 1; null: none.';
COMMENT ON COLUMN asset_quarter_hours.state_of_charge_last IS 'Last state of charge of a battery, 0 to 1; null: none.';
COMMENT ON COLUMN asset_quarter_hours.vehicle_state_of_charge_last IS
  'Last state of charge of the vehicle at a wallbox, 0 to 1; null: none.';

CREATE TABLE quarter_hour_progress (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  summed_until timestamptz NOT NULL DEFAULT '-infinity',
  snapshots_dropped_until timestamptz NOT NULL DEFAULT '-infinity',
  summed_at timestamptz
);
INSERT INTO quarter_hour_progress DEFAULT VALUES;
GRANT SELECT ON quarter_hour_progress TO voltstream_analyst_reader, voltstream_snapshot_reader;

COMMENT ON TABLE quarter_hour_progress IS 'How far the sums by quarter hour have come: one row.';
COMMENT ON COLUMN quarter_hour_progress.only_row IS 'Always true: there is one row.';
COMMENT ON COLUMN quarter_hour_progress.summed_until IS
  'Quarter hours before this instant are final, but for late snapshots; -infinity: the job never ran.';
COMMENT ON COLUMN quarter_hour_progress.snapshots_dropped_until IS
  'Snapshots before this instant were dropped by age: sums of that time are never made anew from what is left.';
COMMENT ON COLUMN quarter_hour_progress.summed_at IS
  'Instant of the clock up to which the sums know what was sent; null: the job never ran.';

-- Quarter hours that got snapshots after they may have been summed. Whoever writes such snapshots appends here in the same
-- transaction. No unique key, so that no two writers ever wait for each other; the job takes equal entries together.
CREATE TABLE late_quarter_hours (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asset_id bigint NOT NULL,
  start timestamptz NOT NULL,
  quarter_hours smallint NOT NULL CHECK (quarter_hours BETWEEN 1 AND 96),
  queued_at timestamptz NOT NULL DEFAULT now()
);
GRANT INSERT (asset_id, start, quarter_hours) ON late_quarter_hours TO voltstream_app;

COMMENT ON TABLE late_quarter_hours IS
  'Quarter hours with late snapshots, which wait to be summed again. Entries go when that is done.';
COMMENT ON COLUMN late_quarter_hours.id IS 'Order of arrival.';
COMMENT ON COLUMN late_quarter_hours.asset_id IS 'Internal key of the asset: assets.key.';
COMMENT ON COLUMN late_quarter_hours.start IS 'Instant at which the first of the quarter hours begins.';
COMMENT ON COLUMN late_quarter_hours.quarter_hours IS 'How many follow each other, at most a day.';
COMMENT ON COLUMN late_quarter_hours.queued_at IS 'Instant of the late snapshots.';

-- As for snapshots: an asset's sums together, and late ones still written into the row store for 30 days.
DO $$
BEGIN
  IF current_setting('timescaledb.license', true) = 'timescale' THEN
    ALTER TABLE asset_quarter_hours SET (
      timescaledb.enable_columnstore,
      timescaledb.segmentby = 'asset_id',
      timescaledb.orderby = 'start'
    );
    CALL add_columnstore_policy('asset_quarter_hours', after => INTERVAL '30 days', if_not_exists => true);
  END IF;
END
$$;
