-- Sums of snapshots by quarter hour, which the job sum-quarter-hours keeps: the newest are some minutes old, see
-- energy_progress. Conditions on asset, household, type and on `start` or `delivery_day` reach an index, as in snapshots.
CREATE VIEW analytics.quarter_hours AS
SELECT q.organization_id, q.asset, q.household, q.type, q.start, q.delivery_day,
       q.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       (extract(epoch FROM (q.start AT TIME ZONE 'Europe/Berlin') - (q.start AT TIME ZONE 'UTC')) / 3600)::integer AS utc_offset_hours,
       q.samples, q.covered_seconds,
       CASE WHEN q.covered_seconds > 0 THEN (q.consumed_kwh - q.fed_kwh) * 3600 / q.covered_seconds END AS mean_power_kw,
       q.power_kw_min AS min_power_kw, q.power_kw_max AS max_power_kw, q.first_at, q.last_at, q.state_of_charge_first,
       q.state_of_charge_last, q.vehicle_state_of_charge_last, q.connected_samples
  FROM measured.quarter_hours AS q;

CREATE VIEW analytics.energy AS
SELECT q.organization_id, q.asset, q.household, q.type, q.start, q.delivery_day,
       q.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       (extract(epoch FROM (q.start AT TIME ZONE 'Europe/Berlin') - (q.start AT TIME ZONE 'UTC')) / 3600)::integer AS utc_offset_hours,
       q.consumed_kwh, q.fed_kwh, q.covered_seconds
  FROM measured.quarter_hours AS q;

