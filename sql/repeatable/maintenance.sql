-- What retention and erasure may do, and nothing beside it: the role that runs them owns no table and reads none.
-- These functions run as the owner of the tables.

-- The oldest ones first, and some at a time: years of chunks in one statement would run into its time limit, and hold the
-- table against writers meanwhile. Its earlier form knew no number.
DROP FUNCTION IF EXISTS drop_old_snapshot_chunks(timestamptz);
CREATE OR REPLACE FUNCTION drop_old_snapshot_chunks(older_than timestamptz, chunks_max integer DEFAULT 10) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  dropped bigint;
  boundary timestamptz;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  SELECT max(oldest.range_end) INTO boundary
    FROM (SELECT range_end FROM timescaledb_information.chunks
           WHERE hypertable_schema = 'public' AND hypertable_name = 'asset_snapshots' AND range_end <= older_than
           ORDER BY range_end LIMIT chunks_max) AS oldest;
  IF boundary IS NULL THEN
    RETURN 0;
  END IF;
  SELECT count(*) INTO dropped FROM public.drop_chunks('public.asset_snapshots', older_than => boundary);
  RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_old_snapshot_chunks IS
  'Drops the oldest chunks of asset_snapshots that lie wholly before an instant, at most so many; returns their number.';

-- Some rows at a time, as above: first those of chunks that are stored row by row, the oldest first. What the columnstore
-- holds goes at last and at once, because there a thousand rows of an asset are one, and a part of such a row would have to
-- be unpacked. The plan is made for the values of each call: a general one would look into every chunk.
DROP FUNCTION IF EXISTS erase_asset_snapshots(bigint);
CREATE OR REPLACE FUNCTION erase_asset_snapshots(asset_key bigint, rows_max integer DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  erased bigint;
  by_rows_from timestamptz;
  boundary timestamptz;
BEGIN
  SELECT coalesce(max(range_end), '-infinity') INTO by_rows_from
    FROM timescaledb_information.chunks
   WHERE hypertable_schema = 'public' AND hypertable_name = 'asset_snapshots' AND is_compressed;
  SELECT max(oldest.timestamp) INTO boundary
    FROM (SELECT s.timestamp FROM public.asset_snapshots AS s
           WHERE s.asset_id = asset_key AND s.timestamp >= by_rows_from
           ORDER BY s.timestamp LIMIT rows_max) AS oldest;
  IF boundary IS NULL THEN
    DELETE FROM public.asset_snapshots AS s WHERE s.asset_id = asset_key;
  ELSE
    DELETE FROM public.asset_snapshots AS s
     WHERE s.asset_id = asset_key AND s.timestamp >= by_rows_from AND s.timestamp <= boundary;
  END IF;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$$;
COMMENT ON FUNCTION erase_asset_snapshots IS
  'Deletes snapshots of one asset, by assets.key, some at a time; returns their number, 0 when none is left.';

-- Some rows at a time, so that no statement runs into its time limit, and never a row whose period is not over.
CREATE OR REPLACE FUNCTION delete_old_audit_rows(older_than timestamptz, rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  deleted bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() - interval '24 months' THEN
    RAISE EXCEPTION 'Rows of the audit log are kept for 24 months' USING ERRCODE = 'check_violation';
  END IF;
  DELETE FROM public.audit_log
   WHERE id IN (SELECT id FROM public.audit_log WHERE at < older_than ORDER BY at LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_audit_rows IS
  'Deletes audit rows before an instant at least 24 months ago, at most so many; returns their number.';

REVOKE ALL ON FUNCTION drop_old_snapshot_chunks, erase_asset_snapshots, delete_old_audit_rows FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_old_snapshot_chunks, erase_asset_snapshots, delete_old_audit_rows
  TO voltstream_maintenance;
