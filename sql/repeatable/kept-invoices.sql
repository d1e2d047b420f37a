-- Bills that are only kept are hidden when the person is erased, and removed when their time is over. The service may do
-- neither by itself: it could not change a row into one that it does not see, and it may delete none.

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
  UPDATE public.payments SET restricted_at = since
   WHERE organization_id = organization AND customer_id = customer AND restricted_at IS NULL;
  -- A movement of the bank can be about bills of several people: the last of them takes it along.
  UPDATE public.bank_entries AS e SET restricted_at = since
   WHERE e.organization_id = organization AND e.restricted_at IS NULL
     AND e.id IN (SELECT p.bank_entry_id FROM public.payments AS p
                   WHERE p.organization_id = organization AND p.customer_id = customer)
     AND NOT EXISTS (SELECT FROM public.payments AS p
                      WHERE p.organization_id = organization AND p.bank_entry_id = e.id AND p.restricted_at IS NULL);
  -- What staff set aside names its payer too. An account that others have as well stays for them.
  UPDATE public.bank_entries AS e SET restricted_at = since
   WHERE e.organization_id = organization AND e.restricted_at IS NULL AND e.state = 'set_aside'
     AND e.iban IN (SELECT m.iban FROM public.payment_methods AS m
                     WHERE m.organization_id = organization AND m.customer_id = customer)
     AND NOT EXISTS (SELECT FROM public.payment_methods AS m
                      WHERE m.organization_id = organization AND m.customer_id <> customer AND m.iban = e.iban);
  -- A file for the bank has many people in it and was handed over long ago: nobody but bookkeepers needs it any more.
  UPDATE public.payment_files AS f SET restricted_at = since
   WHERE f.organization_id = organization AND f.restricted_at IS NULL
     AND f.id IN (SELECT p.file_id FROM public.payments AS p
                   WHERE p.organization_id = organization AND p.customer_id = customer);
  RETURN restricted;
END
$$;
COMMENT ON FUNCTION restrict_invoices IS
  'Hides the bills and payments of an erased customer from everybody but the finance role; returns how many.';
REVOKE ALL ON FUNCTION restrict_invoices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION restrict_invoices TO voltstream_app;

-- Whether the bank reported anything of a file of the organization that is set, also of persons who were erased since.
CREATE OR REPLACE FUNCTION is_file_reported(file text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
  SELECT EXISTS (SELECT FROM public.payments AS p
                  WHERE p.organization_id = nullif(current_setting('app.organization', true), '')
                    AND nullif(current_setting('app.customer', true), '') IS NULL
                    AND p.file_id = file AND p.bank_entry_id IS NOT NULL);
END;
COMMENT ON FUNCTION is_file_reported IS
  'Whether a payment of this file of the organization was booked by a movement, also one of a person who was erased.';
REVOKE ALL ON FUNCTION is_file_reported FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_file_reported TO voltstream_app;

-- Some at a time, so that no statement holds its locks for long. Their lines, files and payments go with them. A document and
-- the one that reverses it go together, when both are over: neither says anything without the other. The newest of a contract
-- that goes on stays: from its number on the next one counts. Nothing goes on for an erased person.
CREATE OR REPLACE FUNCTION delete_old_invoices(rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  today constant date := (now() AT TIME ZONE 'Europe/Berlin')::date;
  deleted bigint;
BEGIN
  WITH old AS (
    SELECT i.organization_id, ARRAY[i.id, v.id] AS ids
      FROM public.invoices AS i
      LEFT JOIN public.invoices AS v ON v.organization_id = i.organization_id AND v.voids = i.id
     WHERE i.voids IS NULL AND i.retain_until < today AND coalesce(v.retain_until < today, true)
       AND NOT EXISTS (
             SELECT FROM public.subscriptions AS s
              WHERE s.organization_id = i.organization_id AND s.id = i.subscription_id AND s.status <> 'ended'
                AND NOT EXISTS (SELECT FROM public.customers AS c
                                 WHERE c.organization_id = s.organization_id AND c.id = s.customer_id
                                   AND c.erased_at IS NOT NULL)
                AND greatest(i.running_number, v.running_number)
                    = (SELECT max(n.running_number) FROM public.invoices AS n
                        WHERE n.organization_id = s.organization_id AND n.subscription_id = s.id))
     ORDER BY i.retain_until
     LIMIT rows_max
  ), gone AS (
    DELETE FROM public.invoices AS i USING old
     WHERE i.organization_id = old.organization_id AND i.id = ANY (old.ids)
    RETURNING i.organization_id, i.ledger_number
  ), noted AS (
    UPDATE public.invoice_ledgers AS l SET removed_number = greatest(l.removed_number, removed.number)
      FROM (SELECT gone.organization_id, max(gone.ledger_number) AS number FROM gone GROUP BY 1) AS removed
     WHERE l.organization_id = removed.organization_id
  )
  SELECT count(*) INTO deleted FROM gone;
  RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_old_invoices IS
  'Deletes documents that need not be kept any more, at most so many and those that reverse them, with what belongs to them; returns their number.';
REVOKE ALL ON FUNCTION delete_old_invoices FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_invoices TO voltstream_maintenance;

-- Messages to and from the bank are kept as long as the documents that they are vouchers of: eight years from the end of the
-- year.
CREATE OR REPLACE FUNCTION delete_old_vouchers(rows_max integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- The first day of the oldest year of which anything is kept.
  oldest constant date := date_trunc('year', now() AT TIME ZONE 'Europe/Berlin') - interval '8 years';
  files bigint;
  entries bigint;
BEGIN
  DELETE FROM public.payment_files AS gone
   USING (SELECT f.organization_id, f.id FROM public.payment_files AS f
           WHERE f.created_at < oldest::timestamp AT TIME ZONE 'Europe/Berlin'
             AND NOT EXISTS (SELECT FROM public.payments AS p
                              WHERE p.organization_id = f.organization_id AND p.file_id = f.id)
           ORDER BY f.created_at
           LIMIT rows_max) AS old
   WHERE gone.organization_id = old.organization_id AND gone.id = old.id;
  GET DIAGNOSTICS files = ROW_COUNT;
  DELETE FROM public.bank_entries AS gone
   USING (SELECT e.organization_id, e.id FROM public.bank_entries AS e
           WHERE e.booked_on < oldest
             AND NOT EXISTS (SELECT FROM public.payments AS p
                              WHERE p.organization_id = e.organization_id AND p.bank_entry_id = e.id)
           ORDER BY e.booked_on
           LIMIT rows_max - files) AS old
   WHERE gone.organization_id = old.organization_id AND gone.id = old.id;
  GET DIAGNOSTICS entries = ROW_COUNT;
  RETURN files + entries;
END
$$;
COMMENT ON FUNCTION delete_old_vouchers IS
  'Deletes files for the bank and movements of the account after eight years, at most so many; returns their number.';
REVOKE ALL ON FUNCTION delete_old_vouchers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_vouchers TO voltstream_maintenance;
