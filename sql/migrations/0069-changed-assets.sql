-- API processes keep the assets of households in memory for minutes, and ask every two seconds which of them changed. They
-- ask by transaction: an instant is written before its COMMIT, so whoever asks by time has to overlap, and a statement that
-- does not set it is never found. A transaction is seen by a snapshot or it is not, whoever wrote and by whatever clock.
-- Null: not changed since this column is there. The index is empty at first, and so is made at once.
ALTER TABLE assets ADD COLUMN changed_in xid8;
CREATE INDEX assets_changed ON assets (changed_in) WHERE changed_in IS NOT NULL;

CREATE FUNCTION note_transaction() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END
$$;
CREATE TRIGGER note_transaction BEFORE INSERT OR UPDATE ON assets FOR EACH ROW EXECUTE FUNCTION note_transaction();

CREATE POLICY across_organizations ON assets FOR SELECT TO voltstream_system_reader USING (true);
GRANT SELECT (organization_id, household_id, changed_in) ON assets TO voltstream_system_reader;

COMMENT ON COLUMN assets.changed_in IS
  'The transaction that wrote the row last; never shown. Processes that keep assets in memory ask by it what changed.';
COMMENT ON FUNCTION note_transaction() IS 'Writes into a row which transaction wrote it.';
