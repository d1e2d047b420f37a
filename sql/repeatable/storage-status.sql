-- What operators ask about the storage of hypertables. Sizes of all chunks are asked of the file system once each: 10 µs a
-- chunk. Rows are an estimate of the last ANALYZE, because counting them reads all. The sums by day are among them, a table
-- without chunks.
CREATE OR REPLACE FUNCTION list_hypertables() RETURNS TABLE (
  hypertable text, chunks bigint, compressed_chunks bigint, rows_estimated bigint, bytes bigint, index_bytes bigint,
  bytes_before_compression bigint, bytes_after_compression bigint, oldest_at timestamptz, newest_until timestamptz,
  next_compression_at timestamptz, kept_months integer
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  FOR hypertable IN
    SELECT 'asset_days'
    UNION ALL SELECT hypertable_name FROM timescaledb_information.hypertables WHERE hypertable_schema = 'public' ORDER BY 1
  LOOP
    SELECT count(*), count(*) FILTER (WHERE is_compressed), min(range_start), max(range_end)
      INTO chunks, compressed_chunks, oldest_at, newest_until
      FROM timescaledb_information.chunks
     WHERE hypertable_schema = 'public' AND hypertable_name = hypertable;
    rows_estimated := public.approximate_row_count(format('public.%I', hypertable)::regclass);
    bytes_before_compression := NULL;
    bytes_after_compression := NULL;
    next_compression_at := NULL;
    IF hypertable = 'asset_days' THEN
      bytes := pg_total_relation_size('public.asset_days');
      index_bytes := pg_indexes_size('public.asset_days');
      SELECT min(day)::timestamp AT TIME ZONE 'Europe/Berlin', (max(day) + 1)::timestamp AT TIME ZONE 'Europe/Berlin'
        INTO oldest_at, newest_until FROM public.asset_days;
    ELSE
      SELECT total_bytes, size.index_bytes INTO bytes, index_bytes
        FROM public.hypertable_detailed_size(format('public.%I', hypertable)::regclass) AS size;
    END IF;
    -- The Apache edition has the function and refuses to run it.
    IF hypertable <> 'asset_days' AND current_setting('timescaledb.license') = 'timescale' THEN
      SELECT before_compression_total_bytes, after_compression_total_bytes
        INTO bytes_before_compression, bytes_after_compression
        FROM public.hypertable_compression_stats(format('public.%I', hypertable)::regclass);
      SELECT min(next_start) INTO next_compression_at FROM timescaledb_information.jobs
       WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND scheduled;
    END IF;
    -- As the worker that removes old records was last told; the environment of an operator's shell may say something else.
    SELECT (result -> 'kept_months' ->> hypertable)::integer INTO kept_months
      FROM public.job_runs
     WHERE lane = 'remove-old-records ' AND started_at IS NOT NULL AND state = 'done'
     ORDER BY started_at DESC LIMIT 1;
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION list_hypertables IS 'Chunks, sizes, span and compression of each hypertable.';
REVOKE ALL ON FUNCTION list_hypertables FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_hypertables TO voltstream_app;
