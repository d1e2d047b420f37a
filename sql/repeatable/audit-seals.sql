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

-- Seals every day that is over and has no seal yet, from the first day of the chain on, empty days too: a hole in the
-- chain would hide a removed seal. A day is over ten minutes after its end, because the transaction that wrote a row of it
-- may still be open. Some days at a time: after a long stop one statement for all of them would run into
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
  next_day := coalesce(head.day + 1, (SELECT first_day FROM public.audit_chain),
                       (SELECT min(at)::date FROM public.audit_log));
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

-- Compares seals of some days with the rows of the log, and keeps at each seal what does not fit. Rows are kept for 24
-- months: older days have their seals only, and nothing is said of them. Returns the number of days that were compared.
CREATE OR REPLACE FUNCTION compare_audit_seals(first_day date, last_day date) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET TimeZone = 'UTC'
AS $$
DECLARE
  -- Of the day before it some rows may be gone already.
  oldest_whole_day constant date := (now() - interval '24 months')::date + 1;
  compared bigint;
BEGIN
  UPDATE public.audit_seals SET problem = NULL
   WHERE day BETWEEN first_day AND last_day AND day < oldest_whole_day AND problem IS NOT NULL;
  WITH found AS MATERIALIZED (
    SELECT seal.day,
           CASE
             WHEN seal.rows <> now_there.rows
               THEN format('%s rows were sealed, %s are there', seal.rows, now_there.rows)
             WHEN seal.hash <> now_there.hash
               THEN 'the rows are not those that were sealed'
           END AS problem
      FROM public.audit_seals AS seal
     CROSS JOIN LATERAL public.audit_day_hash(seal.day, seal.previous_hash) AS now_there
     WHERE seal.day BETWEEN greatest(first_day, oldest_whole_day) AND last_day
  ), kept AS (
    UPDATE public.audit_seals AS seal SET problem = found.problem
      FROM found
     WHERE seal.day = found.day AND seal.problem IS DISTINCT FROM found.problem
  )
  SELECT count(*) INTO compared FROM found;
  RETURN compared;
END
$$;

-- The days that do not fit now: rows as they were when they were last compared, and the chain itself as it is. Reads one
-- short row a day and none of the log. Its earlier form compared rows.
DROP FUNCTION IF EXISTS audit_seal_problems(date, date);
CREATE OR REPLACE FUNCTION audit_seal_problems() RETURNS TABLE (day date, problem text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT NULL::date, 'where the chain begins is not there any more'
   WHERE NOT EXISTS (SELECT FROM public.audit_chain)
  UNION ALL
  SELECT missing::date, 'its seal is missing'
    FROM public.audit_chain AS chain
   CROSS JOIN LATERAL generate_series(
           chain.first_day::timestamp, (SELECT max(s.day) FROM public.audit_seals AS s), interval '1 day') AS missing
   WHERE NOT EXISTS (SELECT FROM public.audit_seals AS s WHERE s.day = missing::date)
  UNION ALL
  SELECT seal.day,
         CASE WHEN seal.day <= chain.first_day
           THEN 'it is not the first one of the chain'
           ELSE 'does not continue the seal of the day before'
         END
    FROM public.audit_seals AS seal
    LEFT JOIN public.audit_seals AS before_it ON before_it.day = seal.day - 1
    LEFT JOIN public.audit_chain AS chain ON true
   WHERE seal.day < chain.first_day
      OR (seal.day = chain.first_day AND seal.previous_hash IS NOT NULL)
      OR (before_it.day IS NOT NULL AND seal.previous_hash IS DISTINCT FROM before_it.hash)
  UNION ALL
  SELECT seal.day, seal.problem FROM public.audit_seals AS seal WHERE seal.problem IS NOT NULL
   ORDER BY 1 NULLS FIRST, 2
$$;

COMMENT ON FUNCTION audit_day_hash IS 'Number and chained hash of the audit rows of one day (UTC).';
COMMENT ON FUNCTION seal_audit_days IS 'Seals days of the audit log that are over, at most so many; returns the new seals, oldest first.';
COMMENT ON FUNCTION compare_audit_seals IS
  'Compares seals of some days with the audit rows and keeps what does not fit; returns the number of days.';
COMMENT ON FUNCTION audit_seal_problems IS 'Days whose seal does not fit the audit log or the seal before, or is missing.';

ALTER FUNCTION audit_day_hash OWNER TO voltstream_system_reader;
ALTER FUNCTION seal_audit_days OWNER TO voltstream_system_reader;
ALTER FUNCTION compare_audit_seals OWNER TO voltstream_system_reader;
ALTER FUNCTION audit_seal_problems OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION audit_day_hash, seal_audit_days, compare_audit_seals, audit_seal_problems FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seal_audit_days, compare_audit_seals, audit_seal_problems TO voltstream_app;

COMMENT ON COLUMN audit_log.object_id IS
  'Id of what it was done to; of a page of a list that was read, whose its items are, with blanks between the ids.';
