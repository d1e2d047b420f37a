-- What was issued cannot be made to say something else by whoever writes into the database, the service's own role and the
-- owner of the tables among them: numbers follow each other, lines belong to the transaction that issues the document and add
-- up to it, and a state has its cause. What several statements make true together is looked at when they commit.

-- Which numbers a transaction gives: those behind number_before. Set by the trigger alone.
ALTER TABLE invoice_ledgers ADD COLUMN number_before bigint, ADD COLUMN moved_in xid8;
COMMENT ON COLUMN invoice_ledgers.number_before IS 'last_number before the transaction that changed it last.';
COMMENT ON COLUMN invoice_ledgers.moved_in IS 'That transaction.';

CREATE FUNCTION move_invoice_ledger() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.number_before := 0;
  ELSIF NEW.last_number < OLD.last_number THEN
    RAISE EXCEPTION 'Ledger of %: % documents were issued, and their number never falls', OLD.organization_id, OLD.last_number
      USING ERRCODE = 'restrict_violation';
  ELSIF OLD.moved_in = pg_current_xact_id() THEN
    NEW.number_before := OLD.number_before;
  ELSE
    NEW.number_before := OLD.last_number;
  END IF;
  NEW.moved_in := pg_current_xact_id();
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION move_invoice_ledger() IS 'Says which numbers the transaction gives.';
CREATE TRIGGER move_invoice_ledger BEFORE INSERT OR UPDATE ON invoice_ledgers
  FOR EACH ROW EXECUTE FUNCTION move_invoice_ledger();

-- At the commit, for all documents of the transaction at once.
CREATE FUNCTION check_issued() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
-- A few rows by index, also where it was planned while the tables were small.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  given bigint;
  ledger invoice_ledgers;
  wrong record;
BEGIN
  SELECT * INTO ledger FROM invoice_ledgers WHERE organization_id = NEW.organization_id;
  SELECT count(*) INTO given FROM invoices
   WHERE organization_id = NEW.organization_id
     AND ledger_number > ledger.number_before AND ledger_number <= ledger.last_number;
  IF given IS DISTINCT FROM ledger.last_number - ledger.number_before THEN
    RAISE EXCEPTION 'Ledger of %: % documents have the numbers from % to %', NEW.organization_id, given,
      ledger.number_before + 1, ledger.last_number USING ERRCODE = 'check_violation';
  END IF;
  SELECT i.id, CASE WHEN lines.net <> i.net THEN format('its lines add up to %s, and it says %s', lines.net, i.net)
                    WHEN i.running_number <> earlier.number + 1
                    THEN format('number %s does not follow %s, the last one of its contract', i.running_number, earlier.number)
                    ELSE format('it does not reverse %s', i.voids) END AS problem
    INTO wrong
    FROM invoices AS i
   CROSS JOIN LATERAL (
           SELECT coalesce(sum(l.net), 0) AS net FROM invoice_lines AS l
            WHERE l.organization_id = i.organization_id AND l.invoice_id = i.id) AS lines
   CROSS JOIN LATERAL (
           SELECT coalesce(max(e.running_number), 0) AS number FROM invoices AS e
            WHERE e.organization_id = i.organization_id AND e.subscription_id = i.subscription_id
              AND e.running_number < i.running_number) AS earlier
   WHERE i.organization_id = NEW.organization_id
     AND i.ledger_number > ledger.number_before AND i.ledger_number <= ledger.last_number
     AND (lines.net <> i.net OR i.running_number <> earlier.number + 1
          OR i.voids IS NOT NULL AND NOT EXISTS (
               SELECT FROM invoices AS o
                WHERE o.organization_id = i.organization_id AND o.id = i.voids AND o.status = 'voided'
                  AND o.net = -i.net AND o.tax = -i.tax AND o.deducted = -i.deducted))
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Invoice %: %', wrong.id, wrong.problem USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION check_issued() IS
  'Refuses a ledger ahead of its documents, and documents that their lines do not add up to, that leave out a number of their contract, or that reverse nothing.';
CREATE CONSTRAINT TRIGGER check_issued AFTER INSERT OR UPDATE ON invoice_ledgers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_issued();

CREATE FUNCTION refuse_other_numbers() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  wrong record;
BEGIN
  SELECT i.id, i.ledger_number INTO wrong
    FROM added AS i LEFT JOIN invoice_ledgers AS l ON l.organization_id = i.organization_id
   WHERE (l.moved_in = pg_current_xact_id() AND i.ledger_number > l.number_before AND i.ledger_number <= l.last_number)
         IS NOT TRUE
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Invoice %: % is not the next number of the ledger', wrong.id, wrong.ledger_number
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_other_numbers() IS 'Refuses documents with a number that the ledger does not give in this transaction.';
CREATE TRIGGER refuse_other_numbers AFTER INSERT ON invoices
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_numbers();