-- What the grid connection, solar arrays, batteries and loads of a household did. Inverters are left out: what passes them
-- is measured at the array and the battery behind them.
--
-- A device in use that sent nothing makes null of what would need it; a device that the household does not have counts as
-- nothing. It is in use from its creation on, and to its end; what was made within a day of the household's first asset was
-- there before. Who is in use is asked only where fewer devices sent something than the household has (`owned`).
CREATE VIEW analytics.household_energy AS
SELECT sums.organization_id, sums.household, sums.start, sums.delivery_day,
       sums.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       (extract(epoch FROM (sums.start AT TIME ZONE 'Europe/Berlin') - (sums.start AT TIME ZONE 'UTC')) / 3600)::integer
         AS utc_offset_hours,
       sums.grid_import_kwh, sums.grid_export_kwh,
       CASE WHEN silent.solar THEN NULL ELSE sums.solar_kwh END AS solar_kwh,
       CASE WHEN silent.battery THEN NULL ELSE sums.battery_charge_kwh END AS battery_charge_kwh,
       CASE WHEN silent.battery THEN NULL ELSE sums.battery_discharge_kwh END AS battery_discharge_kwh,
       CASE WHEN silent.wallbox THEN NULL ELSE sums.wallbox_kwh END AS wallbox_kwh,
       CASE WHEN silent.wallbox THEN NULL ELSE sums.wallbox_fed_kwh END AS wallbox_fed_kwh,
       CASE WHEN silent.heat_pump THEN NULL ELSE sums.heat_pump_kwh END AS heat_pump_kwh,
       used.kwh AS consumption_kwh,
       coalesce(sums.measured_residual_kwh,
                CASE WHEN silent.wallbox OR silent.heat_pump THEN NULL
                     ELSE used.kwh - coalesce(sums.wallbox_kwh, 0) + coalesce(sums.wallbox_fed_kwh, 0)
                            - coalesce(sums.heat_pump_kwh, 0) END) AS residual_kwh,
       sums.measured_residual_kwh IS NOT NULL AS is_residual_measured, sums.grid_covered_seconds,
       CASE WHEN silent.net OR silent.solar OR silent.battery OR silent.wallbox OR silent.heat_pump THEN 0
            ELSE least(sums.least_covered_seconds / 900, 1) END AS covered_share
  FROM (SELECT q.organization_id, q.household, q.start, q.delivery_day,
               sum(q.consumed_kwh) FILTER (WHERE q.type = 'household_net') AS grid_import_kwh,
               sum(q.fed_kwh) FILTER (WHERE q.type = 'household_net') AS grid_export_kwh,
               sum(q.fed_kwh) FILTER (WHERE q.type = 'solar') AS solar_kwh,
               sum(q.consumed_kwh) FILTER (WHERE q.type = 'battery') AS battery_charge_kwh,
               sum(q.fed_kwh) FILTER (WHERE q.type = 'battery') AS battery_discharge_kwh,
               sum(q.consumed_kwh) FILTER (WHERE q.type = 'wallbox') AS wallbox_kwh,
               sum(q.fed_kwh) FILTER (WHERE q.type = 'wallbox') AS wallbox_fed_kwh,
               sum(q.consumed_kwh) FILTER (WHERE q.type = 'heat_pump') AS heat_pump_kwh,
               sum(q.consumed_kwh - q.fed_kwh) FILTER (WHERE q.type = 'household_residual') AS measured_residual_kwh,
               sum(q.covered_seconds) FILTER (WHERE q.type = 'household_net') AS grid_covered_seconds,
               min(q.covered_seconds) FILTER (WHERE q.type <> 'inverter') AS least_covered_seconds,
               count(*) FILTER (WHERE q.type NOT IN ('inverter', 'household_residual')) AS devices,
               count(*) FILTER (WHERE q.type = 'solar') AS solar, count(*) FILTER (WHERE q.type = 'battery') AS battery,
               count(*) FILTER (WHERE q.type = 'wallbox') AS wallbox,
               count(*) FILTER (WHERE q.type = 'heat_pump') AS heat_pump
          FROM measured.quarter_hours AS q
         GROUP BY q.organization_id, q.household, q.start, q.delivery_day) AS sums
  JOIN (SELECT a.organization_id, a.household_id, count(*) AS devices, min(a.created_at) AS begun_at
          FROM public.assets AS a
         WHERE a.type NOT IN ('inverter', 'household_residual')
         GROUP BY a.organization_id, a.household_id) AS owned
    ON owned.organization_id = sums.organization_id AND owned.household_id = sums.household
 CROSS JOIN LATERAL (
   SELECT sums.grid_import_kwh IS NULL AS net, count(*) FILTER (WHERE a.type = 'solar') > sums.solar AS solar,
          count(*) FILTER (WHERE a.type = 'battery') > sums.battery AS battery,
          count(*) FILTER (WHERE a.type = 'wallbox') > sums.wallbox AS wallbox,
          count(*) FILTER (WHERE a.type = 'heat_pump') > sums.heat_pump AS heat_pump
     FROM public.assets AS a
    WHERE sums.devices < owned.devices AND a.organization_id = sums.organization_id AND a.household_id = sums.household
      AND (a.created_at <= sums.start OR a.created_at < owned.begun_at + interval '1 day')
      AND (a.decommissioned_at IS NULL OR a.decommissioned_at >= sums.start + interval '15 minutes')) AS silent
 CROSS JOIN LATERAL (
   SELECT CASE WHEN silent.solar OR silent.battery THEN NULL
               ELSE sums.grid_import_kwh - sums.grid_export_kwh + coalesce(sums.solar_kwh, 0)
                      + coalesce(sums.battery_discharge_kwh, 0) - coalesce(sums.battery_charge_kwh, 0) END AS kwh) AS used;

CREATE VIEW analytics.energy_progress AS
SELECT nullif(summed_until, '-infinity') AS summed_until, summed_at FROM public.quarter_hour_progress;

COMMENT ON VIEW analytics.quarter_hours IS
  'Power of each asset per quarter hour: mean, least, greatest, number of values. Only quarter hours in which a value was sent or still held.';
COMMENT ON COLUMN analytics.quarter_hours.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.quarter_hours.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.quarter_hours.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.quarter_hours.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.quarter_hours.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.quarter_hours.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.quarter_hours.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.quarter_hours.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.quarter_hours.samples IS
  'Number of power values; 0: none was sent, the last one of the quarter hour before still held.';
