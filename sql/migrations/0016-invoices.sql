-- Bills: the running number of an organization's documents, the documents with their lines, and the files that customers read.
-- A document that was issued never changes (section 146(4) AO); what is wrong is reversed by another.

-- An accountant sees by it that no document is missing: a number that is taken by a transaction that fails is free again,
-- which a sequence does not do.
CREATE TABLE invoice_ledgers (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  last_number bigint NOT NULL CHECK (last_number >= 0)
);

ALTER TABLE invoice_ledgers ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_ledgers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON invoice_ledgers USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, UPDATE ON invoice_ledgers TO voltstream_app;
GRANT SELECT ON invoice_ledgers TO voltstream_finance;
CREATE POLICY finance ON invoice_ledgers FOR SELECT TO voltstream_finance USING (true);

COMMENT ON TABLE invoice_ledgers IS 'The number of an organization''s last document. Whoever issues holds the row until the commit.';
COMMENT ON COLUMN invoice_ledgers.organization_id IS 'The tenant.';
COMMENT ON COLUMN invoice_ledgers.last_number IS 'invoices.ledger_number of the last document; 0: there is none.';

CREATE TABLE invoices (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^inv_[0-9a-z]{24}$'),
  type text NOT NULL CHECK (type IN ('usage', 'prepayment', 'void', 'exit_summary')),
  running_number integer NOT NULL CHECK (running_number >= 1),
  invoice_number text NOT NULL CHECK (invoice_number ~ '^[A-Z0-9]{8}-[0-9]{3,}$'),
  ledger_number bigint NOT NULL CHECK (ledger_number >= 1),
  month smallint NOT NULL CHECK (month BETWEEN 1 AND 12),
  year smallint NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  period_number integer NOT NULL CHECK (period_number >= 1),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'voided', 'uncollectible')),
  is_estimated boolean NOT NULL,
  is_final boolean NOT NULL,
  usage_kwh numeric CHECK (usage_kwh >= 0),
  net numeric(14, 2) NOT NULL,
  tax numeric(14, 2) NOT NULL,
  deducted numeric(14, 2) NOT NULL,
  total numeric(14, 2) NOT NULL,
  taxes jsonb NOT NULL CHECK (jsonb_typeof(taxes) = 'array'),
  voids text,
  void_reason text,
  due_on date NOT NULL,
  created_at timestamptz NOT NULL,
  issued_at timestamptz NOT NULL,
  paid_at timestamptz,
  facts jsonb NOT NULL CHECK (jsonb_typeof(facts) = 'object'),
  run_id text,
  retain_until date NOT NULL,
  restricted_at timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, customer_id, id),
  UNIQUE (organization_id, subscription_id, running_number),
  UNIQUE (organization_id, invoice_number),
  UNIQUE (organization_id, ledger_number),
  UNIQUE (organization_id, voids),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, customer_id, voids) REFERENCES invoices (organization_id, customer_id, id),
  CHECK (period_end > period_start),
  CHECK (total = net + tax - deducted),
  CHECK ((type = 'usage') = (usage_kwh IS NOT NULL)),
  CHECK ((type = 'void') = (voids IS NOT NULL) AND (type = 'void') = (void_reason IS NOT NULL)),
  CHECK (type <> 'void' OR status IN ('open', 'paid')),
  CHECK ((status <> 'paid' OR paid_at IS NOT NULL) AND (paid_at IS NULL OR status IN ('paid', 'voided'))),
  CHECK (retain_until >= make_date(extract(year FROM issued_at AT TIME ZONE 'Europe/Berlin')::integer + 8, 12, 31)),
  -- What was used is billed once.
  CONSTRAINT invoices_usage_once EXCLUDE USING gist (
    organization_id WITH =, subscription_id WITH =, tstzrange(period_start, period_end) WITH &&
  ) WHERE (type = 'usage' AND status <> 'voided')
);
CREATE UNIQUE INDEX invoices_one_of_period ON invoices (organization_id, subscription_id, period_number)
  WHERE type IN ('usage', 'exit_summary') AND status <> 'voided';
CREATE UNIQUE INDEX invoices_one_prepayment ON invoices (organization_id, subscription_id, period_start)
  WHERE type = 'prepayment' AND status <> 'voided';
CREATE UNIQUE INDEX invoices_one_exit_summary ON invoices (organization_id, subscription_id)
  WHERE type = 'exit_summary' AND status <> 'voided';

