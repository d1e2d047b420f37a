-- A number that grows with every change of reference data, whoever makes it. A service process that knows it may keep what
-- it read for as long as the number stands: figures of 8,000 zips are not read again every few seconds because one of them
-- might have changed.
CREATE TABLE reference_revision (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  revision bigint NOT NULL
);
INSERT INTO reference_revision (revision) VALUES (1);
GRANT SELECT ON reference_revision TO voltstream_app;

COMMENT ON TABLE reference_revision IS 'How often reference data has changed: one row.';
COMMENT ON COLUMN reference_revision.one_row IS 'Always true: there is one row.';
COMMENT ON COLUMN reference_revision.revision IS 'Grows with every statement that writes into a table of reference data.';

CREATE FUNCTION count_reference_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE public.reference_revision SET revision = revision + 1;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION count_reference_change FROM PUBLIC;
COMMENT ON FUNCTION count_reference_change IS 'Trigger of the tables of reference data: counts a statement that writes.';

DO $$
DECLARE
  reference_table text;
BEGIN
  FOREACH reference_table IN ARRAY ARRAY[
    'vat_rates', 'levies', 'concession_fees', 'metering_fees', 'grid_operators', 'grid_fees', 'grid_fee_schedules',
    'zip_areas', 'eeg_rates', 'market_values', 'benchmarks', 'savings_parameters', 'load_profiles'
  ] LOOP
    EXECUTE format(
      'CREATE TRIGGER counted_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
         FOR EACH STATEMENT EXECUTE FUNCTION count_reference_change()', reference_table
    );
  END LOOP;
END
$$;
