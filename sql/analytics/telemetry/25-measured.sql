-- Measured values and their sums by quarter hour, from which the views of analysts take them: as they are stored, and with
-- asset, household and day. Views like these leave no trace in a plan: conditions reach the indexes below. On Citus other
-- relations have their names (sql/citus/analytics/telemetry/26-nodes.sql).
--
-- The day is joined from the left: a query that does not ask for it does not read it, and a condition on it makes the join an
-- inner one that begins with the day's instants. Sums that no value covers only say that there is none (quarter-hours.sql).
--
-- The instants of a day are said twice. PostgreSQL takes each comparison with an instant that it does not know yet for a third of
-- the rows. Said once, seven days seemed more than all that is stored, and all that is stored of an asset was read. Days to come
-- have no values: without them the calendar is a quarter as long.
DROP SCHEMA IF EXISTS measured CASCADE;
CREATE SCHEMA measured AUTHORIZATION voltstream_analyst_reader;
COMMENT ON SCHEMA measured IS 'Measured values as the views of analysts take them: for their owner alone.';

CREATE VIEW measured.stored_snapshots AS
SELECT asset_id, timestamp, power_kw, state_of_charge, connected, vehicle_state_of_charge, created_at
  FROM public.asset_snapshots;

CREATE VIEW measured.stored_quarter_hours AS
SELECT asset_id, start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max,
       covered_seconds, consumed_kwh, fed_kwh, state_of_charge_first, state_of_charge_last,
       vehicle_state_of_charge_last
  FROM public.asset_quarter_hours
 WHERE covered_seconds > 0;

CREATE VIEW measured.snapshots AS
SELECT a.organization_id, a.id AS asset, a.household_id AS household, a.type, d.day AS delivery_day, s.timestamp, s.power_kw,
       s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
  FROM public.assets AS a
  JOIN public.asset_snapshots AS s ON s.asset_id = a.key
  LEFT JOIN public.delivery_days AS d
    ON d.day = (s.timestamp AT TIME ZONE 'Europe/Berlin')::date AND s.timestamp >= d.starts_at AND s.timestamp < d.ends_at
   AND s.timestamp > d.starts_at - interval '1 second' AND s.timestamp <= d.ends_at AND d.day < current_date + 3;

CREATE VIEW measured.quarter_hours AS
SELECT a.organization_id, a.id AS asset, q.asset_id, a.household_id AS household, a.type, d.day AS delivery_day, q.start,
       q.samples, q.connected_samples, q.first_at, q.last_at, q.power_kw_min, q.power_kw_max,
       q.covered_seconds, q.consumed_kwh, q.fed_kwh, q.state_of_charge_first, q.state_of_charge_last,
       q.vehicle_state_of_charge_last
  FROM public.assets AS a
  JOIN public.asset_quarter_hours AS q ON q.asset_id = a.key AND q.covered_seconds > 0
  LEFT JOIN public.delivery_days AS d
    ON d.day = (q.start AT TIME ZONE 'Europe/Berlin')::date AND q.start >= d.starts_at AND q.start < d.ends_at
   AND q.start > d.starts_at - interval '1 second' AND q.start <= d.ends_at AND d.day < current_date + 3;

CREATE VIEW measured.days AS
SELECT a.organization_id, a.id AS asset, s.asset_id, a.household_id AS household, a.type, s.day AS delivery_day, s.month,
       s.quarter_hours, s.samples, s.power_kw_min, s.power_kw_max, s.covered_seconds, s.consumed_kwh, s.fed_kwh
  FROM public.assets AS a
  JOIN public.asset_days AS s ON s.asset_id = a.key AND s.covered_seconds > 0;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['stored_snapshots', 'stored_quarter_hours', 'snapshots', 'quarter_hours', 'days'] LOOP
    EXECUTE format('ALTER VIEW measured.%I OWNER TO voltstream_analyst_reader', name);
    EXECUTE format('REVOKE ALL ON measured.%I FROM PUBLIC', name);
  END LOOP;
END
$$;
