-- The newest snapshot of each asset after `since`, newest first; `households` and `asset_ids` narrow it unless null.
-- Pages: (timestamp, asset) after the last row of the page before, out of what was stored when the first one was read
-- (`stored_until`). An asset that sends meanwhile would else move in front of the next page, and be on none. A row has the
-- instant of its BEGIN, and is seen from its COMMIT on: `seen` leaves out what was under way between the two. Rows have an
-- xmin outside of the columnstore only, into which nothing goes that `since` could reach: the policy waits for 30 days. A
-- probe passes what was stored since: a quarter of an hour at most, however old the page before is.
--
-- One probe of the unique index per asset, backwards from its end, in the chunks after `since` only: the time does not
-- grow with what is stored. DISTINCT ON over the same rows reads all of the last day instead. The plan is made for the
-- values of each call, because a general one would keep every chunk and could not use the filters' indexes.
GRANT CREATE ON SCHEMA public TO voltstream_snapshot_reader;

DROP FUNCTION IF EXISTS newest_snapshots(text[], text[], timestamptz, timestamptz, text, integer);
DROP FUNCTION IF EXISTS newest_snapshots(text[], text[], timestamptz, timestamptz, text, integer, timestamptz);

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
  unfinished constant xid[] := ARRAY(SELECT id::xid FROM pg_snapshot_xip(seen) AS id);
  not_begun constant xid := pg_snapshot_xmax(seen)::xid;
BEGIN
  RETURN QUERY
  SELECT a.household_id, a.id, a.type, newest.timestamp, newest.power_kw, newest.state_of_charge, newest.connected,
         newest.vehicle_state_of_charge, newest.created_at
    FROM public.assets a
   CROSS JOIN LATERAL (
     SELECT s.timestamp, s.power_kw, s.state_of_charge, s.connected, s.vehicle_state_of_charge, s.created_at
       FROM public.asset_snapshots s
      WHERE s.asset_id = a.key AND s.timestamp >= since
        AND (stored_until IS NULL OR s.created_at <= now() - INTERVAL '15 minutes'
             OR s.created_at <= stored_until
                AND (seen IS NULL OR s.xmin <> ALL (unfinished) AND age(s.xmin) > age(not_begun)))
      ORDER BY s.timestamp DESC
      LIMIT 1
   ) newest
   WHERE (households IS NULL OR a.household_id = ANY (households))
     AND (asset_ids IS NULL OR a.id = ANY (asset_ids))
     AND (after_timestamp IS NULL OR (newest.timestamp, a.id) < (after_timestamp, after_asset))
   ORDER BY newest.timestamp DESC, a.id DESC
   LIMIT page_rows;
END
$$;

ALTER FUNCTION newest_snapshots OWNER TO voltstream_snapshot_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_snapshot_reader;
REVOKE ALL ON FUNCTION newest_snapshots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION newest_snapshots TO voltstream_app;

COMMENT ON FUNCTION newest_snapshots IS
  'Newest snapshot per visible asset since an instant, newest first, by household and asset, in pages.';
