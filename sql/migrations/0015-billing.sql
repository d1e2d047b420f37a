-- Whose name stands on the documents, and where the money goes. A document keeps a copy of it as it was.
CREATE TABLE issuers (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  name text NOT NULL,
  street text NOT NULL,
  house_number text NOT NULL,
  zip text NOT NULL,
  city text NOT NULL,
  country text NOT NULL DEFAULT 'DE' CHECK (country ~ '^[A-Z]{2}$'),
  register_court text,
  register_number text,
  represented_by text,
  contact_name text NOT NULL,
  email text NOT NULL,
  phone text NOT NULL,
  website text,
  vat_id text,
  tax_number text,
  supplier_code text NOT NULL CHECK (supplier_code ~ '^[0-9]{13}$'),
  iban text NOT NULL CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$'),
  bic text CHECK (bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'),
  account_holder text NOT NULL,
  creditor_id text NOT NULL CHECK (creditor_id ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{3}[A-Z0-9]{1,28}$'),
  due_days smallint NOT NULL DEFAULT 14 CHECK (due_days BETWEEN 14 AND 90),
  first_reminder_days smallint NOT NULL DEFAULT 7 CHECK (first_reminder_days >= 1),
  second_reminder_days smallint NOT NULL DEFAULT 21,
  uncollectible_days smallint NOT NULL DEFAULT 49,
  updated_at timestamptz NOT NULL DEFAULT now(),
  language text NOT NULL DEFAULT 'de' CHECK (language IN ('de', 'en')),
  -- Documents cannot be taken back, and whoever was billed by another system before may not be billed twice for the same
  -- months: bills begin with a month that the organization names.
  bills_from date NOT NULL CHECK (extract(day FROM bills_from) = 1),
  CHECK (vat_id IS NOT NULL OR tax_number IS NOT NULL),
  CHECK (first_reminder_days < second_reminder_days AND second_reminder_days < uncollectible_days
         AND uncollectible_days <= 365)
);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON issuers
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE issuers ENABLE ROW LEVEL SECURITY;
ALTER TABLE issuers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON issuers USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, UPDATE ON issuers TO voltstream_app;

-- Who keeps the books reads bills of every person, also of those who were erased: the service does not see these any more,
-- and the law wants them for eight years (section 147 AO; Art. 17(3)(b) GDPR).
GRANT SELECT ON issuers TO voltstream_finance;
CREATE POLICY finance ON issuers FOR SELECT TO voltstream_finance USING (true);

COMMENT ON TABLE issuers IS 'Who bills: identity, tax ids and bank account of an organization. Documents keep a copy.';
COMMENT ON COLUMN issuers.organization_id IS 'The tenant.';
COMMENT ON COLUMN issuers.name IS 'Name of the company with its legal form.';
COMMENT ON COLUMN issuers.street IS 'Its street without number.';
COMMENT ON COLUMN issuers.house_number IS 'Its house number.';
COMMENT ON COLUMN issuers.zip IS 'Its postal code.';
COMMENT ON COLUMN issuers.city IS 'Its town.';
COMMENT ON COLUMN issuers.country IS 'Its country, two letters.';
COMMENT ON COLUMN issuers.register_court IS 'Court whose register it stands in; null: in none.';
COMMENT ON COLUMN issuers.register_number IS 'Its number there: HRB 12345.';
COMMENT ON COLUMN issuers.represented_by IS 'Who manages it, as a letter must say (section 35a GmbHG). Personal; for letters; until replaced.';
COMMENT ON COLUMN issuers.contact_name IS 'Who answers questions: the name of the customer service.';
COMMENT ON COLUMN issuers.email IS 'Address of the customer service.';
COMMENT ON COLUMN issuers.phone IS 'Number of the customer service.';
COMMENT ON COLUMN issuers.website IS 'Its page.';
COMMENT ON COLUMN issuers.vat_id IS 'VAT id (DE123456788); it or the tax number stands on each document.';
COMMENT ON COLUMN issuers.tax_number IS 'Number that its tax office gave.';
COMMENT ON COLUMN issuers.supplier_code IS 'BDEW code as a supplier, 13 digits.';
COMMENT ON COLUMN issuers.iban IS 'Account to which customers pay and from which they are paid.';
COMMENT ON COLUMN issuers.bic IS 'Bank of the account; null: known by the IBAN.';
COMMENT ON COLUMN issuers.account_holder IS 'Holder of the account.';
COMMENT ON COLUMN issuers.creditor_id IS 'SEPA creditor identifier, by which direct debits are collected.';
COMMENT ON COLUMN issuers.due_days IS 'Days from the issue of a document until it is due; at least 14 (section 40c(1) EnWG).';
COMMENT ON COLUMN issuers.first_reminder_days IS 'Days after the due day until the first reminder.';
COMMENT ON COLUMN issuers.second_reminder_days IS 'Days after the due day until the second reminder.';
COMMENT ON COLUMN issuers.uncollectible_days IS 'Days after the due day until no payment is expected any more.';
COMMENT ON COLUMN issuers.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN issuers.language IS 'Language of its documents: de or en.';
COMMENT ON COLUMN issuers.bills_from IS
  'First day that is billed, Europe/Berlin, the first of a month: what was supplied before it is billed elsewhere. Stays once there are documents.';

-- How contracts are billed, what each run of billing looked at, and which bills wait for something that is missing.
CREATE TABLE billing_terms (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  valid_from date NOT NULL CHECK (isfinite(valid_from)),
  mode text NOT NULL CHECK (mode IN ('monthly', 'advance', 'none')),
  instalment numeric(12, 2) CHECK (instalment > 0),
  basis text NOT NULL CHECK (basis IN ('forecast', 'closing_bill', 'evidence')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, subscription_id, valid_from),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id),
  CHECK ((mode = 'advance') = (instalment IS NOT NULL))
);

CREATE TABLE billing_runs (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^brun_[0-9a-z]{24}$'),
  due_at timestamptz,
  month date,
  estimate_gaps boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- A tick of the schedule that begins again after a crash finds the run that it has written.
CREATE UNIQUE INDEX billing_runs_of_tick ON billing_runs (organization_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX billing_runs_created ON billing_runs (organization_id, created_at, id);

CREATE TABLE billing_portions (
  organization_id text NOT NULL,
  run_id text NOT NULL,
  first_subscription text NOT NULL,
  last_subscription text NOT NULL,
  done_at timestamptz,
  contracts integer CHECK (contracts >= 0),
  issued jsonb CHECK (jsonb_typeof(issued) = 'object'),
  refused integer CHECK (refused >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, run_id, first_subscription),
  FOREIGN KEY (organization_id, run_id) REFERENCES billing_runs (organization_id, id),
  CHECK (last_subscription >= first_subscription)
);
CREATE INDEX billing_portions_created ON billing_portions (organization_id, created_at, run_id, first_subscription);

CREATE TABLE billing_refusals (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  subscription_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('usage', 'prepayment', 'correction', 'exit_summary')),
  period_start date NOT NULL,
  period_end date NOT NULL,
  code text NOT NULL CHECK (code ~ '^[a-z_0-9]+$'),
  detail text NOT NULL,
  deadline date,
  run_id text,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, subscription_id, type, period_start),
  FOREIGN KEY (organization_id, customer_id, subscription_id)
    REFERENCES subscriptions (organization_id, customer_id, id),
  CHECK (period_end > period_start)
);
CREATE INDEX billing_refusals_of_code ON billing_refusals (organization_id, code, subscription_id);
CREATE INDEX billing_refusals_deadline ON billing_refusals (deadline, organization_id) WHERE deadline IS NOT NULL;

ALTER TABLE billing_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE billing_terms FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON billing_terms USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);
GRANT SELECT, INSERT, UPDATE ON billing_terms TO voltstream_app;

