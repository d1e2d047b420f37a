-- Devices of households, and the two computed assets that each household has.
-- `key` is what the hypertable's index begins with: 8 bytes instead of 28, and it belongs to one organization for ever.
CREATE TABLE assets (
  organization_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^ast_[0-9a-z]{24}$'),
  key bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
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

ALTER TABLE assets ENABLE ROW LEVEL SECURITY;
ALTER TABLE assets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON assets USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE ON assets TO voltstream_app;
GRANT SELECT ON assets TO voltstream_snapshot_reader;

COMMENT ON TABLE assets IS 'Devices of households and the two computed assets of each household.';
COMMENT ON COLUMN assets.organization_id IS 'The tenant.';
COMMENT ON COLUMN assets.id IS 'ast_ and 24 random characters.';
COMMENT ON COLUMN assets.key IS 'Internal key in asset_snapshots; never shown, never used again.';
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
