-- What operators ask about the storage of measured values, as in sql/repeatable/storage-status.sql. Each node counts its own
-- shards. Rows are an estimate of the last ANALYZE, because counting them reads all.
CREATE OR REPLACE FUNCTION list_hypertables() RETURNS TABLE (
  hypertable text, chunks bigint, compressed_chunks bigint, rows_estimated bigint, bytes bigint, index_bytes bigint,
  bytes_before_compression bigint, bytes_after_compression bigint, oldest_at timestamptz, newest_until timestamptz,
  next_compression_at timestamptz, kept_months integer
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
  silent integer;
BEGIN
  FOREACH hypertable IN ARRAY ARRAY['asset_days', 'asset_quarter_hours', 'asset_snapshots'] LOOP
    SELECT count(*), 0, min(range_start), max(range_end) INTO chunks, compressed_chunks, oldest_at, newest_until
      FROM public.list_week_partitions(hypertable);
    IF hypertable = 'asset_days' THEN
      SELECT min(day)::timestamp AT TIME ZONE 'Europe/Berlin', (max(day) + 1)::timestamp AT TIME ZONE 'Europe/Berlin'
        INTO oldest_at, newest_until FROM public.asset_days;
    END IF;
    SELECT sum((result::jsonb ->> 'rows')::bigint) FILTER (WHERE success),
           sum((result::jsonb ->> 'bytes')::bigint) FILTER (WHERE success),
           sum((result::jsonb ->> 'index_bytes')::bigint) FILTER (WHERE success),
           count(*) FILTER (WHERE NOT success)
      INTO rows_estimated, bytes, index_bytes, silent
      FROM run_command_on_all_nodes(format($node$
        SELECT jsonb_build_object(
                 'rows', coalesce(sum(greatest(reltuples, 0)), 0)::bigint,
                 'bytes', coalesce(sum(pg_total_relation_size(oid)), 0)::bigint,
                 'index_bytes', coalesce(sum(pg_indexes_size(oid)), 0)::bigint)
          FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND starts_with(relname, %L)$node$, hypertable));
    IF silent > 0 THEN
      RAISE EXCEPTION '% nodes do not answer: their shards cannot be counted', silent USING ERRCODE = 'connection_failure';
    END IF;
    SELECT (r.result -> 'kept_months' ->> hypertable)::integer INTO kept_months
      FROM public.job_runs AS r
     WHERE r.lane = 'remove-old-records ' AND r.started_at IS NOT NULL AND r.state = 'done'
     ORDER BY r.started_at DESC LIMIT 1;
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION list_hypertables IS 'Partitions, sizes and span of each distributed table.';
REVOKE ALL ON FUNCTION list_hypertables FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_hypertables TO voltstream_app;
