-- Documents that are due and could not be made stand in the tables of organizations; how many of them are late, or will be
-- soon, is asked for all together. Days and causes only: no contract is named.
GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

CREATE OR REPLACE FUNCTION count_missing_documents(today date, near_until date)
RETURNS TABLE (code text, late bigint, near bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT refusal.code, count(*) FILTER (WHERE refusal.deadline <= today),
         count(*) FILTER (WHERE refusal.deadline > today)
    FROM public.billing_refusals AS refusal
   WHERE refusal.deadline IS NOT NULL AND refusal.deadline <= near_until
   GROUP BY refusal.code;
END;
COMMENT ON FUNCTION count_missing_documents IS 'How many documents are late or near their deadline, by what is missing: for metrics.';

ALTER FUNCTION count_missing_documents OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION count_missing_documents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_missing_documents TO voltstream_app;
