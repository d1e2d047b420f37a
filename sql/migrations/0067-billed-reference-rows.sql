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

INSERT INTO billed_reference_rows (reference_table, key, valid_from)
SELECT DISTINCT figure ->> 'table', figure ->> 'key', (figure ->> 'validFrom')::date
  FROM invoice_lines, jsonb_array_elements(figures) AS figure
 WHERE figure ->> 'table' IS NOT NULL AND figure ->> 'validFrom' IS NOT NULL;
