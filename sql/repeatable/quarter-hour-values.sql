-- The values that the job of the sums by quarter hour computes with. On Citus both functions ask the nodes
-- (sql/citus/repeatable/quarter-hour-values.sql).

-- Each asset is one row, in no order. Rows of a time lie in the same pages, whatever their asset. They are read in the order
-- in which they lie there, each page once. Measured: half the cost of reading asset by asset. Before `begun` the last power
-- value of the hour, which may hold into the span.
--
-- Values are bytes one behind the other: of each its instant and itself, as the binary format of COPY has them, and of
-- `connected` the instants alone. Arrays, of which a value needs two, cost up to half more where an asset has few.
--
-- The plan is made for the values of each call: a general one asks every chunk. Never a whole chunk for a few assets.
CREATE OR REPLACE FUNCTION read_values_to_sum(keys bigint[], begun timestamptz, ended timestamptz, rows_max integer)
RETURNS TABLE (
  asset_id bigint, snapshots bigint, power_kw bytea, state_of_charge bytea, vehicle_state_of_charge bytea, connected bytea
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET timescaledb.enable_runtime_exclusion = off SET enable_seqscan = off SET work_mem = '64MB'
AS $$
BEGIN
  RETURN QUERY
  SELECT value.asset_id, count(*),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.power_kw), ''),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.state_of_charge), '')
           FILTER (WHERE value.state_of_charge IS NOT NULL),
         string_agg(timestamptz_send(value.timestamp) || float8send(value.vehicle_state_of_charge), '')
           FILTER (WHERE value.vehicle_state_of_charge IS NOT NULL),
         string_agg(timestamptz_send(value.timestamp), '') FILTER (WHERE value.connected)
    FROM (SELECT before.asset_id, before.timestamp, before.power_kw, NULL::double precision AS state_of_charge,
                 NULL::double precision AS vehicle_state_of_charge, NULL::boolean AS connected
            FROM unnest(keys) AS asset (key)
           CROSS JOIN LATERAL (
             SELECT s.asset_id, s.timestamp, s.power_kw
               FROM public.asset_snapshots AS s
              WHERE s.asset_id = asset.key AND s.power_kw IS NOT NULL
                AND s.timestamp > begun - interval '1 hour' AND s.timestamp < begun
              ORDER BY s.timestamp DESC
              LIMIT 1) AS before
          UNION ALL
          (SELECT s.asset_id, s.timestamp, s.power_kw, s.state_of_charge, s.vehicle_state_of_charge, s.connected
             FROM public.asset_snapshots AS s
            WHERE s.asset_id = ANY (keys) AND s.timestamp >= begun AND s.timestamp < ended
            LIMIT rows_max)) AS value
   GROUP BY value.asset_id;
END
$$;
COMMENT ON FUNCTION read_values_to_sum IS
  'Values of assets from one instant to another, at most so many snapshots, and before them the last power value of the hour.';

-- The median distance of the last 100 power values of three days; five are needed.
CREATE OR REPLACE FUNCTION find_usual_distances(keys bigint[], before timestamptz)
RETURNS TABLE (asset_id bigint, seconds double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET timescaledb.enable_runtime_exclusion = off
AS $$
BEGIN
  RETURN QUERY
  SELECT asset.key, date_part('epoch', usual.distance)
    FROM unnest(keys) AS asset (key)
   CROSS JOIN LATERAL (
     SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY apart.distance) AS distance
       FROM (SELECT last.timestamp - lag(last.timestamp) OVER (ORDER BY last.timestamp) AS distance
               FROM (SELECT s.timestamp
                       FROM public.asset_snapshots AS s
                      WHERE s.asset_id = asset.key AND s.power_kw IS NOT NULL
                        AND s.timestamp > before - interval '3 days' AND s.timestamp < before
                      ORDER BY s.timestamp DESC
                      LIMIT 100) AS last) AS apart
     HAVING count(apart.distance) >= 4) AS usual;
END
$$;
COMMENT ON FUNCTION find_usual_distances IS
  'How far apart values of an asset usually lie before an instant; no row where too few are known.';

REVOKE ALL ON FUNCTION read_values_to_sum, find_usual_distances FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_values_to_sum, find_usual_distances TO voltstream_maintenance;
