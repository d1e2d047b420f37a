-- What happens to bills that are only kept: hidden when the person is erased, removed when their time is over. The service
-- may do neither by itself: it could not change a row into one that it does not see, and it may delete none.

-- Of the organization that is set, so that no caller reaches another one's. What is restricted stays so.
CREATE OR REPLACE FUNCTION restrict_invoices(customer text, since timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  organization constant text := nullif(current_setting('app.organization', true), '');
  restricted bigint;
BEGIN
  IF organization IS NULL OR nullif(current_setting('app.customer', true), '') IS NOT NULL THEN
    RAISE EXCEPTION 'Bills are restricted by who acts for the organization' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE public.invoices SET restricted_at = since
   WHERE organization_id = organization AND customer_id = customer AND restricted_at IS NULL;
  GET DIAGNOSTICS restricted = ROW_COUNT;
  UPDATE public.invoice_lines AS l SET restricted_at = since
    FROM public.invoices AS i
   WHERE i.organization_id = organization AND i.customer_id = customer
     AND l.organization_id = organization AND l.invoice_id = i.id AND l.restricted_at IS NULL;
  UPDATE public.invoice_files AS f SET restricted_at = since
    FROM public.invoices AS i
   WHERE i.organization_id = organization AND i.customer_id = customer
     AND f.organization_id = organization AND f.invoice_id = i.id AND f.restricted_at IS NULL;
  RETURN restricted;
END
$$;
COMMENT ON FUNCTION restrict_invoices IS
  'Hides the bills of an erased customer from everybody but the finance role; returns how many.';
REVOKE ALL ON FUNCTION restrict_invoices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restrict_invoices TO voltstream_app;

-- Some at a time, so that no statement holds its locks for long. Their lines, files and payments go with them. A document
-- that another one reverses goes after that one: a reversal says nothing without it.
CREATE OR REPLACE FUNCTION delete_old_invoices(rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  deleted bigint;
BEGIN
  DELETE FROM public.invoices AS gone
   USING (SELECT i.organization_id, i.id FROM public.invoices AS i
           WHERE i.retain_until < (now() AT TIME ZONE 'Europe/Berlin')::date
             AND NOT EXISTS (SELECT FROM public.invoices AS v
                              WHERE v.organization_id = i.organization_id AND v.voids = i.id)
           ORDER BY i.retain_until
           LIMIT rows_max) AS old
   WHERE gone.organization_id = old.organization_id AND gone.id = old.id;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_invoices IS
  'Deletes documents that need not be kept any more, at most so many, with what belongs to them; returns their number.';
REVOKE ALL ON FUNCTION delete_old_invoices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_invoices TO voltstream_maintenance;
