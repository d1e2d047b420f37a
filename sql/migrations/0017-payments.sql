-- Money that moves for bills: what the bank is asked for in files, what it reports, and what that says about bills. And what
-- customers are reminded of.
CREATE TABLE payment_files (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^pfl_[0-9a-z]{24}$'),
  kind text NOT NULL CHECK (kind IN ('debits', 'refunds')),
  provider text NOT NULL CHECK (provider IN ('bank_files', 'simulated_bank')),
  format text NOT NULL CHECK (format IN ('pain.008.001.08', 'pain.001.001.09')),
  message_id text NOT NULL CHECK (message_id ~ '^[A-Z0-9-]{1,30}$'),
  execute_on date NOT NULL,
  payments integer NOT NULL CHECK (payments >= 1),
  sum numeric(14, 2) NOT NULL CHECK (sum > 0),
  content bytea NOT NULL,
  sha256 bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, message_id),
  CHECK (sha256 = sha256(content))
);
CREATE INDEX payment_files_newest_first ON payment_files (organization_id, created_at DESC, id DESC);
-- What is older than eight years is found by its day, and goes when no payment of a bill needs it any more.
CREATE INDEX payment_files_to_remove ON payment_files (created_at);

ALTER TABLE payment_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_files FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payment_files USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
);
GRANT SELECT, INSERT ON payment_files TO voltstream_app;

COMMENT ON TABLE payment_files IS
  'Files that ask the bank to collect or to pay, as they were made: the same bytes can be written out again. A booking voucher: 8 years from the end of the year.';
COMMENT ON COLUMN payment_files.organization_id IS 'The tenant.';
COMMENT ON COLUMN payment_files.id IS 'pfl_ and 24 random characters.';
COMMENT ON COLUMN payment_files.kind IS 'debits: collected from customers; refunds: paid to them.';
COMMENT ON COLUMN payment_files.provider IS 'bank_files: handed to the bank; simulated_bank: invented, no money moves.';
COMMENT ON COLUMN payment_files.format IS 'ISO 20022 message and version.';
COMMENT ON COLUMN payment_files.message_id IS 'Names the file to the bank.';
COMMENT ON COLUMN payment_files.execute_on IS 'Day on which the bank collects or pays.';
COMMENT ON COLUMN payment_files.payments IS 'How many are in it.';
COMMENT ON COLUMN payment_files.sum IS 'EUR, of all of them.';
COMMENT ON COLUMN payment_files.content IS
  'The bytes. Personal: names, accounts, mandates; for payments; 8 years from the end of the year.';
COMMENT ON COLUMN payment_files.sha256 IS 'Their hash.';
COMMENT ON COLUMN payment_files.created_at IS 'Instant at which it was made.';

CREATE TABLE bank_entries (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL CHECK (id ~ '^bke_[0-9a-z]{24}$'),
  identity text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('bank_files', 'simulated_bank')),
  booked_on date NOT NULL,
  amount numeric(14, 2) NOT NULL CHECK (amount <> 0),
  end_to_end_id text,
  block_id text,
  return_reason text,
  name text,
  iban text,
  text text,
  state text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'booked', 'unmatched')),
  note text,
  imported_at timestamptz NOT NULL,
  restricted_at timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, identity),
  CHECK ((state = 'unmatched') = (note IS NOT NULL))
);
CREATE INDEX bank_entries_of_state ON bank_entries (organization_id, state, booked_on, id);
CREATE INDEX bank_entries_to_remove ON bank_entries (booked_on);

ALTER TABLE bank_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE bank_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON bank_entries USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
  AND restricted_at IS NULL
);
GRANT SELECT, INSERT, UPDATE (state, note) ON bank_entries TO voltstream_app;

COMMENT ON TABLE bank_entries IS
  'Movements on the account as the bank reported them, each once. A booking voucher: 8 years from the end of the year.';
COMMENT ON COLUMN bank_entries.organization_id IS 'The tenant.';
COMMENT ON COLUMN bank_entries.id IS 'bke_ and 24 random characters.';
COMMENT ON COLUMN bank_entries.identity IS 'Hash of what makes it the same movement in another statement.';
COMMENT ON COLUMN bank_entries.provider IS 'bank_files: a statement of the bank; simulated_bank: invented, no money moved.';
COMMENT ON COLUMN bank_entries.booked_on IS 'Day on which the bank booked it.';
COMMENT ON COLUMN bank_entries.amount IS 'EUR; what came in is positive, what went out negative.';
COMMENT ON COLUMN bank_entries.end_to_end_id IS 'Of the payment that it is about.';
COMMENT ON COLUMN bank_entries.block_id IS 'Of a block of payments, where the bank reports it as one movement.';
COMMENT ON COLUMN bank_entries.return_reason IS 'A payment came back: why, code of ISO 20022.';
COMMENT ON COLUMN bank_entries.name IS 'Other side. Personal; for matching payments; 8 years from the end of the year.';
COMMENT ON COLUMN bank_entries.iban IS
  'Account of the other side. Personal; for matching payments; 8 years from the end of the year.';
