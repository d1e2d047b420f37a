-- Grid connection, solar arrays, batteries and loads of a household, by quarter hour and by day. Inverters are left out:
-- what passes them is measured at the array and the battery behind them.
--
-- A device in use that sent nothing makes null of what would need it; a device that the household does not have counts as
-- nothing. It is in use from its creation on, and to its end; what was made within a day of the household's first asset was
-- there before. Devices in use are looked up only where fewer devices sent something than the household has (`owned`). They
-- are asked one by one: a number would count one that was in use for a part of the row in place of a silent one.
-- Who sent is joined as rows: with an array each device would be compared with all that sent, a million times for a thousand.
--
-- Both views are one text: %1$s the name, %2$s the sums, %3$s what names a row in them, %4$s what the view shows of that,
-- %5$s and %6$s when a row begins and ends, %7$s its seconds.
DO $view$
DECLARE
  view record;
BEGIN
  FOR view IN
    VALUES ('household_energy', 'measured.quarter_hours', 'q.start, q.delivery_day',
            $$sums.start, sums.delivery_day, sums.start AT TIME ZONE 'Europe/Berlin' AS local_time,
              analytics.utc_offset_hours(sums.start) AS utc_offset_hours$$,
            'sums.start', $$sums.start + interval '15 minutes'$$, '900'),
           ('household_energy_days', 'measured.days', 'q.delivery_day, q.month', 'sums.delivery_day, sums.month',
            $$sums.delivery_day::timestamp AT TIME ZONE 'Europe/Berlin'$$,
            $$(sums.delivery_day + 1)::timestamp AT TIME ZONE 'Europe/Berlin'$$,
            '(SELECT d.hours * 3600 FROM public.delivery_days AS d WHERE d.day = sums.delivery_day)')
  LOOP
    EXECUTE format($text$
CREATE VIEW analytics.%1$I AS
SELECT sums.organization_id, sums.household, %4$s,
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
            ELSE least(sums.least_covered_seconds / %7$s, 1) END AS covered_share
  FROM (SELECT q.organization_id, q.household, %3$s,
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
               array_agg(q.asset_id) AS sent
          FROM %2$s AS q
         GROUP BY q.organization_id, q.household, %3$s) AS sums
  JOIN (SELECT a.organization_id, a.household_id, count(*) AS devices, min(a.created_at) AS begun_at
          FROM public.assets AS a
         WHERE a.type NOT IN ('inverter', 'household_residual')
         GROUP BY a.organization_id, a.household_id) AS owned
    ON owned.organization_id = sums.organization_id AND owned.household_id = sums.household
 CROSS JOIN LATERAL (
   SELECT sums.grid_import_kwh IS NULL AS net, count(*) FILTER (WHERE a.type = 'solar') > 0 AS solar,
          count(*) FILTER (WHERE a.type = 'battery') > 0 AS battery,
          count(*) FILTER (WHERE a.type = 'wallbox') > 0 AS wallbox,
          count(*) FILTER (WHERE a.type = 'heat_pump') > 0 AS heat_pump
     FROM public.assets AS a
    WHERE sums.devices < owned.devices AND a.organization_id = sums.organization_id AND a.household_id = sums.household
      AND (a.created_at <= %5$s OR a.created_at < owned.begun_at + interval '1 day')
      AND (a.decommissioned_at IS NULL OR a.decommissioned_at >= %6$s)
      AND NOT EXISTS (SELECT FROM unnest(sums.sent) AS sent (key) WHERE sent.key = a.key)) AS silent
 CROSS JOIN LATERAL (
   SELECT CASE WHEN silent.solar OR silent.battery THEN NULL
               ELSE sums.grid_import_kwh - sums.grid_export_kwh + coalesce(sums.solar_kwh, 0)
                      + coalesce(sums.battery_discharge_kwh, 0) - coalesce(sums.battery_charge_kwh, 0) END AS kwh) AS used
    $text$, view.column1, view.column2, view.column3, view.column4, view.column5, view.column6, view.column7);
  END LOOP;
END
$view$;

CREATE VIEW analytics.household_energy_months AS
SELECT e.organization_id, e.household, e.month,
       sum(e.grid_import_kwh) AS grid_import_kwh, sum(e.grid_export_kwh) AS grid_export_kwh,
       sum(e.solar_kwh) AS solar_kwh, sum(e.battery_charge_kwh) AS battery_charge_kwh,
       sum(e.battery_discharge_kwh) AS battery_discharge_kwh, sum(e.wallbox_kwh) AS wallbox_kwh,
       sum(e.wallbox_fed_kwh) AS wallbox_fed_kwh, sum(e.heat_pump_kwh) AS heat_pump_kwh,
       sum(e.consumption_kwh) AS consumption_kwh, sum(e.residual_kwh) AS residual_kwh,
       count(*)::integer AS days,
       sum(e.covered_share * d.hours * 3600)
         / date_part('epoch', (e.month + interval '1 month') AT TIME ZONE 'Europe/Berlin'
                              - e.month::timestamp AT TIME ZONE 'Europe/Berlin') AS covered_share
  FROM analytics.household_energy_days AS e
  JOIN public.delivery_days AS d ON d.day = e.delivery_day
 GROUP BY e.organization_id, e.household, e.month;