-- Each filter of the list has an index in the order of the list.
-- Lists show no invoice of a person who was erased, and before gauss no exit summary: an index holds what is shown, so that
-- a page costs the same however much is left out.
CREATE INDEX invoices_newest_first ON invoices (organization_id, created_at DESC, id DESC) WHERE restricted_at IS NULL;
CREATE INDEX invoices_of_customer ON invoices (organization_id, customer_id, created_at DESC, id DESC);
CREATE INDEX invoices_of_subscription ON invoices (organization_id, subscription_id, created_at DESC, id DESC);
CREATE INDEX invoices_of_status ON invoices (organization_id, status, created_at DESC, id DESC)
  WHERE restricted_at IS NULL;
CREATE INDEX invoices_of_type ON invoices (organization_id, type, created_at DESC, id DESC) WHERE restricted_at IS NULL;
CREATE INDEX invoices_started ON invoices (organization_id, period_start) WHERE restricted_at IS NULL;
CREATE INDEX invoices_ended ON invoices (organization_id, period_end) WHERE restricted_at IS NULL;
CREATE INDEX invoices_searched ON invoices
  USING gin (organization_id extensions.text_ops, subscription_id extensions.gin_trgm_ops);
CREATE INDEX invoices_due ON invoices (organization_id, due_on, id) WHERE status = 'open';
CREATE INDEX invoices_of_run ON invoices (organization_id, run_id) WHERE run_id IS NOT NULL;
CREATE INDEX invoices_to_remove ON invoices (retain_until);
CREATE INDEX invoices_without_exit_summaries ON invoices (organization_id, created_at DESC, id DESC)
  WHERE restricted_at IS NULL AND type <> 'exit_summary';

ALTER TABLE invoices ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoices FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON invoices USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
  AND restricted_at IS NULL
);
GRANT SELECT, INSERT, UPDATE (status, paid_at) ON invoices TO voltstream_app;

-- Analysts see bills by ids and figures: no facts of the document, no printed number, no reason in words. Of a person who was
-- erased they see nothing: those documents are kept for the finance role alone.
GRANT SELECT (organization_id, id, customer_id, subscription_id, type, status, ledger_number, period_number, period_start,
              period_end, is_estimated, is_final, usage_kwh, net, tax, deducted, total, voids, due_on, issued_at, paid_at,
              run_id, restricted_at, created_at)
  ON invoices TO voltstream_analyst_reader;
CREATE POLICY analysts ON invoices FOR SELECT TO voltstream_analyst_reader USING (restricted_at IS NULL);
GRANT SELECT ON invoices TO voltstream_finance;
CREATE POLICY finance ON invoices FOR SELECT TO voltstream_finance USING (true);

COMMENT ON TABLE invoices IS
  'Bills, prepayments, reversals and closing documents as they were issued; 8 years from the end of the year of issue.';
COMMENT ON COLUMN invoices.organization_id IS 'The tenant.';
COMMENT ON COLUMN invoices.customer_id IS 'Who pays or is paid.';
COMMENT ON COLUMN invoices.subscription_id IS 'The contract.';
COMMENT ON COLUMN invoices.id IS 'inv_ and 24 random characters.';
COMMENT ON COLUMN invoices.type IS
  'usage: what was used or fed in; prepayment: a monthly advance; void: reverses another; exit_summary: closes the contract.';
COMMENT ON COLUMN invoices.running_number IS 'Counts the documents of the contract.';
COMMENT ON COLUMN invoices.invoice_number IS 'Printed: number of the contract, hyphen, running number.';
COMMENT ON COLUMN invoices.ledger_number IS 'Counts the documents of the organization without a gap.';
COMMENT ON COLUMN invoices.month IS 'Month in Berlin in which the period begins; of an exit summary that of the last supplied day.';
COMMENT ON COLUMN invoices.year IS 'Its year.';
COMMENT ON COLUMN invoices.period_start IS 'Midnight in Berlin of the first day.';
COMMENT ON COLUMN invoices.period_end IS 'Midnight in Berlin after the last day.';
COMMENT ON COLUMN invoices.period_number IS 'Counts the periods of the contract; documents about one period share it.';
COMMENT ON COLUMN invoices.status IS 'What may follow which stands in src/billing/invoices/issue/moves.ts.';
COMMENT ON COLUMN invoices.is_estimated IS 'A part of the usage was estimated.';
COMMENT ON COLUMN invoices.is_final IS 'Covers the end of supply.';
COMMENT ON COLUMN invoices.usage_kwh IS
  'kWh used, or fed in. Personal; for billing; 8 years from the end of the year of issue.';
