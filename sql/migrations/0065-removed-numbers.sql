-- After eight years documents go, at last all of an organization. The ledger says up to which number retention removed them:
-- what is missing behind that was removed by somebody else.
ALTER TABLE invoice_ledgers ADD COLUMN removed_number bigint NOT NULL DEFAULT 0;
GRANT SELECT (removed_number) ON invoice_ledgers TO voltstream_system_reader;
COMMENT ON COLUMN invoice_ledgers.removed_number IS
  'Highest ledger_number that was removed because its time was over; 0: none. Set by delete_old_invoices alone.';

-- Only documents that are issued move the ledger: who removes old ones gives no numbers.
DROP TRIGGER check_issued ON invoice_ledgers;
CREATE CONSTRAINT TRIGGER check_issued AFTER INSERT OR UPDATE OF last_number ON invoice_ledgers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_issued();
