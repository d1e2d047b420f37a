-- The values that the job of the sums by quarter hour computes with, as in sql/repeatable/quarter-hour-values.sql. Here each
-- node reads its own shards, all at once, and puts together the values of its assets.

-- A limit of the whole cannot be handed to several nodes: of several assets the snapshots are counted before. One asset lies on
-- one node, which then takes the limit as TimescaleDB does.
CREATE OR REPLACE FUNCTION read_values_to_sum(keys bigint[], begun timestamptz, ended timestamptz, rows_max integer)
RETURNS TABLE (
  asset_id bigint, snapshots bigint, power_kw bytea, state_of_charge bytea, vehicle_state_of_charge bytea, connected bytea
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  of_several constant text := $rows$
    SELECT asset_id, timestamp, power_kw, CASE WHEN timestamp >= $2 THEN state_of_charge END AS state_of_charge,
           CASE WHEN timestamp >= $2 THEN vehicle_state_of_charge END AS vehicle_state_of_charge,
           timestamp >= $2 AND connected AS connected
      FROM (SELECT s.*, row_number() OVER (PARTITION BY s.asset_id, s.timestamp < $2, s.power_kw IS NULL
                                           ORDER BY s.timestamp DESC) AS newer
              FROM public.asset_snapshots AS s
             WHERE s.asset_id = ANY ($1) AND s.timestamp > $2 - interval '1 hour' AND s.timestamp < $3) AS since_hour_before
     WHERE timestamp >= $2 OR (newer = 1 AND power_kw IS NOT NULL) $rows$;
  of_one constant text := $rows$
    (SELECT asset_id, timestamp, power_kw, state_of_charge, vehicle_state_of_charge, connected
       FROM public.asset_snapshots WHERE asset_id = $5 AND timestamp >= $2 AND timestamp < $3 LIMIT $4)
     UNION ALL
    (SELECT asset_id, timestamp, power_kw, NULL, NULL, NULL FROM public.asset_snapshots
      WHERE asset_id = $5 AND timestamp > $2 - interval '1 hour' AND timestamp < $2 AND power_kw IS NOT NULL
      ORDER BY timestamp DESC LIMIT 1) $rows$;
BEGIN
  IF cardinality(keys) > 1 AND rows_max <= (
    SELECT count(*) FROM public.asset_snapshots AS s
     WHERE s.asset_id = ANY (keys) AND s.timestamp >= begun AND s.timestamp < ended
  ) THEN
    RAISE EXCEPTION 'More snapshots than are summed at once' USING ERRCODE = 'query_canceled';
  END IF;
  RETURN QUERY EXECUTE format($values$
    SELECT asset_id, count(*),
           string_agg(timestamptz_send(timestamp) || float8send(power_kw), ''),
           string_agg(timestamptz_send(timestamp) || float8send(state_of_charge), '') FILTER (WHERE state_of_charge IS NOT NULL),
           string_agg(timestamptz_send(timestamp) || float8send(vehicle_state_of_charge), '')
             FILTER (WHERE vehicle_state_of_charge IS NOT NULL),
           string_agg(timestamptz_send(timestamp), '') FILTER (WHERE connected)
      FROM (%s) AS value
     GROUP BY asset_id $values$, CASE WHEN cardinality(keys) > 1 THEN of_several ELSE of_one END)
    USING keys, begun, ended, rows_max, keys[1];
END
$$;
COMMENT ON FUNCTION read_values_to_sum IS
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

REVOKE ALL ON FUNCTION read_values_to_sum, find_usual_distances FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_values_to_sum, find_usual_distances TO voltstream_maintenance;
