-- A database that was restored from a backup does not know the documents that were issued behind it, and their numbers are
-- with customers. From a series on, no document gets the printed number of a lost one.
ALTER TABLE invoice_ledgers ADD COLUMN series integer NOT NULL DEFAULT 0;
ALTER TABLE invoice_ledgers ADD CONSTRAINT invoice_ledgers_series_check CHECK (series BETWEEN 0 AND 9999);
COMMENT ON COLUMN invoice_ledgers.series IS
  'How often printed numbers began anew behind a restore. Each time they go on 100,000 higher: K7P2M9QX-100005 behind K7P2M9QX-004.';
COMMENT ON COLUMN invoices.invoice_number IS
  'Printed: number of the contract, hyphen, running number; 100,000 higher for each invoice_ledgers.series.';
