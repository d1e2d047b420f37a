-- What waits for a person stands on one page of the console, each list by its age: every one of these indexes begins where the
-- list does.

-- Orders that the supplier has to move: one that was not handed on, one that is held back, a visit whose day has come.
CREATE INDEX meter_orders_to_act ON meter_orders
  (organization_id, (CASE WHEN status IN ('installation_scheduled', 'installation_waiting') THEN appointment_at
                          ELSE updated_at END), id)
  WHERE status IN ('waiting', 'blocked', 'blocked_wim', 'installation_scheduled', 'installation_waiting');

CREATE INDEX subscriptions_unconfirmed ON subscriptions (organization_id, created_at, id)
  WHERE status = 'pending' AND start_at IS NULL;

-- Those that no entry of a person ends are left out: they are over by themselves.
CREATE INDEX billing_refusals_to_act ON billing_refusals
  (organization_id, (CASE WHEN deadline IS NULL THEN 'infinity'::date ELSE deadline END), subscription_id, type, period_start)
  WHERE code NOT IN ('not_settled', 'too_early', 'payment_under_way', 'earlier_refused');

-- Which bill a movement of the bank may be for: by the account, the amount and the name of the other side.
CREATE INDEX payment_methods_of_account ON payment_methods (organization_id, iban);
CREATE INDEX invoices_open_of_total ON invoices (organization_id, total, due_on, id) WHERE status = 'open';
GRANT SELECT (due_on, restricted_at) ON invoices TO voltstream_system_reader;

-- A plain column, because row-level security keeps lower() from every index.
ALTER TABLE customers ADD COLUMN name_lower text NOT NULL GENERATED ALWAYS AS (
  lower(CASE WHEN company_name IS NULL THEN first_name || ' ' || last_name ELSE company_name END)) STORED;
CREATE INDEX customers_of_name ON customers (organization_id, name_lower);
COMMENT ON COLUMN customers.name_lower IS
  'The name in lower case: what that of a payer is compared with. Personal; for matching payments; as long as the name.';

-- Staff look at a movement and find that it is for no bill: a fee of the bank, a mistake of the payer that goes back.
ALTER TABLE bank_entries DROP CONSTRAINT bank_entries_state_check;
ALTER TABLE bank_entries ADD CONSTRAINT bank_entries_state_check
  CHECK (state IN ('new', 'booked', 'unmatched', 'set_aside'));
COMMENT ON COLUMN bank_entries.state IS
  'new: not looked at yet; booked: on bills; unmatched: staff decide; set_aside: staff said that it is for no bill.';