ALTER TABLE billing_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE billing_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON billing_runs USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, DELETE ON billing_runs TO voltstream_app;

ALTER TABLE billing_portions ENABLE ROW LEVEL SECURITY;
ALTER TABLE billing_portions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON billing_portions USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON billing_portions TO voltstream_app;

ALTER TABLE billing_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE billing_refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON billing_refusals USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON billing_refusals TO voltstream_app;

-- The metrics look across organizations, at days and codes only.
CREATE POLICY across_organizations ON billing_refusals FOR SELECT TO voltstream_system_reader USING (true);
GRANT SELECT (organization_id, code, deadline) ON billing_refusals TO voltstream_system_reader;
GRANT SELECT (organization_id, customer_id, subscription_id, type, period_start, period_end, code, deadline, run_id, first_at,
              last_at)
  ON billing_refusals TO voltstream_analyst_reader;
CREATE POLICY analysts ON billing_refusals FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE billing_terms IS 'How contracts are billed from which day on; without a row: month by month.';
COMMENT ON COLUMN billing_terms.organization_id IS 'The tenant.';
COMMENT ON COLUMN billing_terms.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN billing_terms.subscription_id IS 'The contract.';
COMMENT ON COLUMN billing_terms.valid_from IS 'First day, Europe/Berlin; until the next row of the contract.';
COMMENT ON COLUMN billing_terms.mode IS
  'monthly: a bill each month; advance: a prepayment each month and a bill after twelve; none: another system bills.';
