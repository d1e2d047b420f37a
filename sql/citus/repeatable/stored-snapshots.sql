-- What is stored of sent rows, as in sql/repeatable/stored-snapshots.sql: for each run of rows of one asset the stored ones as
-- binary arrays, ascending; null where there is none.
--
-- Two steps: the visible assets stand on the coordinator, and their rows are asked for shard by shard: those of a household
-- lie in one as a rule. Each instant is one probe of the primary key. A question to several shards at once could not carry the
-- LIMIT, by which no plan reads what is stored between the instants. The plan is made for the values of each call.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

CREATE OR REPLACE FUNCTION stored_of_assets(
  asset_keys bigint[], instant_keys bigint[], instants timestamptz[], since timestamptz, until timestamptz
) RETURNS TABLE (
  asset_id bigint,
  "timestamp" bytea,
  power_kw bytea,
  state_of_charge bytea,
  connected bytea,
  vehicle_state_of_charge bytea
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  keys bigint[];
BEGIN
  FOR keys IN
    SELECT array_agg(known.key) FROM unnest(asset_keys) AS known (key)
     GROUP BY get_shard_id_for_distribution_column('public.asset_snapshots', known.key)
  LOOP
    RETURN QUERY
    SELECT sent.asset_key,
           array_send(array_agg(stored.timestamp ORDER BY stored.timestamp)),
           array_send(array_agg(stored.power_kw ORDER BY stored.timestamp)),
           array_send(array_agg(stored.state_of_charge ORDER BY stored.timestamp)),
           array_send(array_agg(stored.connected ORDER BY stored.timestamp)),
           array_send(array_agg(stored.vehicle_state_of_charge ORDER BY stored.timestamp))
      FROM unnest(instant_keys, instants) AS sent (asset_key, instant)
     CROSS JOIN LATERAL (
       SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
         FROM public.asset_snapshots AS s
        WHERE s.asset_id = sent.asset_key AND s.asset_id = ANY (keys)
          AND s.timestamp = sent.instant AND s.timestamp BETWEEN since AND until
        LIMIT 1
     ) AS stored
     WHERE sent.asset_key = ANY (keys)
     GROUP BY sent.asset_key;
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION stored_snapshots(
  asset_keys bigint[],
  ends integer[],
  instants timestamptz[],
  since timestamptz,
  until timestamptz
) RETURNS TABLE (
  "timestamp" bytea,
  power_kw bytea,
  state_of_charge bytea,
  connected bytea,
  vehicle_state_of_charge bytea
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  visible constant bigint[] := ARRAY(SELECT a.key FROM public.assets AS a WHERE a.key = ANY (asset_keys));
  -- Of each instant the asset: that of the run in which it stands.
  keys constant bigint[] := ARRAY(
    SELECT run.asset_key
      FROM (SELECT given.asset_key, given.run_end - lag(given.run_end, 1, 0) OVER (ORDER BY given.position) AS rows,
                   given.position
              FROM unnest(asset_keys, ends) WITH ORDINALITY AS given (asset_key, run_end, position)) AS run
     CROSS JOIN LATERAL generate_series(1, run.rows) AS place
     ORDER BY run.position, place);
BEGIN
  RETURN QUERY
  SELECT stored.timestamp, stored.power_kw, stored.state_of_charge, stored.connected, stored.vehicle_state_of_charge
    FROM unnest(asset_keys) WITH ORDINALITY AS run (asset_key, position)
    LEFT JOIN public.stored_of_assets(visible, keys, instants, since, until) AS stored ON stored.asset_id = run.asset_key
   ORDER BY run.position;
END
$$;

ALTER FUNCTION stored_of_assets OWNER TO voltstream_snapshot_reader;
ALTER FUNCTION stored_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION stored_of_assets, stored_snapshots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stored_snapshots TO voltstream_app;

COMMENT ON FUNCTION stored_of_assets IS 'What is stored of some assets at given instants, shard by shard.';
COMMENT ON FUNCTION stored_snapshots IS
  'What is stored of visible assets at given instants, run by run, as binary arrays.';
