-- The stored rows beside sent ones, as in sql/repeatable/stored-snapshots.sql: for each run of rows of one asset the stored
-- ones as binary arrays, ascending; null where there is none.
--
-- Two steps: the visible assets stand on the coordinator, and their rows are asked for shard by shard: those of a household
-- lie in one as a rule. Each instant is one probe of the primary key. A question to several shards at once could not carry the
-- LIMIT, by which no plan reads what is stored between the instants. The plan is made for the values of each call.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

DROP FUNCTION IF EXISTS stored_snapshots(bigint[], integer[], timestamptz[], timestamptz, timestamptz);
DROP FUNCTION IF EXISTS stored_of_assets(bigint[], bigint[], timestamptz[], timestamptz, timestamptz);
CREATE OR REPLACE FUNCTION stored_of_assets(
  asset_keys bigint[], instant_keys bigint[], instant_runs bigint[], instants timestamptz[], since timestamptz,
  until timestamptz
) RETURNS TABLE (
  run bigint,
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
    SELECT array_agg(known.key) FROM unnest(asset_keys) AS known (key) WHERE known.key IS NOT NULL
     GROUP BY get_shard_id_for_distribution_column('public.asset_snapshots', known.key)
  LOOP
    RETURN QUERY
    SELECT sent.run,
           array_send(array_agg(stored.timestamp ORDER BY stored.timestamp)),
           array_send(array_agg(stored.power_kw ORDER BY stored.timestamp)),
           array_send(array_agg(stored.state_of_charge ORDER BY stored.timestamp)),
           array_send(array_agg(stored.connected ORDER BY stored.timestamp)),
           array_send(array_agg(stored.vehicle_state_of_charge ORDER BY stored.timestamp))
      FROM unnest(instant_keys, instant_runs, instants) AS sent (asset_key, run, instant)
     CROSS JOIN LATERAL (
       SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge
         FROM public.asset_snapshots AS s
        WHERE s.asset_id = sent.asset_key AND s.asset_id = ANY (keys)
          AND s.timestamp = sent.instant AND s.timestamp BETWEEN since AND until
        LIMIT 1
     ) AS stored
     WHERE sent.asset_key = ANY (keys)
     GROUP BY sent.run;
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION stored_snapshots(
  asset_keys bigint[],
  ends integer[],
  instants timestamptz[],
  since timestamptz,
  until timestamptz,
  organizations text[] DEFAULT NULL,
  organization_ends integer[] DEFAULT NULL
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
  visible bigint[] := '{}';
  first_run integer := 1;
  keys bigint[];
  runs bigint[];
BEGIN
  FOR number IN 1 .. coalesce(cardinality(organizations), 1) LOOP
    IF organizations IS NOT NULL THEN
      PERFORM set_config('app.organization', organizations[number], true);
    END IF;
    visible := visible || ARRAY(
      SELECT a.key
        FROM unnest(asset_keys[first_run:coalesce(organization_ends[number], cardinality(asset_keys))])
             WITH ORDINALITY AS given (asset_key, position)
        LEFT JOIN LATERAL (SELECT a.key FROM public.assets AS a WHERE a.key = given.asset_key LIMIT 1) AS a ON true
       ORDER BY given.position);
    first_run := organization_ends[number] + 1;
  END LOOP;
  -- Of each instant the run in which it stands, and its asset.
  SELECT array_agg(run.asset_key ORDER BY run.position, place), array_agg(run.position ORDER BY run.position, place)
    INTO keys, runs
    FROM (SELECT given.asset_key, given.run_end - lag(given.run_end, 1, 0) OVER (ORDER BY given.position) AS rows,
                 given.position
            FROM unnest(visible, ends) WITH ORDINALITY AS given (asset_key, run_end, position)) AS run
   CROSS JOIN LATERAL generate_series(1, run.rows) AS place;
  RETURN QUERY
  SELECT stored.timestamp, stored.power_kw, stored.state_of_charge, stored.connected, stored.vehicle_state_of_charge
    FROM generate_series(1, cardinality(ends)) AS sent (position)
    LEFT JOIN public.stored_of_assets(visible, keys, runs, instants, since, until) AS stored
      ON stored.run = sent.position
   ORDER BY sent.position;
END
$$;

ALTER FUNCTION stored_of_assets OWNER TO voltstream_snapshot_reader;
ALTER FUNCTION stored_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION stored_of_assets, stored_snapshots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stored_snapshots TO voltstream_app;

COMMENT ON FUNCTION stored_of_assets IS 'What is stored of some assets at given instants, shard by shard.';
COMMENT ON FUNCTION stored_snapshots IS
  'Stored values of visible assets at given instants, run by run, as binary arrays.';
