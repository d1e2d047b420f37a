-- Retention and erasure may do this, and nothing beside it: the role that runs them owns no table and reads none. These
-- functions run as the owner of the tables.

-- Snapshots that are not summed by quarter hour yet stay for a month more: the job is behind, and an alarm says so. Where it
-- never ran nobody waits for sums. A month from which usage is not frozen yet stays, with the quarter hour that holds into it,
-- for as long as a run of settle-usage for it waits, works or is given up and none behind it made up for it. Dropped spans are remembered, because sums of that time must not be made anew from late
-- rows alone.
DROP FUNCTION IF EXISTS drop_old_snapshot_chunks(timestamptz);
CREATE OR REPLACE FUNCTION drop_old_snapshot_chunks(older_than timestamptz, chunks_max integer DEFAULT 10) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  summed timestamptz;
  settling timestamp;
  gone record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT summed_until INTO STRICT summed FROM public.quarter_hour_progress;
  WITH runs AS (
    SELECT run.state, run.due_at, date_trunc('month', run.due_at AT TIME ZONE 'Europe/Berlin') AS month
      FROM public.job_runs AS run
     WHERE run.organization_id IS NULL AND run.job = 'settle-usage' AND run.key IS NOT NULL
  )
  SELECT min(runs.month) - interval '1 month' INTO settling
    FROM runs
   WHERE runs.state <> 'done'
     AND NOT EXISTS (SELECT FROM runs AS later
                      WHERE later.state = 'done' AND later.month = runs.month AND later.due_at > runs.due_at);
  IF older_than <= now() THEN
    IF isfinite(summed) THEN
      older_than := least(older_than, greatest(summed, older_than - interval '1 month'));
    END IF;
    older_than := least(older_than, settling AT TIME ZONE 'Europe/Berlin' - interval '15 minutes');
  END IF;
  SELECT * INTO gone FROM public.drop_oldest_chunks('asset_snapshots', older_than, chunks_max);
  UPDATE public.quarter_hour_progress SET snapshots_dropped_until = gone.dropped_until
   WHERE snapshots_dropped_until < gone.dropped_until;
  RETURN gone.dropped;
END
$$;
COMMENT ON FUNCTION drop_old_snapshot_chunks IS
  'Drops the oldest chunks of asset_snapshots that lie wholly before an instant, at most so many; returns their number.';

-- What is dropped is remembered here too: the sums of its days outlive it.
CREATE OR REPLACE FUNCTION drop_old_quarter_hour_chunks(older_than timestamptz, chunks_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  gone record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT * INTO gone FROM public.drop_oldest_chunks('asset_quarter_hours', older_than, chunks_max);
  UPDATE public.quarter_hour_progress SET quarter_hours_dropped_until = gone.dropped_until
   WHERE quarter_hours_dropped_until < gone.dropped_until;
  RETURN gone.dropped;
END
$$;
COMMENT ON FUNCTION drop_old_quarter_hour_chunks IS
  'Drops the oldest chunks of asset_quarter_hours that lie wholly before an instant, at most so many; returns their number.';

-- Some rows at a time, as above: first those of chunks that are stored row by row, the oldest first. Rows of the columnstore
-- go last and at once: there a thousand rows of an asset are one, and a part of it would have to be unpacked. The plan is
-- made for the values of each call: a general one would look into every chunk. The sums go when no snapshot is left from
-- which the job could make them anew.
DROP FUNCTION IF EXISTS erase_asset_snapshots(bigint);
CREATE OR REPLACE FUNCTION erase_asset_snapshots(asset_key bigint, rows_max integer DEFAULT 10000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  erased bigint;
  by_rows_from timestamptz;
  boundary timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  by_rows_from := public.compressed_until('asset_snapshots');
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
  IF erased = 0 THEN
    DELETE FROM public.late_quarter_hours AS l WHERE l.asset_id = asset_key;
    DELETE FROM public.asset_days AS d WHERE d.asset_id = asset_key;
    DELETE FROM public.asset_quarter_hours AS q WHERE q.asset_id = asset_key;
    GET DIAGNOSTICS erased = ROW_COUNT;
  END IF;
  RETURN erased;
END
$$;
COMMENT ON FUNCTION erase_asset_snapshots IS
  'Deletes snapshots of one asset, by assets.key, some at a time, and then their sums by quarter hour and day; returns the number of rows, 0 when none is left.';

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

REVOKE ALL ON FUNCTION drop_old_snapshot_chunks, drop_old_quarter_hour_chunks, erase_asset_snapshots, delete_old_audit_rows
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_old_snapshot_chunks, drop_old_quarter_hour_chunks, erase_asset_snapshots, delete_old_audit_rows
  TO voltstream_maintenance;