-- A document may be voided because another one reverses it. It may be paid because that much was paid, because nothing is to
-- be paid, or because it reverses a document that nobody had paid.
CREATE FUNCTION check_invoice_status() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  settled numeric;
BEGIN
  IF NEW.status = 'voided' THEN
    PERFORM FROM invoices WHERE organization_id = NEW.organization_id AND voids = NEW.id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'Invoice %: no document reverses it', NEW.id USING ERRCODE = 'check_violation';
    END IF;
  ELSIF NEW.status = 'paid' AND NEW.total <> 0 THEN
    PERFORM FROM invoices WHERE organization_id = NEW.organization_id AND id = NEW.voids AND paid_at IS NULL;
    IF NOT FOUND THEN
      SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0) INTO settled FROM payments
       WHERE organization_id = NEW.organization_id AND invoice_id = NEW.id AND status = 'settled';
      IF settled * sign(NEW.total) < abs(NEW.total) THEN
        RAISE EXCEPTION 'Invoice %: % of % was paid', NEW.id, settled, NEW.total USING ERRCODE = 'check_violation';
      END IF;
    END IF;
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION check_invoice_status() IS 'Refuses a document that is voided without a reversal, or paid without a payment.';
CREATE CONSTRAINT TRIGGER check_invoice_status_of_new AFTER INSERT ON invoices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status <> 'open') EXECUTE FUNCTION check_invoice_status();
CREATE CONSTRAINT TRIGGER check_invoice_status AFTER UPDATE OF status ON invoices
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION check_invoice_status();

CREATE FUNCTION refuse_later_lines() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
-- A few rows by index, also where it was planned while the tables were small.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  later text;
BEGIN
  SELECT line.invoice_id INTO later
    FROM (SELECT DISTINCT organization_id, invoice_id FROM added) AS line
    LEFT JOIN invoices AS i ON i.organization_id = line.organization_id AND i.id = line.invoice_id
    LEFT JOIN invoice_ledgers AS l ON l.organization_id = line.organization_id
   WHERE (l.moved_in = pg_current_xact_id() AND i.ledger_number > l.number_before) IS NOT TRUE
   LIMIT 1;
  IF later IS NOT NULL THEN
    RAISE EXCEPTION 'Invoice % was issued: it gets no more lines', later USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_later_lines() IS 'Refuses lines for a document of an earlier transaction.';
CREATE TRIGGER refuse_later_lines AFTER INSERT ON invoice_lines
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_later_lines();

-- As before, and the state moves only as src/invoices/issue/moves.ts has it.
CREATE OR REPLACE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  free constant text[] := ARRAY['status', 'paid_at', 'restricted_at', 'retain_until'];
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.retain_until < (now() AT TIME ZONE 'Europe/Berlin')::date THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Invoice % is kept until %', OLD.id, OLD.retain_until USING ERRCODE = 'restrict_violation';
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free OR NEW.retain_until < OLD.retain_until THEN
    RAISE EXCEPTION 'Invoice % was issued: it never changes', OLD.id USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
       ('open', 'paid'), ('open', 'uncollectible'), ('open', 'voided'), ('uncollectible', 'paid'), ('paid', 'voided'))
     OR NEW.paid_at IS DISTINCT FROM OLD.paid_at AND (NEW.status <> 'paid' OR OLD.status = 'paid') THEN
    RAISE EXCEPTION 'Invoice % is %: it does not become %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;

-- The check of all documents looks across organizations, at numbers, sums and states only.
CREATE POLICY across_organizations ON invoice_ledgers FOR SELECT TO voltstream_system_reader USING (true);
CREATE POLICY across_organizations ON invoices FOR SELECT TO voltstream_system_reader USING (true);
CREATE POLICY across_organizations ON invoice_lines FOR SELECT TO voltstream_system_reader USING (true);
CREATE POLICY across_organizations ON payments FOR SELECT TO voltstream_system_reader USING (true);
GRANT SELECT (organization_id, last_number) ON invoice_ledgers TO voltstream_system_reader;
GRANT SELECT (organization_id, id, subscription_id, ledger_number, running_number, status, net, tax, deducted, total, voids,
              issued_at, paid_at) ON invoices TO voltstream_system_reader;
GRANT SELECT (organization_id, invoice_id, net) ON invoice_lines TO voltstream_system_reader;
GRANT SELECT (organization_id, invoice_id) ON payments TO voltstream_system_reader;
