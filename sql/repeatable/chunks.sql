-- The pieces of a week in which measured values and their sums are stored: here chunks of hypertables, which TimescaleDB
-- makes when a row needs one. Only these functions know the parts of tables. On Citus these are partitions
-- (sql/citus/repeatable/chunks.sql). Nobody calls the first two but functions of the owner.

-- The oldest ones first, and some at a time: years of chunks in one statement would run into its time limit, and hold the
-- table against writers meanwhile.
CREATE OR REPLACE FUNCTION drop_oldest_chunks(
  hypertable text, older_than timestamptz, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamptz
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  dropped := 0;
  SELECT max(oldest.range_end) INTO dropped_until
    FROM (SELECT range_end FROM timescaledb_information.chunks
           WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND range_end <= older_than
           ORDER BY range_end LIMIT chunks_max) AS oldest;
  IF dropped_until IS NOT NULL THEN
    SELECT count(*) INTO dropped
      FROM public.drop_chunks(format('public.%I', hypertable)::regclass, older_than => dropped_until);
  END IF;
END
$$;

COMMENT ON FUNCTION drop_oldest_chunks IS
  'Drops the oldest chunks of a hypertable that lie wholly before an instant, at most so many.';

-- Before this instant a thousand rows of an asset may be one.
CREATE OR REPLACE FUNCTION compressed_until(hypertable text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(max(range_end), '-infinity') FROM timescaledb_information.chunks
   WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND is_compressed
$$;
COMMENT ON FUNCTION compressed_until IS 'The end of the newest compressed chunk of a hypertable; -infinity: none is compressed.';

-- Where something is stored next, so that years without any are skipped. Null: nowhere.
CREATE OR REPLACE FUNCTION next_stored(hypertable text, since timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT greatest(range_start, since) FROM timescaledb_information.chunks
   WHERE hypertable_schema = 'public' AND hypertable_name = hypertable AND range_end > since
   ORDER BY range_end LIMIT 1
$$;
COMMENT ON FUNCTION next_stored IS
  'The first instant not before another one at which a chunk of a hypertable may hold a row.';

CREATE OR REPLACE FUNCTION next_stored_snapshots(since timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT public.next_stored('asset_snapshots', since)
$$;
COMMENT ON FUNCTION next_stored_snapshots IS
  'The first instant not before another one at which a chunk of asset_snapshots may hold a row.';

-- Made ahead they must be on Citus only.
CREATE OR REPLACE FUNCTION prepare_snapshot_partitions(since timestamptz, weeks integer) RETURNS integer
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT 0
$$;
COMMENT ON FUNCTION prepare_snapshot_partitions IS
  'Makes what measured values of some weeks from an instant on are stored in; returns how much was missing.';

CREATE OR REPLACE FUNCTION find_snapshot_weeks_ahead(at timestamptz) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT NULL::integer
$$;
COMMENT ON FUNCTION find_snapshot_weeks_ahead IS
  'How many whole weeks behind an instant measured values have their place already; null: nothing has to be made ahead.';

REVOKE ALL ON FUNCTION drop_oldest_chunks, compressed_until, next_stored, next_stored_snapshots, prepare_snapshot_partitions,
  find_snapshot_weeks_ahead FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_stored_snapshots, prepare_snapshot_partitions TO voltstream_maintenance;
GRANT EXECUTE ON FUNCTION find_snapshot_weeks_ahead TO voltstream_app;
