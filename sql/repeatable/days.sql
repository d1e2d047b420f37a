-- Sums of quarter hours by day. By the role for maintenance, behind the lock of the quarter hours and in the transaction that
-- wrote them, as in quarter-hours.sql.

-- Days that are over, and no others: another day would be summed with each of its quarter hours. So whoever writes quarter
-- hours hands over what he wrote, whatever day it is. A day whose quarter hours were dropped stays as it is.
--
-- The plan is made for the values of each call: a general one asks every chunk.
CREATE OR REPLACE FUNCTION write_days_of_quarter_hours(keys bigint[], begun timestamptz, ended timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off SET work_mem = '64MB'
AS $$
DECLARE
  final_until timestamptz;
  dropped_until timestamptz;
  first_day date := (begun AT TIME ZONE 'Europe/Berlin')::date;
  end_day date;
  first_whole_day date;
  written bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  SELECT greatest(p.summed_until, p.days_summed_until::timestamp AT TIME ZONE 'Europe/Berlin'), p.quarter_hours_dropped_until
    INTO STRICT final_until, dropped_until FROM public.quarter_hour_progress AS p;
  end_day := least(((ended - interval '1 microsecond') AT TIME ZONE 'Europe/Berlin')::date + 1,
                   (final_until AT TIME ZONE 'Europe/Berlin')::date);
  IF first_day >= end_day THEN
    RETURN 0;
  END IF;
  first_whole_day := CASE WHEN isfinite(dropped_until)
                          THEN ((dropped_until - interval '1 microsecond') AT TIME ZONE 'Europe/Berlin')::date + 1
                          ELSE '-infinity' END;
  INSERT INTO public.asset_days AS kept
    (asset_id, day, quarter_hours, samples, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh)
  SELECT q.asset_id, (q.start AT TIME ZONE 'Europe/Berlin')::date, count(*) FILTER (WHERE q.samples > 0), sum(q.samples),
         min(q.power_kw_min), max(q.power_kw_max), sum(q.covered_seconds), sum(q.consumed_kwh), sum(q.fed_kwh)
    FROM public.asset_quarter_hours AS q
   WHERE q.asset_id = ANY (keys) AND q.start >= first_day::timestamp AT TIME ZONE 'Europe/Berlin'
     AND q.start < end_day::timestamp AT TIME ZONE 'Europe/Berlin'
   GROUP BY q.asset_id, (q.start AT TIME ZONE 'Europe/Berlin')::date
  ON CONFLICT (asset_id, day) DO UPDATE
     SET (quarter_hours, samples, power_kw_min, power_kw_max, covered_seconds, consumed_kwh, fed_kwh)
       = ROW (excluded.quarter_hours, excluded.samples, excluded.power_kw_min, excluded.power_kw_max,
              excluded.covered_seconds, excluded.consumed_kwh, excluded.fed_kwh)
   WHERE excluded.day >= first_whole_day;
  GET DIAGNOSTICS written = ROW_COUNT;
  RETURN written;
END
$$;
COMMENT ON FUNCTION write_days_of_quarter_hours IS
  'Sums the quarter hours of assets by day, for the days of a span that are over; returns their number.';

-- Years without quarter hours are skipped. No row: all days that are over are summed. Both days alike: nothing is stored up to
-- there.
CREATE OR REPLACE FUNCTION next_days_to_sum(days_max integer) RETURNS TABLE (first_day date, end_day date)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  since date;
  over date;
  stored date;
BEGIN
  SELECT p.days_summed_until, (p.summed_until AT TIME ZONE 'Europe/Berlin')::date INTO STRICT since, over
    FROM public.quarter_hour_progress AS p;
  IF since >= over THEN
    RETURN;
  END IF;
  stored := (public.next_stored('asset_quarter_hours', since::timestamp AT TIME ZONE 'Europe/Berlin')
               AT TIME ZONE 'Europe/Berlin')::date;
  first_day := least(coalesce(stored, over), over);
  end_day := least(first_day + days_max, over);
  RETURN NEXT;
END
$$;
COMMENT ON FUNCTION next_days_to_sum IS
  'The next days that are over and not summed yet, at most so many; the second day is no longer one of them.';

CREATE OR REPLACE FUNCTION advance_days(until date) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE public.quarter_hour_progress SET days_summed_until = until WHERE days_summed_until < until
$$;
COMMENT ON FUNCTION advance_days IS 'Says that days before this one are summed.';

-- Some rows at a time, so that no statement runs into its time limit.
CREATE OR REPLACE FUNCTION delete_old_days(older_than date, rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  deleted bigint;
BEGIN
  IF older_than IS NULL OR older_than > now() THEN
    RAISE EXCEPTION 'Days are deleted up to one in the past only';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream quarter hours', 0));
  DELETE FROM public.asset_days AS d
   WHERE (d.asset_id, d.day) IN (SELECT old.asset_id, old.day FROM public.asset_days AS old
                                  WHERE old.day < older_than ORDER BY old.day LIMIT rows_max);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  UPDATE public.quarter_hour_progress SET days_dropped_until = older_than
   WHERE days_dropped_until < older_than AND deleted > 0;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_days IS
  'Deletes sums by day before a day, at most so many; returns their number.';

REVOKE ALL ON FUNCTION write_days_of_quarter_hours, next_days_to_sum, advance_days, delete_old_days FROM PUBLIC;
GRANT EXECUTE ON FUNCTION write_days_of_quarter_hours, next_days_to_sum, advance_days, delete_old_days
  TO voltstream_maintenance;
