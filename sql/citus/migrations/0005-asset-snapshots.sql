-- Measured values, one row per asset and instant: on Citus distributed over the nodes by asset, and on each node in partitions
-- of a week. Rows, columns and rules are those of sql/migrations/0005-asset-snapshots.sql, and so is the barrier: the service
-- may INSERT and nothing else, and reads through functions that look at `assets` under row-level security. That table stays
-- on the coordinator, where all but measured values and their sums is.
--
-- No foreign key: a table that is distributed can have none to a table that is not. A primary key and not a unique index
-- alone, because shards are moved under load by logical replication, which needs to know the rows.
DO $$
BEGIN
  -- Keys of a household's assets lie in one of 1,024 pieces of the range of hashes: so they share a shard.
  IF current_setting('citus.shard_count', true)::integer NOT IN (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) THEN
    RAISE EXCEPTION 'citus.shard_count is %: a power of two up to 1024 is needed', current_setting('citus.shard_count');
  END IF;
END
$$;

CREATE TABLE asset_snapshots (
  asset_id bigint NOT NULL,
  timestamp timestamptz NOT NULL,
  -- The bounds refuse NaN and the infinities too: NaN sorts above everything.
  power_kw double precision CHECK (power_kw > -1e9 AND power_kw < 1e9),
  state_of_charge double precision CHECK (state_of_charge >= 0 AND state_of_charge <= 1),
  vehicle_state_of_charge double precision CHECK (vehicle_state_of_charge >= 0 AND vehicle_state_of_charge <= 1),
  created_at timestamptz NOT NULL DEFAULT now(),
  connected boolean,
  PRIMARY KEY (asset_id, timestamp)
) PARTITION BY RANGE (timestamp);

-- Where there is no partition of the week. By the index what is too old is found there.
CREATE TABLE asset_snapshots_other PARTITION OF asset_snapshots DEFAULT;
CREATE INDEX asset_snapshots_other_timestamp ON asset_snapshots_other (timestamp);

GRANT INSERT ON asset_snapshots TO voltstream_app;
GRANT SELECT ON asset_snapshots TO voltstream_snapshot_reader;

SET LOCAL citus.enable_ddl_propagation = on;
SET LOCAL citus.multi_shard_modify_mode = sequential;
SELECT create_distributed_table('asset_snapshots', 'asset_id');

COMMENT ON TABLE asset_snapshots IS
  'Measured values of assets: distributed by asset, in partitions of 7 days, unique by asset and instant.';
COMMENT ON TABLE asset_snapshots_other IS 'Measured values of weeks that have no partition of their own.';
COMMENT ON COLUMN asset_snapshots.asset_id IS 'Internal key of the asset: assets.key.';
COMMENT ON COLUMN asset_snapshots.timestamp IS 'Instant of the measurement, to the microsecond.';
COMMENT ON COLUMN asset_snapshots.power_kw IS
  'Power in kW: positive into the asset, negative out of it. Charging and consumption are positive, generation and discharging negative.';
COMMENT ON COLUMN asset_snapshots.state_of_charge IS 'State of charge of a battery, 0 to 1.';
COMMENT ON COLUMN asset_snapshots.vehicle_state_of_charge IS 'State of charge of the vehicle at a wallbox, 0 to 1.';
COMMENT ON COLUMN asset_snapshots.created_at IS 'Instant of storing.';
COMMENT ON COLUMN asset_snapshots.connected IS 'Whether a vehicle is connected to the wallbox.';