COMMENT ON COLUMN bank_entries.text IS
  'What the payer wrote. Personal; for matching payments; 8 years from the end of the year.';
COMMENT ON COLUMN bank_entries.state IS 'new: not looked at yet; booked: on bills; unmatched: staff decide.';
COMMENT ON COLUMN bank_entries.note IS 'Why it is unmatched.';
COMMENT ON COLUMN bank_entries.imported_at IS 'Instant of the import.';
COMMENT ON COLUMN bank_entries.restricted_at IS
  'When the person was erased whom all bills are of that it paid: from then on only the finance role sees it.';

CREATE TABLE payments (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  id text NOT NULL CHECK (id ~ '^pay_[0-9a-z]{24}$'),
  invoice_id text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('in', 'out')),
  way text NOT NULL CHECK (way IN ('direct_debit', 'credit_transfer', 'bank_transfer', 'entered')),
  amount numeric(14, 2) NOT NULL CHECK (amount > 0),
  status text NOT NULL CHECK (status IN ('requested', 'credited', 'settled', 'returned')),
  payment_method_id text,
  sequence_type text CHECK (sequence_type IN ('FRST', 'RCUR')),
  file_id text,
  end_to_end_id text,
  block_id text,
  execute_on date,
  booked_on date,
  final_on date,
  return_reason text,
  bank_entry_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Payments of erased persons, and what the bank said about them, are kept as their bills are: for the finance role
  -- alone.
  restricted_at timestamptz,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, end_to_end_id),
  FOREIGN KEY (organization_id, customer_id, invoice_id)
    REFERENCES invoices (organization_id, customer_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, customer_id, payment_method_id)
    REFERENCES payment_methods (organization_id, customer_id, id),
  FOREIGN KEY (organization_id, file_id) REFERENCES payment_files (organization_id, id),
  FOREIGN KEY (organization_id, bank_entry_id) REFERENCES bank_entries (organization_id, id),
  CHECK ((way IN ('direct_debit', 'credit_transfer')) = (file_id IS NOT NULL)),
  CHECK ((way = 'direct_debit') = (sequence_type IS NOT NULL)),
  CHECK ((status = 'returned') = (return_reason IS NOT NULL)),
  CHECK (status = 'requested' OR booked_on IS NOT NULL),
  CHECK ((status = 'credited') <= (final_on IS NOT NULL))
);
-- A bill is in one file at a time, whoever makes files at once.
CREATE UNIQUE INDEX payments_one_under_way ON payments (organization_id, invoice_id) WHERE status = 'requested';
CREATE INDEX payments_of_invoice ON payments (organization_id, invoice_id);
CREATE INDEX payments_of_mandate ON payments (organization_id, payment_method_id) WHERE payment_method_id IS NOT NULL;
CREATE INDEX payments_of_block ON payments (organization_id, block_id) WHERE block_id IS NOT NULL;
CREATE INDEX payments_newest_first ON payments (organization_id, created_at DESC, id DESC);
CREATE INDEX payments_not_final ON payments (organization_id, final_on) WHERE status = 'credited';
CREATE INDEX payments_of_file ON payments (organization_id, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX payments_of_entry ON payments (organization_id, bank_entry_id) WHERE bank_entry_id IS NOT NULL;
CREATE INDEX payments_of_customer ON payments (organization_id, customer_id);
CREATE TRIGGER move_updated_at BEFORE UPDATE OF updated_at ON payments
  FOR EACH ROW EXECUTE FUNCTION move_updated_at();

ALTER TABLE payments ENABLE ROW LEVEL SECURITY;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payments USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
  AND restricted_at IS NULL
);
GRANT SELECT, INSERT ON payments TO voltstream_app;
GRANT UPDATE (status, booked_on, final_on, return_reason, bank_entry_id, updated_at) ON payments TO voltstream_app;

COMMENT ON TABLE payments IS 'Each attempt to settle a bill, and each sum that came in or went out for it; kept as long as the bill.';
COMMENT ON COLUMN payments.organization_id IS 'The tenant.';
COMMENT ON COLUMN payments.customer_id IS 'Whose bill it is.';
COMMENT ON COLUMN payments.id IS 'pay_ and 24 random characters.';
COMMENT ON COLUMN payments.invoice_id IS 'The bill.';
COMMENT ON COLUMN payments.direction IS 'in: from the customer; out: to the customer.';
COMMENT ON COLUMN payments.way IS
  'direct_debit, credit_transfer: by a file; bank_transfer: the customer paid by himself; entered: staff said so.';
COMMENT ON COLUMN payments.amount IS 'EUR.';
COMMENT ON COLUMN payments.status IS
  'requested: in a file; credited: booked, may still come back; settled: done; returned: came back.';
