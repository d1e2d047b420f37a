-- The pieces of a week in which measured values and their sums are stored: on Citus partitions, on each node those of its
-- shards. Functions of the same names and meanings as in sql/repeatable/chunks.sql, and how partitions are made.
--
-- A row of a week without a partition goes to the one for all others, and then no partition of that week can be made any more.
-- That costs speed, and nothing else. So weeks are made ahead, by the job prepare-snapshot-partitions.

CREATE OR REPLACE FUNCTION list_week_partitions(
  parent text, OUT week_partition regclass, OUT range_start timestamptz, OUT range_end timestamptz
) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT weeks.week_partition, weeks.bounds[1]::timestamptz, weeks.bounds[2]::timestamptz
    FROM (SELECT c.oid::regclass AS week_partition,
                 regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS bounds
            FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
           WHERE i.inhparent = format('public.%I', parent)::regclass) AS weeks
   WHERE weeks.bounds IS NOT NULL
$$;
COMMENT ON FUNCTION list_week_partitions IS 'The partitions of weeks that a table has, with their bounds.';

CREATE OR REPLACE FUNCTION prepare_snapshot_partitions(since timestamptz, weeks integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC'
SET citus.enable_ddl_propagation = on SET citus.multi_shard_modify_mode = sequential
AS $$
DECLARE
  made integer := 0;
  parent text;
  instant text;
  week timestamptz;
  name text;
  is_taken boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream snapshot partitions', 0));
  FOR week IN
    SELECT date_bin('7 days', since, '1970-01-01 00:00:00+00') + step * interval '7 days'
      FROM generate_series(0, weeks - 1) AS step
  LOOP
    FOR parent, instant IN VALUES ('asset_snapshots', 'timestamp'), ('asset_quarter_hours', 'start') LOOP
      name := parent || to_char(week, '_YYYYMMDD');
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      EXECUTE format('SELECT max(%1$I) IS NOT NULL FROM public.%2$I WHERE %1$I >= %3$L AND %1$I < %4$L',
                     instant, parent || '_other', week, week + interval '7 days') INTO is_taken;
      CONTINUE WHEN is_taken;
      EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%L) TO (%L)',
                     name, parent, week, week + interval '7 days');
      EXECUTE format('COMMENT ON TABLE public.%I IS %L', name, 'Partition of a week.');
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;
COMMENT ON FUNCTION prepare_snapshot_partitions IS
  'Makes the partitions of some weeks from an instant on, where no row of theirs lies among the others; returns how many were missing.';

CREATE OR REPLACE FUNCTION find_snapshot_weeks_ahead(at timestamptz) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT least((SELECT count(*) FROM public.list_week_partitions('asset_snapshots') WHERE range_start > at),
               (SELECT count(*) FROM public.list_week_partitions('asset_quarter_hours') WHERE range_start > at))::integer
$$;
COMMENT ON FUNCTION find_snapshot_weeks_ahead IS
  'How many whole weeks behind an instant measured values have their place already.';

-- The oldest ones first, and some at a time. Then those of weeks without a partition, in portions: a full one counts as so
-- many partitions, so that callers come again.
CREATE OR REPLACE FUNCTION drop_oldest_chunks(
  hypertable text, older_than timestamptz, chunks_max integer, OUT dropped bigint, OUT dropped_until timestamptz
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET citus.enable_ddl_propagation = on SET citus.multi_shard_modify_mode = sequential
AS $$
DECLARE
  rows_max constant integer := 10000;
  instant constant text := CASE hypertable WHEN 'asset_snapshots' THEN 'timestamp' ELSE 'start' END;
  week record;
  portion record;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Chunks are dropped up to an instant in the past only';
  END IF;
  dropped := 0;
  FOR week IN
    SELECT * FROM public.list_week_partitions(hypertable) WHERE range_end <= older_than ORDER BY range_end LIMIT chunks_max
  LOOP
    EXECUTE format('DROP TABLE %s', week.week_partition);
    dropped := dropped + 1;
    dropped_until := week.range_end;
  END LOOP;
  IF dropped > 0 THEN
    RETURN;
  END IF;
  EXECUTE format('SELECT count(*) AS rows, max(%1$I) AS until
                    FROM (SELECT %1$I FROM public.%2$I WHERE %1$I < %3$L ORDER BY %1$I LIMIT %4$s) AS oldest',
                 instant, hypertable || '_other', older_than, rows_max) INTO portion;
  IF portion.rows > 0 THEN
    EXECUTE format('DELETE FROM public.%I WHERE %I <= %L', hypertable || '_other', instant, portion.until);
    dropped := CASE WHEN portion.rows < rows_max THEN 1 ELSE chunks_max END;
    dropped_until := date_bin('15 minutes', portion.until, '2000-01-01 00:00:00+00') + interval '15 minutes';
  END IF;
END
$$;
COMMENT ON FUNCTION drop_oldest_chunks IS
  'Drops the oldest partitions that lie wholly before an instant, at most so many, or rows of others that do.';

CREATE OR REPLACE FUNCTION compressed_until(hypertable text) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
  SELECT '-infinity'::timestamptz
$$;
COMMENT ON FUNCTION compressed_until IS 'The end of the newest compressed part of a table: none is compressed.';

-- Where something is stored next, so that years without any are skipped. Null: nowhere.
CREATE OR REPLACE FUNCTION next_stored(hypertable text, since timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  of_week timestamptz;
  of_others timestamptz;
BEGIN
  SELECT min(greatest(range_start, since)) INTO of_week FROM public.list_week_partitions(hypertable) WHERE range_end > since;
  EXECUTE format('SELECT min(%1$I) FROM public.%2$I WHERE %1$I >= %3$L',
                 CASE hypertable WHEN 'asset_snapshots' THEN 'timestamp' ELSE 'start' END, hypertable || '_other', since)
     INTO of_others;
  RETURN least(of_week, of_others);
END
$$;
COMMENT ON FUNCTION next_stored IS 'The first instant not before another one at which a table of weeks may hold a row.';

CREATE OR REPLACE FUNCTION next_stored_snapshots(since timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT public.next_stored('asset_snapshots', since)
$$;
COMMENT ON FUNCTION next_stored_snapshots IS
  'The first instant not before another one at which asset_snapshots may hold a row.';

REVOKE ALL ON FUNCTION list_week_partitions, drop_oldest_chunks, compressed_until, next_stored, next_stored_snapshots,
  prepare_snapshot_partitions, find_snapshot_weeks_ahead FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_stored_snapshots, prepare_snapshot_partitions TO voltstream_maintenance;
GRANT EXECUTE ON FUNCTION find_snapshot_weeks_ahead TO voltstream_app;

-- So that the first rows of a new database find their weeks.
DO $$
BEGIN
  PERFORM public.prepare_snapshot_partitions(now(), 5);
END
$$;
