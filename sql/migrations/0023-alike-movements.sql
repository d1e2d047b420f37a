-- Two reports may mean the same movement where the bank gives no reference: what would be booked twice is left to staff.
ALTER TABLE bank_entries ADD COLUMN perhaps_known boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN bank_entries.perhaps_known IS
  'Says the same as a movement of another report, without a reference of the bank: nothing is booked by it.';

-- By what a movement says it is looked for among those of its day.
CREATE INDEX bank_entries_alike ON bank_entries (organization_id, booked_on, amount, md5(
  coalesce(iban, '') || ' ' || coalesce(end_to_end_id, '') || ' ' || coalesce(block_id, '') || ' '
  || coalesce(return_reason, '') || ' ' || coalesce(text, '')));
