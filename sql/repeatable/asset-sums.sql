-- Sums of snapshots for the console. The tables of sums have no row-level security: the functions look at `assets` under that
-- of the caller first. They take keys and no join, so that Citus asks the nodes that have these assets.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

-- The plan is made for the values of each call, so that it knows the weeks that are read.
CREATE OR REPLACE FUNCTION quarter_hours_of_assets(
  asset_ids text[], begun timestamptz, ended timestamptz
) RETURNS TABLE (
  asset text,
  start timestamptz,
  covered_seconds double precision,
  consumed_kwh double precision,
  fed_kwh double precision
)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  names constant jsonb := (SELECT coalesce(jsonb_object_agg(a.key, a.id), '{}') FROM public.assets AS a WHERE a.id = ANY (asset_ids));
  keys constant bigint[] := ARRAY(SELECT jsonb_object_keys(names)::bigint);
BEGIN
  RETURN QUERY
  SELECT names ->> q.asset_id::text, q.start, q.covered_seconds, q.consumed_kwh, q.fed_kwh
    FROM public.asset_quarter_hours AS q
   WHERE q.asset_id = ANY (keys) AND q.start >= begun AND q.start < ended AND q.covered_seconds > 0
   ORDER BY q.start;
END
$$;

-- From the end of its days: a look into the index for each asset, however many of its days are stored.
CREATE OR REPLACE FUNCTION last_days_of_assets(asset_ids text[]) RETURNS TABLE (asset text, day date)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
  asset_key bigint;
BEGIN
  FOR asset, asset_key IN SELECT a.id, a.key FROM public.assets AS a WHERE a.id = ANY (asset_ids) LOOP
    SELECT d.day INTO day FROM public.asset_days AS d
     WHERE d.asset_id = asset_key AND d.samples > 0
     ORDER BY d.day DESC LIMIT 1;
    IF FOUND THEN RETURN NEXT; END IF;
  END LOOP;
END
$$;

ALTER FUNCTION quarter_hours_of_assets OWNER TO voltstream_snapshot_reader;
ALTER FUNCTION last_days_of_assets OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION quarter_hours_of_assets, last_days_of_assets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION quarter_hours_of_assets, last_days_of_assets TO voltstream_app;

COMMENT ON FUNCTION quarter_hours_of_assets IS
  'Sums by quarter hour of visible assets from one instant to another, the second one exclusive.';
COMMENT ON FUNCTION last_days_of_assets IS
  'The last day that is over on which a visible asset sent a power value; no row where there is none.';
