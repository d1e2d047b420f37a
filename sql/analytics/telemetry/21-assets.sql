-- What is measured: ids and technical data.
CREATE VIEW analytics.assets AS
SELECT organization_id, id AS asset, household_id AS household, customer_id AS customer, type, external_id, manufacturer,
       model, parent_inverter, max_power_kw, hybrid, peak_power_kw, azimuth AS azimuth_degrees, tilt AS tilt_degrees,
       capacity_kwh, max_charge_power_kw, max_discharge_power_kw, phases, bidirectional, thermal_power_kw,
       decommissioned_at, created_at
  FROM public.assets;

COMMENT ON VIEW analytics.assets IS
  'Devices of households, and of each household its grid connection (household_net) and what no device explains (household_residual).';
COMMENT ON COLUMN analytics.assets.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.assets.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.assets.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.assets.customer IS 'Id of the household''s customer, cus_.';
COMMENT ON COLUMN analytics.assets.type IS
  'inverter, solar, battery, wallbox, heat_pump, household_net or household_residual.';
COMMENT ON COLUMN analytics.assets.external_id IS 'The organization''s own name for the device; null: none.';
COMMENT ON COLUMN analytics.assets.manufacturer IS 'Manufacturer; null: not known.';
COMMENT ON COLUMN analytics.assets.model IS 'Model; null: not known.';
COMMENT ON COLUMN analytics.assets.parent_inverter IS
  'Id of the inverter behind which a solar array or a battery sits, ast_; null: none.';
COMMENT ON COLUMN analytics.assets.max_power_kw IS
  'Rated power in kW of an inverter, wallbox or heat pump (electrical); null: another type.';
COMMENT ON COLUMN analytics.assets.hybrid IS 'Whether the inverter takes batteries; null: another type.';
COMMENT ON COLUMN analytics.assets.peak_power_kw IS 'Peak power in kW of the solar array; null: another type.';
COMMENT ON COLUMN analytics.assets.azimuth_degrees IS
  'Direction of the solar array in degrees, 0 to 360: 0 north, 180 south; null: not known.';
COMMENT ON COLUMN analytics.assets.tilt_degrees IS
  'Tilt of the solar array in degrees: 0 flat, 90 upright; null: not known.';
COMMENT ON COLUMN analytics.assets.capacity_kwh IS 'Capacity of the battery in kWh; null: another type.';
COMMENT ON COLUMN analytics.assets.max_charge_power_kw IS 'Rated charging power of the battery in kW; null: another type.';
COMMENT ON COLUMN analytics.assets.max_discharge_power_kw IS
  'Rated discharging power of the battery in kW; null: another type.';
COMMENT ON COLUMN analytics.assets.phases IS 'Phases of the wallbox, 1 or 3; null: not known.';
COMMENT ON COLUMN analytics.assets.bidirectional IS 'Whether the wallbox can discharge a vehicle; null: another type.';
COMMENT ON COLUMN analytics.assets.thermal_power_kw IS 'Thermal power in kW of the heat pump; null: not known.';
COMMENT ON COLUMN analytics.assets.decommissioned_at IS 'Out of use since; null: in use.';
COMMENT ON COLUMN analytics.assets.created_at IS 'Instant of creation.';