-- A row for each household and step, whatever is known of it. Its text takes its place in the query that calls it, so that a
-- condition on the household reaches an index. Days and months come from the sums that are kept of days that are over.
CREATE FUNCTION analytics.household_energy_filled(
  begins timestamptz, ends timestamptz, step text, least_covered double precision DEFAULT 0
) RETURNS TABLE (
  household text, start timestamptz, local_time timestamp, utc_offset_hours integer,
  grid_import_kwh double precision, grid_export_kwh double precision, solar_kwh double precision,
  battery_charge_kwh double precision, battery_discharge_kwh double precision, wallbox_kwh double precision,
  wallbox_fed_kwh double precision, heat_pump_kwh double precision, consumption_kwh double precision,
  residual_kwh double precision, covered_share double precision
)
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT h.household, s.start, s.start AT TIME ZONE 'Europe/Berlin', analytics.utc_offset_hours(s.start),
         CASE WHEN enough.held THEN e.grid_import_kwh END, CASE WHEN enough.held THEN e.grid_export_kwh END,
         CASE WHEN enough.held THEN e.solar_kwh END, CASE WHEN enough.held THEN e.battery_charge_kwh END,
         CASE WHEN enough.held THEN e.battery_discharge_kwh END, CASE WHEN enough.held THEN e.wallbox_kwh END,
         CASE WHEN enough.held THEN e.wallbox_fed_kwh END, CASE WHEN enough.held THEN e.heat_pump_kwh END,
         CASE WHEN enough.held THEN e.consumption_kwh END, CASE WHEN enough.held THEN e.residual_kwh END,
         coalesce(e.covered_seconds / s.seconds, 0)
    FROM analytics.households AS h
   CROSS JOIN (
     SELECT begun AS start, date_part('epoch', date_add(begun, every.length, 'Europe/Berlin') - begun) AS seconds
       FROM (SELECT CASE step WHEN 'quarter hour' THEN interval '15 minutes' WHEN 'hour' THEN interval '1 hour'
                              WHEN 'day' THEN interval '1 day' WHEN 'month' THEN interval '1 month'
                              ELSE ('step is quarter hour, hour, day or month, not ' || step)::interval END AS length) AS every
      CROSS JOIN LATERAL generate_series(
              CASE WHEN step = 'quarter hour' THEN date_bin('15 minutes', begins, '2000-01-01 00:00+00')
                   WHEN step IN ('hour', 'day', 'month') THEN date_trunc(step, begins, 'Europe/Berlin') END,
              ends - interval '1 microsecond', every.length, 'Europe/Berlin') AS begun) AS s
    LEFT JOIN (
      SELECT q.household, CASE step WHEN 'hour' THEN date_trunc('hour', q.start, 'UTC') ELSE q.start END AS start,
             sum(q.grid_import_kwh) AS grid_import_kwh, sum(q.grid_export_kwh) AS grid_export_kwh,
             sum(q.solar_kwh) AS solar_kwh, sum(q.battery_charge_kwh) AS battery_charge_kwh,
             sum(q.battery_discharge_kwh) AS battery_discharge_kwh, sum(q.wallbox_kwh) AS wallbox_kwh,
             sum(q.wallbox_fed_kwh) AS wallbox_fed_kwh, sum(q.heat_pump_kwh) AS heat_pump_kwh,
             sum(q.consumption_kwh) AS consumption_kwh, sum(q.residual_kwh) AS residual_kwh,
             sum(q.covered_share * 900) AS covered_seconds
        FROM analytics.household_energy AS q
       WHERE step IN ('quarter hour', 'hour')
         AND q.start >= date_trunc('hour', begins, 'UTC') AND q.start < ends + interval '1 hour'
       GROUP BY 1, 2
      UNION ALL
      SELECT d.household, date_trunc(step, d.delivery_day::timestamp) AT TIME ZONE 'Europe/Berlin',
             sum(d.grid_import_kwh), sum(d.grid_export_kwh), sum(d.solar_kwh), sum(d.battery_charge_kwh),
             sum(d.battery_discharge_kwh), sum(d.wallbox_kwh), sum(d.wallbox_fed_kwh), sum(d.heat_pump_kwh),
             sum(d.consumption_kwh), sum(d.residual_kwh),
             sum(d.covered_share * l.hours * 3600)
        FROM analytics.household_energy_days AS d
        JOIN analytics.delivery_days AS l ON l.delivery_day = d.delivery_day
       WHERE step IN ('day', 'month')
         AND d.delivery_day >= date_trunc('month', begins AT TIME ZONE 'Europe/Berlin')::date
         AND d.delivery_day < (date_trunc('month', ends AT TIME ZONE 'Europe/Berlin') + interval '1 month')::date
       GROUP BY 1, 2) AS e
      ON e.household = h.household AND e.start = s.start
   CROSS JOIN LATERAL (SELECT e.covered_seconds >= s.seconds * (least_covered - 1e-9) AS held) AS enough
