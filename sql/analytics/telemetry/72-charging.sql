-- Sessions at wallboxes, from the sums by quarter hour: quarter hours without a gap in which a vehicle was connected or
-- charged. A session that begins within the span counts whole, or with its first seven days. So it is the same whatever span
-- is asked for. `first_end` is a column, because the barrier of the views lets a comparison with one through to the index,
-- and none with a computation. Windows name the household beside the asset that has it: conditions on either reach below
-- them.
--
-- The type says what the columns mean. It stands in the schema that nobody else enters, because the schema of each organization
-- gets a copy of the function, and of no type.
CREATE TYPE measured.charging_session AS (
  asset text, household text, start timestamptz, delivery_day date, local_time timestamp, utc_offset_hours integer,
  ended_at timestamptz, charged_kwh double precision, fed_kwh double precision, max_power_kw double precision,
  state_of_charge_before double precision, state_of_charge_after double precision
);
CREATE FUNCTION analytics.charging_sessions(begins timestamptz, ends timestamptz) RETURNS SETOF measured.charging_session
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT run.asset, run.household, run.start, (run.start AT TIME ZONE 'Europe/Berlin')::date,
         run.start AT TIME ZONE 'Europe/Berlin', analytics.utc_offset_hours(run.start), run.ended_at, run.charged_kwh, run.fed_kwh,
         run.max_power_kw,
         coalesce((SELECT s.vehicle_state_of_charge FROM analytics.snapshots AS s
                    WHERE s.asset = run.asset AND s.timestamp >= run.start AND s.timestamp < run.first_end
                      AND s.timestamp >= charging_sessions.begins AND s.timestamp < charging_sessions.ends + interval '15 minutes'
                      AND s.vehicle_state_of_charge IS NOT NULL
                    ORDER BY s.timestamp LIMIT 1), run.first_charge), run.last_charge
    FROM (SELECT part.asset, part.household, part.begun AS start, part.begun + interval '15 minutes' AS first_end,
                 max(part.start) + interval '15 minutes' AS ended_at,
                 sum(part.consumed_kwh) AS charged_kwh, sum(part.fed_kwh) AS fed_kwh, max(part.max_power_kw) AS max_power_kw,
                 (array_agg(part.charge ORDER BY part.start) FILTER (WHERE part.charge IS NOT NULL))[1] AS first_charge,
                 (array_agg(part.charge ORDER BY part.start DESC) FILTER (WHERE part.charge IS NOT NULL))[1] AS last_charge
            FROM (SELECT placed.*, min(placed.start) OVER (PARTITION BY placed.asset, placed.household, placed.run) AS begun
                    FROM (SELECT q.asset, q.household, q.start, q.max_power_kw, q.vehicle_state_of_charge_last AS charge,
                                 greatest(q.mean_power_kw, 0) * q.covered_seconds / 3600 AS consumed_kwh,
                                 greatest(-q.mean_power_kw, 0) * q.covered_seconds / 3600 AS fed_kwh,
                                 q.start - row_number() OVER (PARTITION BY q.asset, q.household ORDER BY q.start)
                                             * interval '15 minutes' AS run
                            FROM analytics.quarter_hours AS q
                           WHERE q.type = 'wallbox' AND q.start >= charging_sessions.begins - interval '15 minutes'
                             AND q.start < charging_sessions.ends + interval '7 days'
                             AND (q.connected_samples > 0 OR abs(q.mean_power_kw) * q.covered_seconds > 36)) AS placed) AS part
           WHERE part.start < part.begun + interval '7 days'
           GROUP BY part.asset, part.household, part.begun) AS run
   WHERE run.start >= charging_sessions.begins AND run.start < charging_sessions.ends
$$;
COMMENT ON FUNCTION analytics.charging_sessions IS
  'A function: charging sessions that begin from one instant to another, which is no longer part of it, one row each: whole, or the first seven days of a vehicle that stays longer.';
COMMENT ON COLUMN measured.charging_session.asset IS 'Id of the wallbox, ast_.';
COMMENT ON COLUMN measured.charging_session.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN measured.charging_session.start IS
  'Instant at which its first quarter hour begins: a vehicle was connected or charged, and was not a quarter hour before.';
COMMENT ON COLUMN measured.charging_session.delivery_day IS 'Day of its beginning, Europe/Berlin.';
COMMENT ON COLUMN measured.charging_session.local_time IS
  'Clock time in Europe/Berlin at which it begins; twice in the repeated hour of October: see utc_offset_hours.';
COMMENT ON COLUMN measured.charging_session.utc_offset_hours IS
  'Hours by which the clock is ahead of UTC at its beginning: 2 in summer, 1 in winter. Of the repeated hour the first form has 2, the second 1.';
COMMENT ON COLUMN measured.charging_session.ended_at IS
  'Instant at which its last quarter hour ends: no longer part of it. Of one that goes on: so far.';
COMMENT ON COLUMN measured.charging_session.charged_kwh IS
  'Energy into the vehicle in kWh, of each quarter hour what went in less what came out.';
COMMENT ON COLUMN measured.charging_session.fed_kwh IS
  'Energy out of the vehicle in kWh, positive, of each quarter hour what came out less what went in.';
COMMENT ON COLUMN measured.charging_session.max_power_kw IS 'Greatest power value in kW; null: none was sent.';
COMMENT ON COLUMN measured.charging_session.state_of_charge_before IS
  'State of charge of the vehicle at first, 0 to 1; null: not sent.';
COMMENT ON COLUMN measured.charging_session.state_of_charge_after IS
  'State of charge of the vehicle at last, 0 to 1; null: not sent.';

CREATE VIEW analytics.never_sent_assets AS
SELECT a.organization_id, a.id AS asset, a.household_id AS household, a.type, a.created_at,
       extract(epoch FROM now() - a.created_at)::double precision AS age_seconds
  FROM public.assets AS a
  LEFT JOIN LATERAL (SELECT s.timestamp FROM measured.stored_snapshots AS s WHERE s.asset_id = a.key LIMIT 1) AS sent ON true
  LEFT JOIN LATERAL (SELECT s.delivery_day FROM measured.days AS s
                      WHERE s.organization_id = a.organization_id AND s.asset = a.id LIMIT 1) AS summed ON true
 WHERE a.decommissioned_at IS NULL AND sent.timestamp IS NULL AND summed.delivery_day IS NULL;

COMMENT ON VIEW analytics.never_sent_assets IS
  'Assets in use of which no value and no sum is stored: they never sent one, or none for longer than sums by day are kept (energy_progress.days_kept_since). A gateway never sent where all assets of its household are here.';
COMMENT ON COLUMN analytics.never_sent_assets.organization_id IS 'The tenant.';
COMMENT ON COLUMN analytics.never_sent_assets.asset IS 'Id of the asset, ast_.';
COMMENT ON COLUMN analytics.never_sent_assets.household IS 'Id of its household, dom_.';
COMMENT ON COLUMN analytics.never_sent_assets.type IS 'Type of the asset: see assets.';
COMMENT ON COLUMN analytics.never_sent_assets.created_at IS 'Instant of creation.';
COMMENT ON COLUMN analytics.never_sent_assets.age_seconds IS 'Time since its creation in seconds.';
