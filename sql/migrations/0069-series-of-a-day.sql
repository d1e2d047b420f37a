-- A second restore of the same backup takes back how often numbers began anew, and the series with it. It is the day now.
COMMENT ON COLUMN invoice_ledgers.series IS
  'The day on which printed numbers began anew behind a restore, 1 on 1 January 2026, or the next free number; 0: never. From then on they are 100,000 higher for each: K7P2M9QX-33300005 behind K7P2M9QX-004.';