COMMENT ON COLUMN invoices.net IS 'EUR, sum of the lines. Positive is charged, negative is paid out.';
COMMENT ON COLUMN invoices.tax IS 'EUR, VAT of all rates.';
COMMENT ON COLUMN invoices.deducted IS 'EUR incl. VAT: paid prepayments.';
COMMENT ON COLUMN invoices.total IS 'EUR: net and tax less what is deducted.';
COMMENT ON COLUMN invoices.taxes IS 'By rate: rate, net, tax as decimal texts.';
COMMENT ON COLUMN invoices.voids IS 'The document that this one reverses.';
COMMENT ON COLUMN invoices.void_reason IS 'Why it was reversed, as staff or the billing job said.';
COMMENT ON COLUMN invoices.due_on IS 'Day on which it is due, Europe/Berlin.';
COMMENT ON COLUMN invoices.created_at IS 'Instant of creation.';
COMMENT ON COLUMN invoices.issued_at IS 'Instant of issue.';
COMMENT ON COLUMN invoices.paid_at IS 'When it was paid or settled in full; stays when it is reversed.';
COMMENT ON COLUMN invoices.facts IS
  'What the document says beside its figures: name, addresses, meters, readings, as they were. Personal; for billing; 8 years from the end of the year of issue.';
COMMENT ON COLUMN invoices.run_id IS 'The billing run that made it; null: issued otherwise.';
COMMENT ON COLUMN invoices.retain_until IS
  'Last day on which it must be there: end of the eighth year after that of the issue (section 147(3) AO). May be set later, never earlier.';
COMMENT ON COLUMN invoices.restricted_at IS
  'When the person was erased: from then on the service does not see the document, only the finance role does.';

CREATE TABLE invoice_lines (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  invoice_id text NOT NULL,
  position smallint NOT NULL CHECK (position >= 1),
  kind text NOT NULL CHECK (kind ~ '^[a-z][a-z0-9_]{0,39}$'),
  period_from date NOT NULL,
  period_until date NOT NULL,
  band text CHECK (band IN ('low', 'standard', 'high', 'module_2')),
  quantity numeric,
  unit text CHECK (unit IN ('kWh', 'day', 'month')),
  unit_price numeric,
  net numeric(14, 2) NOT NULL,
  vat_rate numeric(5, 4) NOT NULL CHECK (vat_rate >= 0 AND vat_rate < 1),
  figures jsonb NOT NULL CHECK (jsonb_typeof(figures) = 'array'),
  restricted_at timestamptz,
  PRIMARY KEY (organization_id, invoice_id, position),
  FOREIGN KEY (organization_id, customer_id, invoice_id)
    REFERENCES invoices (organization_id, customer_id, id) ON DELETE CASCADE,
  CHECK (period_until > period_from),
  CHECK ((quantity IS NULL) = (unit IS NULL))
);

ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_lines FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON invoice_lines USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
  AND restricted_at IS NULL
);
GRANT SELECT, INSERT ON invoice_lines TO voltstream_app;
GRANT SELECT (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, band, quantity, unit,
              unit_price, net, vat_rate, restricted_at)
  ON invoice_lines TO voltstream_analyst_reader;
CREATE POLICY analysts ON invoice_lines FOR SELECT TO voltstream_analyst_reader USING (restricted_at IS NULL);
GRANT SELECT ON invoice_lines TO voltstream_finance;
CREATE POLICY finance ON invoice_lines FOR SELECT TO voltstream_finance USING (true);

COMMENT ON TABLE invoice_lines IS 'The lines of documents, each with how its figure came about; kept as long as the document.';
COMMENT ON COLUMN invoice_lines.organization_id IS 'The tenant.';
COMMENT ON COLUMN invoice_lines.customer_id IS 'Whose document it is.';
COMMENT ON COLUMN invoice_lines.invoice_id IS 'The document.';
COMMENT ON COLUMN invoice_lines.position IS 'Its place, from 1.';
COMMENT ON COLUMN invoice_lines.kind IS 'What is charged: energy, base_fee, electricity_tax and so on.';
COMMENT ON COLUMN invoice_lines.period_from IS 'First day that it is about, Europe/Berlin.';
COMMENT ON COLUMN invoice_lines.period_until IS 'Day after the last.';
COMMENT ON COLUMN invoice_lines.band IS 'Band of module 3, or module_2; null: the plain grid fee, or another kind of line.';
COMMENT ON COLUMN invoice_lines.quantity IS
  'kWh, days or months. Personal where it is usage; for billing; as long as the document.';
COMMENT ON COLUMN invoice_lines.unit IS 'Unit of the quantity.';
COMMENT ON COLUMN invoice_lines.unit_price IS 'EUR per unit, net; the mean where it varies.';
COMMENT ON COLUMN invoice_lines.net IS 'EUR, net, rounded by itself.';
COMMENT ON COLUMN invoice_lines.vat_rate IS 'Share: 0.19.';
COMMENT ON COLUMN invoice_lines.figures IS 'What it was computed from: name, value, unit, source, valid from.';
COMMENT ON COLUMN invoice_lines.restricted_at IS 'As that of the document.';