$$;
COMMENT ON FUNCTION analytics.household_energy_filled IS
  'Energy of each household in steps of a quarter hour, hour, day or month of Berlin, from one instant to another, which is no longer part of it. A row for each step. Null: nothing is known, or less than least_covered (0 to 1) of the step. Days that are not over are null. Columns are those of household_energy: begin and clock time of the step, its sums, and its covered_share.';

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
  'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';
COMMENT ON COLUMN analytics.household_energy.is_residual_measured IS
  'Whether residual_kwh was sent and not computed.';
COMMENT ON COLUMN analytics.household_energy.grid_covered_seconds IS
  'For how many of the 900 seconds a value of household_net held; null: it sent nothing.';
COMMENT ON COLUMN analytics.household_energy.covered_share IS
  'Least share of the quarter hour, 0 to 1, in which a value held, over household_net and all devices in use but inverters; 0: one of them sent nothing.';

COMMENT ON VIEW analytics.household_energy_days IS
  'household_energy per household and day, out of energy_days: kept when the day is over. Null: the household has no such asset, or one in use sent nothing all day. Take rows by covered_share: what is covered in part holds a part of the energy, and consumption_kwh adds up such parts.';
COMMENT ON COLUMN analytics.household_energy_days.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.household_energy_days.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.household_energy_days.delivery_day IS 'Day, Europe/Berlin.';
COMMENT ON COLUMN analytics.household_energy_days.month IS 'First day of its month, Europe/Berlin.';
COMMENT ON COLUMN analytics.household_energy_days.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';
COMMENT ON COLUMN analytics.household_energy_days.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';
COMMENT ON COLUMN analytics.household_energy_days.solar_kwh IS 'Generated by solar arrays in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_days.battery_charge_kwh IS 'Into batteries in kWh.';
COMMENT ON COLUMN analytics.household_energy_days.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_days.wallbox_kwh IS 'Into vehicles in kWh.';
COMMENT ON COLUMN analytics.household_energy_days.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_days.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';
COMMENT ON COLUMN analytics.household_energy_days.consumption_kwh IS
  'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';
COMMENT ON COLUMN analytics.household_energy_days.residual_kwh IS
  'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';
COMMENT ON COLUMN analytics.household_energy_days.is_residual_measured IS
  'Whether residual_kwh was sent and not computed.';
COMMENT ON COLUMN analytics.household_energy_days.grid_covered_seconds IS
  'For how many seconds of the day a value of household_net held; null: it sent nothing.';
COMMENT ON COLUMN analytics.household_energy_days.covered_share IS
  'Least share of the day, 0 to 1, in which a value held, over household_net and all devices in use but inverters; 0: one of them sent nothing.';

COMMENT ON VIEW analytics.household_energy_months IS
  'household_energy_days per household and month: sums of the days of which a figure is known. This month holds the days that are over.';
COMMENT ON COLUMN analytics.household_energy_months.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.household_energy_months.household IS 'Id of the household, dom_.';
COMMENT ON COLUMN analytics.household_energy_months.month IS 'First day of the month, Europe/Berlin.';
COMMENT ON COLUMN analytics.household_energy_months.grid_import_kwh IS 'Taken from the grid in kWh (household_net).';
COMMENT ON COLUMN analytics.household_energy_months.grid_export_kwh IS 'Fed into the grid in kWh, positive (household_net).';
COMMENT ON COLUMN analytics.household_energy_months.solar_kwh IS 'Generated by solar arrays in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_months.battery_charge_kwh IS 'Into batteries in kWh.';
COMMENT ON COLUMN analytics.household_energy_months.battery_discharge_kwh IS 'Out of batteries in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_months.wallbox_kwh IS 'Into vehicles in kWh.';
COMMENT ON COLUMN analytics.household_energy_months.wallbox_fed_kwh IS 'Out of vehicles in kWh, positive.';
COMMENT ON COLUMN analytics.household_energy_months.heat_pump_kwh IS 'Into heat pumps in kWh (electrical).';
COMMENT ON COLUMN analytics.household_energy_months.consumption_kwh IS
  'Consumption of the household in kWh, vehicles and heat pump included: import - export + solar + discharge - charge; null: household_net, or a solar array or battery in use, sent nothing.';
COMMENT ON COLUMN analytics.household_energy_months.residual_kwh IS
  'Energy that no device explains, in kWh: as measured (household_residual), else consumption less wallboxes and heat pumps; null: a device in use sent nothing.';
COMMENT ON COLUMN analytics.household_energy_months.days IS 'Days of which something is known.';
COMMENT ON COLUMN analytics.household_energy_months.covered_share IS
  'Mean of the covered shares of its days, 0 to 1; a day of which nothing is known counts as 0, and days to come do.';
