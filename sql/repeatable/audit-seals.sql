-- The hash chain over the audit log. The service may call these; the rows themselves it can neither read nor change.

GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

-- Number and hash of one day's rows (UTC). Columns are named one by one: a column that comes later would change the
-- hashes of days that were sealed without it.
CREATE OR REPLACE FUNCTION audit_day_hash(sealed_day date, previous bytea, OUT rows bigint, OUT hash bytea)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET TimeZone = 'UTC'
AS $$
  SELECT count(*),
         sha256(coalesce(previous, ''::bytea) || coalesce(string_agg(row_hash, ''::bytea ORDER BY id), ''::bytea))
    FROM (SELECT id,
                 sha256(convert_to(jsonb_build_array(
                   id, at, organization_id, client_id, grant_id, staff, act, object_id, route, reason, result,
                   request_id, address, before, after)::text, 'UTF8')) AS row_hash
            FROM public.audit_log
           WHERE at >= sealed_day::timestamptz AND at < (sealed_day + 1)::timestamptz) AS of_day
$$;

-- Seals every day that is over and has no seal yet, from the first day of the log on, empty days too: a hole in the
-- chain would hide a removed seal. A day is over ten minutes after its end, because a row carries the beginning of a
-- transaction that may still be open. Some days at a time: after a long stop one statement for all of them would run into
-- its time limit, and never get further. Its earlier form knew no number.
DROP FUNCTION IF EXISTS seal_audit_days();
CREATE OR REPLACE FUNCTION seal_audit_days(days_max integer DEFAULT 1)
RETURNS TABLE (day date, rows bigint, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET TimeZone = 'UTC'
AS $$
#variable_conflict use_column
DECLARE
  head public.audit_seals%ROWTYPE;
  next_day date;
  last_day date := (now() - interval '10 minutes')::date - 1;
  sealed record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('voltstream audit seals', 0));
  SELECT * INTO head FROM public.audit_seals ORDER BY day DESC LIMIT 1;
  next_day := coalesce(head.day + 1, (SELECT min(at)::date FROM public.audit_log));
  last_day := least(last_day, next_day + days_max - 1);
  WHILE next_day <= last_day LOOP
    SELECT * INTO sealed FROM public.audit_day_hash(next_day, head.hash);
    INSERT INTO public.audit_seals (day, rows, hash, previous_hash)
    VALUES (next_day, sealed.rows, sealed.hash, head.hash)
    RETURNING * INTO head;
    RETURN QUERY SELECT head.day, head.rows, head.hash;
    next_day := next_day + 1;
  END LOOP;
END
$$;

-- Compares seals with the log and with one another. Days whose rows are past their period have seals only: not asked.
CREATE OR REPLACE FUNCTION audit_seal_problems(first_day date, last_day date)
RETURNS TABLE (day date, problem text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT seal.day,
         CASE
           WHEN before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash
             THEN 'does not continue the seal of the day before'
           WHEN seal.rows <> now_there.rows
             THEN format('%s rows were sealed, %s are there', seal.rows, now_there.rows)
           ELSE 'the rows are not those that were sealed'
         END
    FROM public.audit_seals AS seal
    CROSS JOIN LATERAL public.audit_day_hash(seal.day, seal.previous_hash) AS now_there
    LEFT JOIN public.audit_seals AS before_it ON before_it.day = seal.day - 1
   WHERE seal.day BETWEEN first_day AND last_day
     AND (seal.hash <> now_there.hash
          OR (before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash))
   ORDER BY seal.day
$$;

COMMENT ON FUNCTION audit_day_hash IS 'Number and chained hash of the audit rows of one day (UTC).';
COMMENT ON FUNCTION seal_audit_days IS 'Seals days of the audit log that are over, at most so many; returns the new seals, oldest first.';
COMMENT ON FUNCTION audit_seal_problems IS 'Seals of some days that no longer fit the audit log or the seal before.';

ALTER FUNCTION audit_day_hash OWNER TO voltstream_system_reader;
ALTER FUNCTION seal_audit_days OWNER TO voltstream_system_reader;
ALTER FUNCTION audit_seal_problems OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION audit_day_hash, seal_audit_days, audit_seal_problems FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seal_audit_days, audit_seal_problems TO voltstream_app;
