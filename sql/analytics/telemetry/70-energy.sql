-- Sums of snapshots by quarter hour, which the job sum-quarter-hours keeps: the newest are some minutes old, see
-- energy_progress. Conditions on asset, household, type and on `start` or `delivery_day` reach an index, as in snapshots.
CREATE VIEW analytics.quarter_hours AS
SELECT q.organization_id, q.asset, q.household, q.type, q.start, q.delivery_day,
       q.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(q.start) AS utc_offset_hours,
       q.samples, q.covered_seconds,
       CASE WHEN q.covered_seconds > 0 THEN (q.consumed_kwh - q.fed_kwh) * 3600 / q.covered_seconds END AS mean_power_kw,
       q.power_kw_min AS min_power_kw, q.power_kw_max AS max_power_kw, q.first_at, q.last_at, q.state_of_charge_first,
       q.state_of_charge_last, q.vehicle_state_of_charge_last, q.connected_samples
  FROM measured.quarter_hours AS q;

CREATE VIEW analytics.energy AS
SELECT q.organization_id, q.asset, q.household, q.type, q.start, q.delivery_day,
       q.start AT TIME ZONE 'Europe/Berlin' AS local_time,
       analytics.utc_offset_hours(q.start) AS utc_offset_hours,
       q.consumed_kwh, q.fed_kwh, q.covered_seconds
  FROM measured.quarter_hours AS q;

-- Past days, from sums that are kept: a year of an asset is 365 rows.
CREATE VIEW analytics.energy_days AS
SELECT q.organization_id, q.asset, q.household, q.type, q.delivery_day, q.month, q.consumed_kwh, q.fed_kwh,
       q.power_kw_min AS min_power_kw, q.power_kw_max AS max_power_kw, q.samples, q.quarter_hours, q.covered_seconds,
       q.covered_seconds / (d.hours * 3600) AS covered_share
  FROM measured.days AS q
  LEFT JOIN public.delivery_days AS d ON d.day = q.delivery_day;

CREATE VIEW analytics.energy_months AS
SELECT q.organization_id, q.asset, q.household, q.type, q.month, sum(q.consumed_kwh) AS consumed_kwh,
       sum(q.fed_kwh) AS fed_kwh, min(q.power_kw_min) AS min_power_kw, max(q.power_kw_max) AS max_power_kw,
       count(*)::integer AS days, sum(q.covered_seconds) AS covered_seconds,
       sum(q.covered_seconds)
         / date_part('epoch', (q.month + interval '1 month') AT TIME ZONE 'Europe/Berlin'
                              - q.month::timestamp AT TIME ZONE 'Europe/Berlin') AS covered_share
  FROM measured.days AS q
 GROUP BY q.organization_id, q.asset, q.household, q.type, q.month;

CREATE VIEW analytics.energy_progress AS
SELECT o.id AS organization_id, nullif(p.summed_until, '-infinity') AS summed_until,
       CASE WHEN p.summed_at IS NOT NULL
            THEN least(p.summed_at,
                       (SELECT min(late.queued_at) FROM public.late_quarter_hours AS late WHERE late.organization = o.id),
                       (SELECT min(late.queued_at) FROM public.late_quarter_hours AS late WHERE late.organization = ''))
            END AS summed_at,
       nullif(p.days_summed_until, '-infinity') AS days_until,
       nullif(p.snapshots_dropped_until, '-infinity') AS snapshots_kept_since,
       nullif(p.quarter_hours_dropped_until, '-infinity') AS quarter_hours_kept_since,
       nullif(p.days_dropped_until, '-infinity')::timestamp AT TIME ZONE 'Europe/Berlin' AS days_kept_since
  FROM public.quarter_hour_progress AS p CROSS JOIN public.organizations AS o;

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

COMMENT ON VIEW analytics.energy_days IS
  'energy per asset and day, kept when the day is over (energy_progress.days_until) and changed by late values. Ask for a year here. A day of which nothing is known has no row.';
COMMENT ON COLUMN analytics.energy_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_days.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.energy_days.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.energy_days.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.energy_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_days.month IS 'First day of its month, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_days.consumed_kwh IS
  'Energy into the asset in kWh: charging, consumption; of household_net the import.';
COMMENT ON COLUMN analytics.energy_days.fed_kwh IS
  'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';
COMMENT ON COLUMN analytics.energy_days.min_power_kw IS 'Least power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.energy_days.max_power_kw IS 'Greatest power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.energy_days.samples IS 'Number of power values.';
COMMENT ON COLUMN analytics.energy_days.quarter_hours IS 'Quarter hours in which a power value was sent.';
COMMENT ON COLUMN analytics.energy_days.covered_seconds IS 'For how many seconds of the day a power value held.';
COMMENT ON COLUMN analytics.energy_days.covered_share IS
  'Share of the day in which a power value held, 0 to 1: below 1 the energy is that of a part.';

COMMENT ON VIEW analytics.energy_months IS 'energy_days per asset and month. This month holds the days that are over.';
COMMENT ON COLUMN analytics.energy_months.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_months.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.energy_months.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.energy_months.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.energy_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN analytics.energy_months.consumed_kwh IS
  'Energy into the asset in kWh: charging, consumption; of household_net the import.';
COMMENT ON COLUMN analytics.energy_months.fed_kwh IS
  'Energy out of the asset in kWh, positive: generation, discharging; of household_net the export.';
COMMENT ON COLUMN analytics.energy_months.min_power_kw IS 'Least power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.energy_months.max_power_kw IS 'Greatest power value in kW; null: none was sent.';
COMMENT ON COLUMN analytics.energy_months.days IS 'Days of which something is known.';
COMMENT ON COLUMN analytics.energy_months.covered_seconds IS
  'For how many seconds of the month a power value held.';
COMMENT ON COLUMN analytics.energy_months.covered_share IS
  'Share of the month in which a power value held, 0 to 1. Of this month the share of the whole month.';

COMMENT ON VIEW analytics.energy_progress IS
  'How far quarter_hours, energy and all that rests on them have come. One row.';
COMMENT ON COLUMN analytics.energy_progress.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.energy_progress.summed_until IS
  'Quarter hours before this instant are final, but for snapshots that are still sent late; null: none is.';
COMMENT ON COLUMN analytics.energy_progress.summed_at IS
  'Instant of the clock up to which the sums know what was sent, late values included; null: never summed.';
COMMENT ON COLUMN analytics.energy_progress.days_until IS
  'Days before this one, Europe/Berlin, are in energy_days and what rests on it; null: none is.';
COMMENT ON COLUMN analytics.energy_progress.snapshots_kept_since IS
  'Snapshots before this instant were removed because of their age; null: none was.';
COMMENT ON COLUMN analytics.energy_progress.quarter_hours_kept_since IS
  'Quarter hours before this instant were removed because of their age; null: none was.';
COMMENT ON COLUMN analytics.energy_progress.days_kept_since IS
  'Days that began before this instant were removed because of their age, by whole years; null: none was.';
