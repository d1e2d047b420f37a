-- How far the sums by quarter hour are, and what waits to be summed again. By the role for maintenance, as in
-- quarter-hours.sql; whoever shows the state of the service may look.

-- An entry whose day has more snapshots than one statement can read in its time becomes an entry for each quarter hour: the
-- oldest one of the organization whose turn it is. The next portion is of another organization.
CREATE OR REPLACE FUNCTION split_late_quarter_hours() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH turn AS (
    SELECT coalesce((SELECT min(organization) FROM public.late_quarter_hours WHERE organization > late_turn),
                    (SELECT min(organization) FROM public.late_quarter_hours)) AS name
      FROM public.quarter_hour_progress
  ), turned AS (
    UPDATE public.quarter_hour_progress SET late_turn = turn.name FROM turn WHERE turn.name IS NOT NULL
  ), taken AS (
    DELETE FROM public.late_quarter_hours
     WHERE id = (SELECT id FROM public.late_quarter_hours WHERE organization = (SELECT turn.name FROM turn)
                  ORDER BY id LIMIT 1)
    RETURNING asset_id, start, quarter_hours, queued_at
  ), parts AS (
    INSERT INTO public.late_quarter_hours (asset_id, start, quarter_hours, queued_at)
    SELECT asset_id, start + step * interval '15 minutes', 1, queued_at
      FROM taken CROSS JOIN LATERAL generate_series(0, quarter_hours - 1) AS step
    RETURNING 1
  )
  SELECT count(*) FROM parts
$$;
COMMENT ON FUNCTION split_late_quarter_hours IS
  'Makes single quarter hours of the oldest entry of late_quarter_hours whose turn it is; returns their number.';

CREATE OR REPLACE FUNCTION advance_quarter_hours(until timestamptz, known_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT isfinite(until) OR until <> date_bin('15 minutes', until, '2000-01-01 00:00:00+00') THEN
    RAISE EXCEPTION 'Sums are final up to the beginning of a quarter hour';
  END IF;
  UPDATE public.quarter_hour_progress
     SET summed_until = greatest(summed_until, until), summed_at = greatest(summed_at, known_at);
END
$$;
COMMENT ON FUNCTION advance_quarter_hours IS
  'Says that quarter hours before the first instant are final, and up to which instant of the clock sums know what was sent, but for what waits to be summed again.';

-- Waiting entries are counted up to a number: the queue may be long. The oldest is looked for in each organization: parts of an
-- entry that was split are as old as that one was, and come last.
CREATE OR REPLACE FUNCTION find_quarter_hour_progress(
  entries_counted_max integer,
  OUT summed_until timestamptz, OUT summed_at timestamptz, OUT late_entries bigint, OUT oldest_late_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH RECURSIVE names AS (
    SELECT min(late.organization) AS name FROM public.late_quarter_hours AS late
    UNION ALL
    SELECT (SELECT min(late.organization) FROM public.late_quarter_hours AS late WHERE late.organization > names.name)
      FROM names WHERE names.name IS NOT NULL
  ), oldest AS (
    SELECT min((SELECT min(late.queued_at) FROM public.late_quarter_hours AS late
                 WHERE late.organization = names.name)) AS queued_at
      FROM names
  )
  SELECT nullif(progress.summed_until, '-infinity'),
         CASE WHEN progress.summed_at IS NOT NULL THEN least(progress.summed_at, oldest.queued_at) END,
         (SELECT count(*) FROM (SELECT FROM public.late_quarter_hours LIMIT entries_counted_max) AS counted),
         oldest.queued_at
    FROM public.quarter_hour_progress AS progress CROSS JOIN oldest
$$;
COMMENT ON FUNCTION find_quarter_hour_progress IS
  'How far the sums by quarter hour have come, and what waits to be summed again.';

REVOKE ALL ON FUNCTION split_late_quarter_hours, advance_quarter_hours, find_quarter_hour_progress FROM PUBLIC;
GRANT EXECUTE ON FUNCTION split_late_quarter_hours, advance_quarter_hours, find_quarter_hour_progress
  TO voltstream_maintenance;
GRANT EXECUTE ON FUNCTION find_quarter_hour_progress TO voltstream_app;
