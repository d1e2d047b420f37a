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
