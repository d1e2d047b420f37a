-- What retention and erasure may do, and nothing beside it: the role that runs them owns no table and reads none.
-- These functions run as the owner of the tables.

CREATE OR REPLACE FUNCTION drop_old_snapshot_chunks(older_than timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  dropped bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  SELECT count(*) INTO dropped FROM public.drop_chunks('public.asset_snapshots', older_than => older_than);
  RETURN dropped;
END
$$;
COMMENT ON FUNCTION drop_old_snapshot_chunks IS
  'Drops the chunks of asset_snapshots that lie wholly before an instant; returns their number.';

CREATE OR REPLACE FUNCTION erase_asset_snapshots(asset_key bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  erased bigint;
BEGIN
  DELETE FROM public.asset_snapshots WHERE asset_id = asset_key;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$$;
COMMENT ON FUNCTION erase_asset_snapshots IS 'Deletes all snapshots of one asset, by assets.key; returns their number.';

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