COMMENT ON COLUMN payments.payment_method_id IS 'The mandate or account that was used.';
COMMENT ON COLUMN payments.sequence_type IS 'FRST: first debit of the mandate; RCUR: a further one.';
COMMENT ON COLUMN payments.file_id IS 'The file that it is in.';
COMMENT ON COLUMN payments.end_to_end_id IS 'Comes back with its result.';
COMMENT ON COLUMN payments.block_id IS 'Block of the file.';
COMMENT ON COLUMN payments.execute_on IS 'Day on which the bank was to collect or pay.';
COMMENT ON COLUMN payments.booked_on IS 'Day on which the bank booked it last.';
COMMENT ON COLUMN payments.final_on IS 'From this day on a debit counts as paid: banks return unpaid ones before it.';
COMMENT ON COLUMN payments.return_reason IS 'Why it came back: code of ISO 20022.';
COMMENT ON COLUMN payments.bank_entry_id IS 'The movement on the account that said so last.';
COMMENT ON COLUMN payments.created_at IS 'Instant of creation.';
COMMENT ON COLUMN payments.updated_at IS 'Instant of the last change.';
COMMENT ON COLUMN payments.restricted_at IS 'As that of the bill.';

CREATE TABLE dunning_steps (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  invoice_id text NOT NULL,
  level smallint NOT NULL CHECK (level BETWEEN 1 AND 2),
  amount numeric(14, 2) NOT NULL CHECK (amount > 0),
  reminded_on date NOT NULL,
  mail text NOT NULL DEFAULT 'planned' CHECK (mail IN ('planned', 'handed_over', 'dropped')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, invoice_id, level),
  FOREIGN KEY (organization_id, customer_id, invoice_id)
    REFERENCES invoices (organization_id, customer_id, id) ON DELETE CASCADE
);
CREATE INDEX dunning_steps_planned ON dunning_steps (organization_id, invoice_id, level) WHERE mail = 'planned';

ALTER TABLE dunning_steps ENABLE ROW LEVEL SECURITY;
ALTER TABLE dunning_steps FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON dunning_steps USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);
GRANT SELECT, INSERT, UPDATE (mail) ON dunning_steps TO voltstream_app;
GRANT SELECT (organization_id, customer_id, invoice_id, level, amount, reminded_on) ON dunning_steps TO voltstream_analyst_reader;
CREATE POLICY analysts ON dunning_steps FOR SELECT TO voltstream_analyst_reader USING (true);

COMMENT ON TABLE dunning_steps IS 'Reminders of bills that are overdue, one row for each; kept as long as the bill.';
COMMENT ON COLUMN dunning_steps.organization_id IS 'The tenant.';
COMMENT ON COLUMN dunning_steps.customer_id IS 'Who was reminded.';
COMMENT ON COLUMN dunning_steps.invoice_id IS 'The bill.';
COMMENT ON COLUMN dunning_steps.level IS '1: first reminder; 2: second reminder.';
COMMENT ON COLUMN dunning_steps.amount IS 'EUR that were missing then.';
COMMENT ON COLUMN dunning_steps.reminded_on IS 'Its day, Europe/Berlin.';
COMMENT ON COLUMN dunning_steps.mail IS
  'planned; handed_over: set before the mail leaves, so that a process that dies never sends it twice; dropped: the bill was settled before.';
COMMENT ON COLUMN dunning_steps.created_at IS 'Instant of creation.';

CREATE TABLE dunning_holds (
  organization_id text NOT NULL,
  customer_id text NOT NULL,
  invoice_id text NOT NULL,
  cause text NOT NULL CHECK (cause IN ('disputed', 'instalments', 'other')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, invoice_id),
  FOREIGN KEY (organization_id, customer_id, invoice_id)
    REFERENCES invoices (organization_id, customer_id, id) ON DELETE CASCADE
);

ALTER TABLE dunning_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE dunning_holds FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON dunning_holds USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);
GRANT SELECT, INSERT, DELETE ON dunning_holds TO voltstream_app;

COMMENT ON TABLE dunning_holds IS 'Bills that nobody is reminded of and that no debit collects until staff resume it.';
COMMENT ON COLUMN dunning_holds.organization_id IS 'The tenant.';
COMMENT ON COLUMN dunning_holds.customer_id IS 'Whose bill it is.';
COMMENT ON COLUMN dunning_holds.invoice_id IS 'The bill.';
COMMENT ON COLUMN dunning_holds.cause IS 'disputed: the customer objects; instalments: he pays in parts; other: see the audit log.';
COMMENT ON COLUMN dunning_holds.created_at IS 'Since when.';

-- Vouchers of bills: who keeps the books sees them, also when the person was erased.
GRANT SELECT ON payment_files, bank_entries, payments TO voltstream_finance;
CREATE POLICY finance ON payment_files FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON bank_entries FOR SELECT TO voltstream_finance USING (true);
CREATE POLICY finance ON payments FOR SELECT TO voltstream_finance USING (true);

-- Analysts see what was paid and what came back, by ids: no account, no mandate, no text of the bank. What belongs to a
-- document of a person who was erased is seen by nobody but finance.
GRANT SELECT (organization_id, customer_id, id, invoice_id, direction, way, amount, status, execute_on, booked_on, final_on,
              return_reason, created_at, restricted_at)
  ON payments TO voltstream_analyst_reader;
CREATE POLICY analysts ON payments FOR SELECT TO voltstream_analyst_reader USING (restricted_at IS NULL);
