-- What is billed is billed, whoever may still read it: the service does not see the documents of a person who was erased, and
-- its next run took all days of that person for days without a bill.
CREATE FUNCTION list_issued_periods(first_contract text, last_contract text)
RETURNS TABLE (subscription_id text, usage_from text[], usage_until text[], prepayment text[], has_exit_summary boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT i.subscription_id,
         coalesce(array_agg(d.first::text ORDER BY d.first) FILTER (WHERE i.type = 'usage'), '{}'),
         coalesce(array_agg(d.until::text ORDER BY d.first) FILTER (WHERE i.type = 'usage'), '{}'),
         coalesce(array_agg(d.first::text) FILTER (WHERE i.type = 'prepayment'), '{}'),
         bool_or(i.type = 'exit_summary')
    FROM public.invoices AS i
   CROSS JOIN LATERAL (SELECT (i.period_start AT TIME ZONE 'Europe/Berlin')::date AS first,
                              (i.period_end AT TIME ZONE 'Europe/Berlin')::date AS until) AS d
   WHERE i.organization_id = nullif(current_setting('app.organization', true), '')
     AND i.customer_id = coalesce(nullif(current_setting('app.customer', true), ''), i.customer_id)
     AND i.subscription_id BETWEEN first_contract AND last_contract
     AND i.type <> 'void' AND i.status <> 'voided'
   GROUP BY i.subscription_id
$$;
COMMENT ON FUNCTION list_issued_periods(text, text) IS
  'Days that contracts of the organization have bills about, and first days of prepayments, also of restricted documents; those that were reversed do not count.';
REVOKE ALL ON FUNCTION list_issued_periods(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_issued_periods(text, text) TO voltstream_app;
