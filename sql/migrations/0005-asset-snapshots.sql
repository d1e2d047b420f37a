-- Measured values, one row per asset and instant. The one tenant table without its organization: TimescaleDB refuses
-- row-level security together with its columnstore, and chunks would not have it. The barrier is made of rights: the
-- service may INSERT and nothing else, and reads through views and functions that join `assets` under row-level
-- security. Chunks copy the rights of this table.
--
-- No foreign key: it would cost 637 ms instead of 375 on the same load and can deadlock under concurrent COPY
-- (timescale/timescaledb#4800). Writers look assets up before they write, and assets are never deleted.
--
-- No index but the unique one: TimescaleDB's default index on time alone halves the speed of COPY.
CREATE TABLE asset_snapshots (
  asset_id bigint NOT NULL,
  timestamp timestamptz NOT NULL,
  -- The bounds refuse NaN and the infinities too: NaN sorts above everything.
  power_kw double precision CHECK (power_kw > -1e9 AND power_kw < 1e9),
  state_of_charge double precision CHECK (state_of_charge >= 0 AND state_of_charge <= 1),
  vehicle_state_of_charge double precision CHECK (vehicle_state_of_charge >= 0 AND vehicle_state_of_charge <= 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  connected boolean
);
SELECT create_hypertable(
  'asset_snapshots', by_range('timestamp', INTERVAL '7 days'), create_default_indexes => false
);
CREATE UNIQUE INDEX asset_snapshots_asset_id_timestamp_key ON asset_snapshots (asset_id, timestamp);

GRANT INSERT ON asset_snapshots TO voltstream_app;
GRANT SELECT ON asset_snapshots TO voltstream_snapshot_reader;

COMMENT ON TABLE asset_snapshots IS
  'Measured values of assets: a hypertable in chunks of 7 days, unique by asset and instant.';
COMMENT ON COLUMN asset_snapshots.asset_id IS 'Internal key of the asset: assets.key.';
COMMENT ON COLUMN asset_snapshots.timestamp IS 'Instant of the measurement, to the microsecond.';
COMMENT ON COLUMN asset_snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';
COMMENT ON COLUMN asset_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';
COMMENT ON COLUMN asset_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';
COMMENT ON COLUMN asset_snapshots.created_at IS 'Instant of storing.';
COMMENT ON COLUMN asset_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';
