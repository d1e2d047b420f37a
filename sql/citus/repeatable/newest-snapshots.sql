-- The newest snapshot of each asset after `since`, as in sql/repeatable/newest-snapshots.sql. Two steps: the visible assets
-- stand on the coordinator, and their snapshots are asked for shard by shard. A statement for assets of one shard goes there
-- whole: one probe of the primary key per asset. A question to several shards at once could not carry the LIMIT, and would
-- read all snapshots since then. `seen` is left out: transactions of the coordinator say nothing of those of other nodes.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

DROP FUNCTION IF EXISTS newest_snapshots(text[], text[], timestamptz, timestamptz, text, integer);
DROP FUNCTION IF EXISTS newest_snapshots(text[], text[], timestamptz, timestamptz, text, integer, timestamptz);
DROP FUNCTION IF EXISTS newest_of_assets(bigint[], timestamptz);

CREATE OR REPLACE FUNCTION newest_of_assets(
  asset_keys bigint[],
  since timestamptz,
  stored_until timestamptz
) RETURNS TABLE (
  asset_id bigint,
  "timestamp" timestamptz,
  power_kw double precision,
  state_of_charge double precision,
  connected boolean,
  vehicle_state_of_charge double precision,
  created_at timestamptz
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
    SELECT wanted.key, newest.*
      FROM unnest(keys) AS wanted (key)
     CROSS JOIN LATERAL (
       SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
         FROM public.asset_snapshots AS s
        WHERE s.asset_id = wanted.key AND s.asset_id = ANY (keys) AND s.timestamp >= since
          AND (stored_until IS NULL OR s.created_at <= greatest(stored_until, now() - INTERVAL '15 minutes'))
        ORDER BY s.timestamp DESC
        LIMIT 1
     ) AS newest;
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION newest_snapshots(
  households text[],
  asset_ids text[],
  since timestamptz,
  after_timestamp timestamptz,
  after_asset text,
  page_rows integer,
  stored_until timestamptz DEFAULT NULL,
  seen pg_snapshot DEFAULT NULL
) RETURNS TABLE (
  household text,
  asset text,
  asset_type text,
  "timestamp" timestamptz,
  power_kw double precision,
  state_of_charge double precision,
  connected boolean,
  vehicle_state_of_charge double precision,
  created_at timestamptz
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  keys constant bigint[] := ARRAY(
    SELECT a.key FROM public.assets AS a
     WHERE (households IS NULL OR a.household_id = ANY (households)) AND (asset_ids IS NULL OR a.id = ANY (asset_ids)));
BEGIN
  RETURN QUERY
  SELECT a.household_id, a.id, a.type, newest.timestamp, newest.power_kw, newest.state_of_charge, newest.connected,
         newest.vehicle_state_of_charge, newest.created_at
    FROM public.newest_of_assets(keys, since, stored_until) AS newest
    JOIN public.assets AS a ON a.key = newest.asset_id
   WHERE after_timestamp IS NULL OR (newest.timestamp, a.id) < (after_timestamp, after_asset)
   ORDER BY newest.timestamp DESC, a.id DESC
   LIMIT page_rows;
END
$$;

ALTER FUNCTION newest_of_assets OWNER TO voltstream_snapshot_reader;
ALTER FUNCTION newest_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION newest_of_assets, newest_snapshots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION newest_snapshots TO voltstream_app;

COMMENT ON FUNCTION newest_of_assets IS 'Newest snapshot of each of some assets since an instant, shard by shard.';
COMMENT ON FUNCTION newest_snapshots IS
  'Newest snapshot per visible asset since an instant, newest first, by household and asset, in pages.';