CREATE TABLE invoice_files (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  invoice_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('pdf', 'xrechnung')),
  -- What is compressed already is not compressed again.
  content bytea STORAGE EXTERNAL NOT NULL,
  sha256 bytea NOT NULL,
  made_at timestamptz NOT NULL,
  restricted_at timestamptz,
  PRIMARY KEY (organization_id, invoice_id, kind),
  FOREIGN KEY (organization_id, customer_id, invoice_id)
    REFERENCES invoices (organization_id, customer_id, id) ON DELETE CASCADE,
  CHECK (octet_length(content) BETWEEN 1 AND 10000000),
  CHECK (sha256 = sha256(content))
);

ALTER TABLE invoice_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_files FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON invoice_files USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
  AND restricted_at IS NULL
);
GRANT SELECT, INSERT ON invoice_files TO voltstream_app;
GRANT SELECT ON invoice_files TO voltstream_finance;
CREATE POLICY finance ON invoice_files FOR SELECT TO voltstream_finance USING (true);

COMMENT ON TABLE invoice_files IS 'Documents as customers read them; made once, kept as long as the document.';
COMMENT ON COLUMN invoice_files.organization_id IS 'The tenant.';
COMMENT ON COLUMN invoice_files.customer_id IS 'Whose document it is.';
COMMENT ON COLUMN invoice_files.invoice_id IS 'The document.';
COMMENT ON COLUMN invoice_files.kind IS 'pdf, for companies with the e-invoice inside; xrechnung: the e-invoice alone.';
COMMENT ON COLUMN invoice_files.content IS
  'The bytes. Personal: name, address, usage; for billing; 8 years from the end of the year of issue.';
COMMENT ON COLUMN invoice_files.sha256 IS 'Their hash: whoever got the file can prove that it is this one.';
COMMENT ON COLUMN invoice_files.made_at IS 'Instant at which it was made.';
COMMENT ON COLUMN invoice_files.restricted_at IS 'As that of the document.';

-- A document that was issued stays as it is (section 146(4) AO), also for the owner of the tables: its state may change, it
-- may be restricted, kept for longer, and removed when its time is over. A column that is added later is guarded too.
CREATE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION keep_invoice() IS 'Refuses to change a document that was issued, and to remove it before its time.';
CREATE TRIGGER keep_invoice BEFORE UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION keep_invoice();

-- What belongs to a document goes with it and not before: when the document is removed it is gone by the time its parts are.
CREATE FUNCTION keep_invoice_part() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'restricted_at' IS NOT DISTINCT FROM to_jsonb(OLD) - 'restricted_at' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND NOT EXISTS (
    SELECT FROM invoices WHERE organization_id = OLD.organization_id AND id = OLD.invoice_id
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'Invoice % was issued: what belongs to it never changes', OLD.invoice_id
    USING ERRCODE = 'restrict_violation';
END
$$;
COMMENT ON FUNCTION keep_invoice_part() IS 'Refuses to change lines and files of a document, and to remove them without it.';
CREATE TRIGGER keep_invoice_part BEFORE UPDATE OR DELETE ON invoice_lines
  FOR EACH ROW EXECUTE FUNCTION keep_invoice_part();
CREATE TRIGGER keep_invoice_part BEFORE UPDATE OR DELETE ON invoice_files
  FOR EACH ROW EXECUTE FUNCTION keep_invoice_part();

CREATE FUNCTION refuse_truncate() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% is never emptied', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
COMMENT ON FUNCTION refuse_truncate() IS 'Refuses to empty a table.';
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON invoice_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON invoice_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();

-- A row of reference data that a bill was made of says years later how its figures came about: `tariffs import --prune` leaves
-- it. Looking for it in the lines of all bills would take longer the more there are.
CREATE TABLE billed_reference_rows (
  reference_table text NOT NULL,
  key text NOT NULL,
  valid_from date NOT NULL,
  PRIMARY KEY (reference_table, key, valid_from)
);
GRANT SELECT, INSERT ON billed_reference_rows TO voltstream_app;

COMMENT ON TABLE billed_reference_rows IS 'Rows of reference data that stand in the lines of bills of any organization; append-only.';
COMMENT ON COLUMN billed_reference_rows.reference_table IS 'Table of the row.';
COMMENT ON COLUMN billed_reference_rows.key IS 'Its key as people read it: the columns of the key with a blank between them; empty where the table is one series.';
COMMENT ON COLUMN billed_reference_rows.valid_from IS 'Its first day, Europe/Berlin.';
