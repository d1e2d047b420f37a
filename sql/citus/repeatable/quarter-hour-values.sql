-- The values that the job of the sums by quarter hour computes with, as in sql/repeatable/quarter-hour-values.sql. Here each
-- node reads its own shards, all at once, and makes the arrays of its assets.

-- A limit of the whole could not be handed to the nodes: the snapshots are counted before, and of one asset only so many
-- are read.
CREATE OR REPLACE FUNCTION read_quarter_hour_values(keys bigint[], begun timestamptz, ended timestamptz, rows_max integer)
RETURNS TABLE (
  asset_id bigint, snapshots bigint, power_at timestamptz[], power_kw double precision[],
  charge_at timestamptz[], state_of_charge double precision[], vehicle_charge_at timestamptz[],
  vehicle_state_of_charge double precision[], connected_at timestamptz[]
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  IF cardinality(keys) > 1 AND rows_max <= (
    SELECT count(*) FROM public.asset_snapshots AS s
     WHERE s.asset_id = ANY (keys) AND s.timestamp >= begun AND s.timestamp < ended
  ) THEN
    RAISE EXCEPTION 'More snapshots than are summed at once' USING ERRCODE = 'query_canceled';
  END IF;
  RETURN QUERY
  SELECT value.asset_id, count(*),
         array_agg(value.timestamp) FILTER (WHERE value.power_kw IS NOT NULL),
         array_agg(value.power_kw) FILTER (WHERE value.power_kw IS NOT NULL),
         array_agg(value.timestamp) FILTER (WHERE value.state_of_charge IS NOT NULL AND value.timestamp >= begun),
         array_agg(value.state_of_charge) FILTER (WHERE value.state_of_charge IS NOT NULL AND value.timestamp >= begun),
         array_agg(value.timestamp) FILTER (WHERE value.vehicle_state_of_charge IS NOT NULL AND value.timestamp >= begun),
         array_agg(value.vehicle_state_of_charge)
           FILTER (WHERE value.vehicle_state_of_charge IS NOT NULL AND value.timestamp >= begun),
         array_agg(value.timestamp) FILTER (WHERE value.connected AND value.timestamp >= begun)
    FROM (SELECT s.*,
                 row_number() OVER (PARTITION BY s.asset_id, s.timestamp < begun, s.power_kw IS NULL ORDER BY s.timestamp DESC)
                   AS newer
            FROM public.asset_snapshots AS s
           WHERE s.asset_id = ANY (keys) AND s.timestamp > begun - interval '1 hour' AND s.timestamp < ended) AS value
   WHERE value.newer <= CASE WHEN value.timestamp < begun THEN CASE WHEN value.power_kw IS NULL THEN 0 ELSE 1 END ELSE rows_max END
   GROUP BY value.asset_id;
END
$$;
COMMENT ON FUNCTION read_quarter_hour_values IS
  'Values of assets from one instant to another, at most so many snapshots, and before them the last power value of the hour.';

-- The median distance of the last 100 power values of three days; five are needed.
CREATE OR REPLACE FUNCTION find_usual_distances(keys bigint[], before timestamptz)
RETURNS TABLE (asset_id bigint, seconds double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT apart.asset_id, date_part('epoch', percentile_disc(0.5) WITHIN GROUP (ORDER BY apart.distance))
    FROM (SELECT s.asset_id, s.timestamp - lag(s.timestamp) OVER (PARTITION BY s.asset_id ORDER BY s.timestamp) AS distance,
                 row_number() OVER (PARTITION BY s.asset_id ORDER BY s.timestamp DESC) AS newer
            FROM public.asset_snapshots AS s
           WHERE s.asset_id = ANY (keys) AND s.power_kw IS NOT NULL
             AND s.timestamp > before - interval '3 days' AND s.timestamp < before) AS apart
   WHERE apart.newer < 100
   GROUP BY apart.asset_id
  HAVING count(apart.distance) >= 4;
END
$$;
COMMENT ON FUNCTION find_usual_distances IS
  'How far apart values of an asset usually lie before an instant; no row where too few are known.';

REVOKE ALL ON FUNCTION read_quarter_hour_values, find_usual_distances FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_quarter_hour_values, find_usual_distances TO voltstream_maintenance;
