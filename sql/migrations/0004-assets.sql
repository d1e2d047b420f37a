-- Devices of households, and the two computed assets that each household has.
-- `key` is what the hypertable's index begins with: 8 bytes instead of 28, and it belongs to one organization for ever.
CREATE TABLE assets (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^ast_[0-9a-z]{24}$'),
  -- A key that is given stays: rows that are copied from another database keep theirs, and the snapshots theirs.
  key bigint NOT NULL DEFAULT 0 UNIQUE,
  household_id text NOT NULL,
  customer_id text NOT NULL,
  type text NOT NULL CHECK (type IN (
    'inverter', 'solar', 'battery', 'wallbox', 'heat_pump', 'household_net', 'household_residual'
  )),
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  display_name text,
  manufacturer text,
  model text,
  parent_inverter text,
  max_power_kw double precision,
  hybrid boolean,
  peak_power_kw double precision,
  azimuth double precision,
  tilt double precision,
  capacity_kwh double precision,
  max_charge_power_kw double precision,
  max_discharge_power_kw double precision,
  phases integer,
  bidirectional boolean,
  thermal_power_kw double precision,
  decommissioned_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- API processes keep the assets of households in memory for minutes, and ask every two seconds which of them changed.
  -- They ask by transaction: an instant is written before its COMMIT, so whoever asks by time has to overlap, and a
  -- statement that does not set it is never found. A transaction is seen by a snapshot or it is not, whoever wrote and by
  -- whatever clock. Null: not changed since this column is there.
  changed_in xid8,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, household_id, id),
  -- Rows are never deleted, so an external id is never free again, also not after the asset's end.
  CONSTRAINT assets_organization_id_external_id_key UNIQUE (organization_id, external_id),
  FOREIGN KEY (organization_id, household_id, customer_id) REFERENCES households (organization_id, id, customer_id),
  FOREIGN KEY (organization_id, household_id, parent_inverter) REFERENCES assets (organization_id, household_id, id),
  CONSTRAINT assets_parent_by_type CHECK (
    CASE type WHEN 'solar' THEN parent_inverter IS NOT NULL WHEN 'battery' THEN true ELSE parent_inverter IS NULL END
  ),
  CONSTRAINT assets_household_assets CHECK (
    type NOT IN ('household_net', 'household_residual')
    OR (external_id IS NULL AND manufacturer IS NULL AND model IS NULL AND decommissioned_at IS NULL)
  ),
  -- Each type has its own data and none of another's. Less than infinity refuses NaN too, which sorts above it.
  CONSTRAINT assets_max_power_kw CHECK (
    (max_power_kw IS NOT NULL) = (type IN ('inverter', 'wallbox', 'heat_pump'))
    AND max_power_kw > 0 AND max_power_kw < 'infinity'
  ),
  CONSTRAINT assets_inverter CHECK ((hybrid IS NOT NULL) = (type = 'inverter')),
  CONSTRAINT assets_solar CHECK (
    (peak_power_kw IS NOT NULL) = (type = 'solar') AND peak_power_kw > 0 AND peak_power_kw < 'infinity'
  ),
  CONSTRAINT assets_orientation CHECK (
    (type = 'solar' OR (azimuth IS NULL AND tilt IS NULL)) AND azimuth BETWEEN 0 AND 360 AND tilt BETWEEN 0 AND 90
  ),
  CONSTRAINT assets_battery CHECK (
    (capacity_kwh IS NOT NULL) = (type = 'battery')
    AND (max_charge_power_kw IS NOT NULL) = (type = 'battery')
    AND (max_discharge_power_kw IS NOT NULL) = (type = 'battery')
    AND capacity_kwh > 0 AND capacity_kwh < 'infinity'
    AND max_charge_power_kw > 0 AND max_charge_power_kw < 'infinity'
    AND max_discharge_power_kw > 0 AND max_discharge_power_kw < 'infinity'
  ),
  CONSTRAINT assets_wallbox CHECK (
    (bidirectional IS NOT NULL) = (type = 'wallbox') AND (type = 'wallbox' OR phases IS NULL) AND phases IN (1, 3)
  ),
  CONSTRAINT assets_heat_pump CHECK (
    (type = 'heat_pump' OR thermal_power_kw IS NULL) AND thermal_power_kw > 0 AND thermal_power_kw < 'infinity'
  )
);
CREATE UNIQUE INDEX assets_one_of_each_household_asset ON assets (organization_id, household_id, type)
  WHERE type IN ('household_net', 'household_residual');
CREATE INDEX assets_newest_first ON assets (organization_id, created_at DESC, id DESC);
CREATE INDEX assets_of_household ON assets (organization_id, household_id, created_at DESC, id DESC);
CREATE INDEX assets_of_parent ON assets (organization_id, parent_inverter, created_at DESC, id DESC)
  WHERE parent_inverter IS NOT NULL;
