-- Documents that are due and could not be made stand in the tables of organizations; how many of them are late, or will be
-- soon, is asked for all together. The law sets no day for a correction: one that failed by a defect is counted at once, since
-- nothing that somebody enters ends it. Days and causes only: no contract is named. Not of an organization that is switched off:
-- no run makes its documents. The earlier form knew no such corrections.
GRANT CREATE ON SCHEMA public TO voltstream_system_reader;

DROP FUNCTION IF EXISTS count_missing_documents(date, date);
CREATE FUNCTION count_missing_documents(today date, near_until date)
RETURNS TABLE (code text, late bigint, near bigint, undated bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT missing.code, count(*) FILTER (WHERE missing.deadline <= today),
         count(*) FILTER (WHERE missing.deadline > today), count(*) FILTER (WHERE missing.deadline IS NULL)
    FROM (SELECT refusal.code, refusal.deadline
            FROM public.billing_refusals AS refusal
            JOIN public.organizations AS o
              ON o.id = refusal.organization_id AND o.standing IN ('in_order', 'past_due')
           WHERE refusal.deadline IS NOT NULL AND refusal.deadline <= near_until
           UNION ALL
          SELECT refusal.code, refusal.deadline
            FROM public.organizations AS o
            JOIN public.billing_refusals AS refusal
              ON refusal.organization_id = o.id AND refusal.code = 'defect' AND refusal.deadline IS NULL
           WHERE o.standing IN ('in_order', 'past_due')) AS missing
   GROUP BY missing.code;
END;
COMMENT ON FUNCTION count_missing_documents IS
  'How many documents are late or near their deadline, or have none and failed by a defect, by what is missing: for metrics.';

-- What docs/billing-procedure.md says of issued documents, asked of all of them: erased persons' too. A number is missing where
-- the document before it is still kept: the one that had it was issued later. Where none is left, all must have been removed by
-- age. Always one row at least, with the count.
CREATE OR REPLACE FUNCTION list_document_problems(rows_max integer)
RETURNS TABLE (documents bigint, organization_id text, document text, problem text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  WITH numbered AS (
    SELECT ledger.organization_id, i.id, coalesce(i.ledger_number, 0) AS number, ledger.last_number,
           ledger.removed_number,
           lead(i.ledger_number) OVER (PARTITION BY ledger.organization_id ORDER BY i.ledger_number) AS next,
           i.issued_at
      FROM public.invoice_ledgers AS ledger
      LEFT JOIN public.invoices AS i ON i.organization_id = ledger.organization_id
  ), kept AS (
    SELECT make_date(extract(year FROM now() AT TIME ZONE 'Europe/Berlin')::integer - 8, 1, 1)::timestamp
             AT TIME ZONE 'Europe/Berlin' AS since
  ), found AS (
    SELECT n.organization_id, n.id, format('behind number %s of the ledger one is missing', n.number) AS problem
      FROM numbered AS n CROSS JOIN kept
     WHERE coalesce(n.next, n.last_number + 1) <> n.number + 1 AND (n.issued_at >= kept.since OR n.number = 0)
       AND (n.number > 0 OR n.last_number > n.removed_number)
    UNION ALL
    SELECT i.organization_id, i.id, 'its lines do not add up to it'
      FROM public.invoices AS i
      LEFT JOIN (SELECT l.organization_id, l.invoice_id, sum(l.net) AS net FROM public.invoice_lines AS l GROUP BY 1, 2) AS lines
        ON lines.organization_id = i.organization_id AND lines.invoice_id = i.id
     WHERE coalesce(lines.net, 0) <> i.net
    UNION ALL
    SELECT i.organization_id, i.id, 'it is voided, and no document reverses it'
      FROM public.invoices AS i
     WHERE i.status = 'voided' AND NOT EXISTS (
             SELECT FROM public.invoices AS v WHERE v.organization_id = i.organization_id AND v.voids = i.id)
    UNION ALL
    SELECT v.organization_id, v.id, 'it does not reverse what it names'
      FROM public.invoices AS v
      JOIN public.invoices AS i ON i.organization_id = v.organization_id AND i.id = v.voids
     WHERE i.status <> 'voided' OR i.net <> -v.net OR i.tax <> -v.tax OR i.deducted <> -v.deducted
    UNION ALL
    SELECT i.organization_id, i.id, 'it is paid without a payment'
      FROM public.invoices AS i
     WHERE i.status = 'paid' AND i.total <> 0
       AND NOT EXISTS (SELECT FROM public.payments AS p WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id)
       AND NOT EXISTS (SELECT FROM public.invoices AS o
                        WHERE o.organization_id = i.organization_id AND o.id = i.voids AND o.paid_at IS NULL)
  )
  SELECT counted.documents, found.organization_id, found.id, found.problem
    FROM (SELECT count(*) AS documents FROM public.invoices) AS counted
    LEFT JOIN found ON true
   LIMIT rows_max;
END;
COMMENT ON FUNCTION list_document_problems IS
  'How many documents there are, and which of them have other numbers, lines, reversals or payments than they must have.';

-- Open bills of the organization that is set with exactly this total, those that are due first first. Numbers are compared in a
-- function, because row-level security keeps their comparison from every index.
CREATE OR REPLACE FUNCTION list_open_bills_of_total(wanted numeric, rows_max integer)
RETURNS TABLE (id text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 5 SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT i.id FROM public.invoices AS i
   WHERE i.organization_id = nullif(current_setting('app.organization', true), '')
     AND nullif(current_setting('app.customer', true), '') IS NULL
     AND i.status = 'open' AND i.total = wanted AND i.restricted_at IS NULL
   ORDER BY i.total, i.due_on, i.id
   LIMIT rows_max;
END;
COMMENT ON FUNCTION list_open_bills_of_total IS 'Open bills of the organization with exactly this total, at most so many.';

ALTER FUNCTION list_document_problems OWNER TO voltstream_system_reader;
REVOKE ALL ON FUNCTION list_document_problems FROM PUBLIC;
ALTER FUNCTION list_open_bills_of_total OWNER TO voltstream_system_reader;
REVOKE ALL ON FUNCTION list_open_bills_of_total FROM PUBLIC;
ALTER FUNCTION count_missing_documents OWNER TO voltstream_system_reader;
REVOKE CREATE ON SCHEMA public FROM voltstream_system_reader;
REVOKE ALL ON FUNCTION count_missing_documents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_missing_documents TO voltstream_app;
GRANT EXECUTE ON FUNCTION list_document_problems TO voltstream_app;
GRANT EXECUTE ON FUNCTION list_open_bills_of_total TO voltstream_app;