COMMENT ON COLUMN analytics.quarter_hours.covered_seconds IS 'For how many of the 900 seconds a power value held.';
COMMENT ON COLUMN analytics.quarter_hours.mean_power_kw IS
  'Mean power in kW over the covered seconds, into the asset positive; null: none is covered.';
COMMENT ON COLUMN analytics.quarter_hours.min_power_kw IS 'Least power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.quarter_hours.max_power_kw IS 'Greatest power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.quarter_hours.first_at IS 'Instant of the first power value; null: none was sent.';
COMMENT ON COLUMN analytics.quarter_hours.last_at IS 'Instant of the last power value; null: none was sent.';
COMMENT ON COLUMN analytics.quarter_hours.state_of_charge_first IS
  'First state of charge of a battery, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.quarter_hours.state_of_charge_last IS
  'Last state of charge of a battery, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.quarter_hours.vehicle_state_of_charge_last IS
  'Last state of charge of the vehicle at a wallbox, 0 to 1; null: not sent.';
COMMENT ON COLUMN analytics.quarter_hours.connected_samples IS 'Number of values that say a vehicle is connected.';

COMMENT ON VIEW analytics.energy IS
  'Energy of each asset per quarter hour. A power value holds until the next one (step rule), at most as long as values of the asset usually lie apart: the median distance of its last 100, 15 minutes at least and an hour at most. What was not covered counts as nothing: see covered_seconds. Never add up assets of one household: what the roof makes passes the inverter, the battery and household_net too; household_energy tells them apart.';
COMMENT ON COLUMN analytics.energy.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.energy.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.energy.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.energy.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.energy.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.energy.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.energy.consumed_kwh IS
  'Energy into the asset in kWh: charging, consumption; of household_net the import.';
COMMENT ON COLUMN analytics.energy.fed_kwh IS
  'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';
COMMENT ON COLUMN analytics.energy.covered_seconds IS 'For how many of the 900 seconds a power value held.';

COMMENT ON VIEW analytics.household_energy IS
  'Energy of each household per quarter hour, by what it came from and went to, out of energy and by its step rule. Null: the household has no such asset, or one in use sent nothing. Take rows by covered_share: what is covered in part holds a part of the energy.';
COMMENT ON COLUMN analytics.household_energy.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.household_energy.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.household_energy.start IS 'Instant at which the quarter hour begins.';
COMMENT ON COLUMN analytics.household_energy.delivery_day IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN analytics.household_energy.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN analytics.household_energy.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN analytics.household_energy.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';
COMMENT ON COLUMN analytics.household_energy.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';
COMMENT ON COLUMN analytics.household_energy.solar_kwh IS 'Generated by solar arrays in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy.battery_charge_kwh IS 'Into batteries in kWh.';
COMMENT ON COLUMN analytics.household_energy.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy.wallbox_kwh IS 'Into vehicles in kWh.';
COMMENT ON COLUMN analytics.household_energy.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';
COMMENT ON COLUMN analytics.household_energy.consumption_kwh IS
  'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';
COMMENT ON COLUMN analytics.household_energy.residual_kwh IS
  'What no device explains in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';
COMMENT ON COLUMN analytics.household_energy.is_residual_measured IS
  'Whether residual_kwh was sent and not computed.';
COMMENT ON COLUMN analytics.household_energy.grid_covered_seconds IS
  'For how many of the 900 seconds a value of household_net held; null: it sent nothing.';
COMMENT ON COLUMN analytics.household_energy.covered_share IS
  'Least share of the quarter hour, 0 to 1, in which a value held, over household_net and all devices in use but inverters; 0: one of them sent nothing.';

COMMENT ON VIEW analytics.energy_progress IS
  'How far quarter_hours, energy and all that rests on them have come. One row, the same for all organizations.';
COMMENT ON COLUMN analytics.energy_progress.summed_until IS
  'Quarter hours before this instant are final, but for snapshots that are still sent late; null: none is.';
COMMENT ON COLUMN analytics.energy_progress.summed_at IS
  'Instant of the clock up to which the sums know what was sent; null: never summed.';