COMMENT ON COLUMN billing_terms.instalment IS
  'Monthly advance in EUR with VAT. Personal; for billing; as long as the contract.';
COMMENT ON COLUMN billing_terms.basis IS
  'What the instalment follows from: forecast of the contract, closing_bill of the year before, evidence of the customer.';
COMMENT ON COLUMN billing_terms.created_at IS 'When it was entered.';

COMMENT ON TABLE billing_runs IS 'Runs of billing, one for each organization and tick or command; kept for two years.';
COMMENT ON COLUMN billing_runs.organization_id IS 'The tenant.';
COMMENT ON COLUMN billing_runs.id IS 'Random, brun_…';
COMMENT ON COLUMN billing_runs.due_at IS 'The tick of the schedule; null: a command asked for it.';
COMMENT ON COLUMN billing_runs.month IS 'Only periods that end in this month or on the first of the next; null: all.';
COMMENT ON COLUMN billing_runs.estimate_gaps IS 'Missing quarter hours were estimated, because a deadline was near.';
COMMENT ON COLUMN billing_runs.created_at IS 'When it began.';

COMMENT ON TABLE billing_portions IS 'Contracts that a run looks at together, by their ids; kept for two years.';
COMMENT ON COLUMN billing_portions.organization_id IS 'The tenant.';
COMMENT ON COLUMN billing_portions.run_id IS 'The run.';
COMMENT ON COLUMN billing_portions.first_subscription IS 'First contract by id.';
COMMENT ON COLUMN billing_portions.last_subscription IS 'Last contract by id.';
COMMENT ON COLUMN billing_portions.done_at IS 'When all of them had been looked at; null: not yet.';
COMMENT ON COLUMN billing_portions.contracts IS 'How many contracts there were.';
COMMENT ON COLUMN billing_portions.issued IS 'Documents of this run by type.';
COMMENT ON COLUMN billing_portions.refused IS 'Documents that could not be made.';
COMMENT ON COLUMN billing_portions.created_at IS 'When the run wrote it.';

COMMENT ON TABLE billing_refusals IS 'Documents that are due and could not be made, and what is missing; removed when they are.';
COMMENT ON COLUMN billing_refusals.organization_id IS 'The tenant.';
COMMENT ON COLUMN billing_refusals.customer_id IS 'Whose contract it is.';
COMMENT ON COLUMN billing_refusals.subscription_id IS 'The contract.';
COMMENT ON COLUMN billing_refusals.type IS 'Which document is missing; correction: a bill that no longer fits its energy.';
COMMENT ON COLUMN billing_refusals.period_start IS 'First day of its period, Europe/Berlin.';
COMMENT ON COLUMN billing_refusals.period_end IS 'Day behind its period.';
COMMENT ON COLUMN billing_refusals.code IS 'What kind of thing is missing.';
COMMENT ON COLUMN billing_refusals.detail IS 'What is missing and where it is entered; no names and no values of persons.';
COMMENT ON COLUMN billing_refusals.deadline IS 'First day on which the bill is late (section 40c EnWG); null: the law sets none.';
COMMENT ON COLUMN billing_refusals.run_id IS 'The run that met it last.';
COMMENT ON COLUMN billing_refusals.first_at IS 'When it was met first.';
COMMENT ON COLUMN billing_refusals.last_at IS 'When it was met last.';
