-- A second restore of the same backup takes back how often numbers began anew, and the series with it. It is the second now.
ALTER TABLE invoice_ledgers DROP CONSTRAINT invoice_ledgers_series_check;
ALTER TABLE invoice_ledgers ADD CONSTRAINT invoice_ledgers_series_check CHECK (series >= 0);
COMMENT ON COLUMN invoice_ledgers.series IS
  'The second at which printed numbers began anew behind a restore, counted from 1 January 2026; 0: never. Smaller values were counted, one by one. From then on they are 100,000 higher for each: K7P2M9QX-2872080000005 behind K7P2M9QX-004.';