-- What a customer may see of an organization with many assets.
CREATE INDEX assets_of_customer ON assets (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX assets_changed ON assets (changed_in) WHERE changed_in IS NOT NULL;
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON assets
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE assets ENABLE ROW LEVEL SECURITY;
ALTER TABLE assets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON assets USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON assets TO voltstream_app;
GRANT SELECT ON assets TO voltstream_snapshot_reader;
GRANT SELECT (organization_id, id, key, household_id, customer_id, type, external_id, manufacturer, model, parent_inverter,
              max_power_kw, hybrid, peak_power_kw, azimuth, tilt, capacity_kwh, max_charge_power_kw, max_discharge_power_kw,
              phases, bidirectional, thermal_power_kw, decommissioned_at, created_at)
  ON assets TO voltstream_analyst_reader;
CREATE POLICY analysts ON assets FOR SELECT TO voltstream_analyst_reader USING (true);
GRANT SELECT (organization_id, household_id, changed_in) ON assets TO voltstream_system_reader;
CREATE POLICY across_organizations ON assets FOR SELECT TO voltstream_system_reader USING (true);

COMMENT ON TABLE assets IS 'Devices of households and the two computed assets of each household.';
COMMENT ON COLUMN assets.organization_id IS 'The tenant.';
COMMENT ON COLUMN assets.id IS 'ast_ and 24 random characters.';
COMMENT ON COLUMN assets.key IS
  'Internal key in asset_snapshots; never shown, never used again. 0 asks for one: keys of a household share a bucket, hashint8(key) >> 22. Older keys need not.';
COMMENT ON COLUMN assets.household_id IS 'The household it belongs to; never changes.';
COMMENT ON COLUMN assets.customer_id IS 'The household''s customer, kept here so that policies need no join.';
COMMENT ON COLUMN assets.type IS 'Device type, or household_net or household_residual; never changes.';
COMMENT ON COLUMN assets.external_id IS 'The organization''s own name for it; once set it never changes and is never free again.';
COMMENT ON COLUMN assets.display_name IS 'Name for people.';
COMMENT ON COLUMN assets.manufacturer IS 'Manufacturer.';
COMMENT ON COLUMN assets.model IS 'Model.';
COMMENT ON COLUMN assets.parent_inverter IS 'The inverter behind which a solar array or a battery sits.';
COMMENT ON COLUMN assets.max_power_kw IS 'Rated power in kW of an inverter, wallbox or heat pump (electrical).';
COMMENT ON COLUMN assets.hybrid IS 'Whether the inverter takes batteries.';
COMMENT ON COLUMN assets.peak_power_kw IS 'Peak power in kW of the solar array.';
COMMENT ON COLUMN assets.azimuth IS 'Direction of the solar array in degrees, 0 to 360.';
COMMENT ON COLUMN assets.tilt IS 'Tilt of the solar array in degrees, 0 to 90.';
COMMENT ON COLUMN assets.capacity_kwh IS 'Capacity of the battery in kWh.';
COMMENT ON COLUMN assets.max_charge_power_kw IS 'Rated charging power of the battery in kW.';
COMMENT ON COLUMN assets.max_discharge_power_kw IS 'Rated discharging power of the battery in kW.';
COMMENT ON COLUMN assets.phases IS 'Phases of the wallbox, 1 or 3.';
COMMENT ON COLUMN assets.bidirectional IS 'Whether the wallbox can discharge a vehicle.';
COMMENT ON COLUMN assets.thermal_power_kw IS 'Thermal power of the heat pump in kW.';
COMMENT ON COLUMN assets.decommissioned_at IS 'Out of use since; no snapshot after it.';
COMMENT ON COLUMN assets.created_at IS 'Instant of creation.';
COMMENT ON COLUMN assets.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN assets.changed_in IS
  'The transaction that wrote the row last; never shown. Processes that keep assets in memory ask by it what changed.';

CREATE FUNCTION note_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END
$$;
CREATE TRIGGER note_transaction BEFORE INSERT OR UPDATE ON assets FOR EACH ROW EXECUTE FUNCTION note_transaction();
COMMENT ON FUNCTION note_transaction() IS 'Writes into a row which transaction wrote it.';

-- Rows of asset_snapshots can be spread over several servers by asset_id. A batch is of one household: where all its rows lie
-- on one server, one commit there stores it. Citus 14 gives each shard an equal part of hashint8(asset_id), and numbers of
-- shards are powers of two. So the assets of a household get keys whose hashes share their first ten bits: one of 1,024
-- buckets, which never lies on two shards. It follows from the two ids alone: no look at the other assets, no lock, and the
-- same for processes that add assets at one moment.
--
-- Keys are for ever, so they are given like this wherever the service runs. Nothing is wrong with a key of another bucket, as
-- older assets have one: its rows need a commit on two servers.
--
-- The number n of the sequence stands for the 65,536 keys from n << 16 on; the first one in the bucket is taken. On average
-- 1,024 are tried, which takes 0.08 ms of processor time; none of them fits once in 10^27 times: then it is the first of all.
-- All stay below 2^53, which a JavaScript number holds. sha256 and not md5, which a
-- server with FIPS refuses.
CREATE SEQUENCE asset_keys AS bigint MAXVALUE 137438953471 OWNED BY assets.key;
GRANT USAGE ON SEQUENCE asset_keys TO voltstream_app;

CREATE FUNCTION give_asset_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  digest bytea := sha256(convert_to(NEW.organization_id || ' ' || NEW.household_id, 'UTF8'));
  bucket integer := ((get_byte(digest, 0) << 2) | (get_byte(digest, 1) >> 6)) - 512;
  first_key bigint := nextval('public.asset_keys') << 16;
BEGIN
  NEW.key := coalesce(
    (SELECT tried.key FROM (SELECT generate_series(first_key, first_key + 65535) AS key) tried
      WHERE hashint8(tried.key) >> 22 = bucket LIMIT 1),
    first_key);
  RETURN NEW;
END
$$;
CREATE TRIGGER give_asset_key BEFORE INSERT ON assets FOR EACH ROW WHEN (NEW.key = 0) EXECUTE FUNCTION give_asset_key();
COMMENT ON SEQUENCE asset_keys IS 'Each number stands for 65,536 keys, of which one asset gets one.';
COMMENT ON FUNCTION give_asset_key() IS 'Gives an asset a key in the bucket of its household.';
