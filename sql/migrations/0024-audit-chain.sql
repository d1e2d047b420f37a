-- A row of the audit log carries the instant at which it is written, whatever its writer says. A day that is sealed gets no
-- row any more, also from a transaction that was begun on it and kept open. Rows are put in with an instant of their own only
-- where triggers are off, as when a superuser restores data alone (`pg_restore --data-only --disable-triggers`).
CREATE FUNCTION set_audit_instant() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.at := clock_timestamp();
  RETURN NEW;
END
$$;
CREATE TRIGGER set_audit_instant BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION set_audit_instant();
COMMENT ON FUNCTION set_audit_instant() IS 'Gives a row of the audit log the instant at which it is written.';
COMMENT ON COLUMN audit_log.at IS 'Instant at which it was written; set by a trigger.';

-- Where the chain of seals begins: without it nobody would miss the oldest ones.
CREATE TABLE audit_chain (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  first_day date NOT NULL
);
INSERT INTO audit_chain (first_day)
SELECT coalesce((SELECT min(day) FROM audit_seals),
                (SELECT min(at AT TIME ZONE 'UTC')::date FROM audit_log),
                (now() AT TIME ZONE 'UTC')::date);
GRANT SELECT ON audit_chain TO voltstream_app, voltstream_system_reader;
COMMENT ON TABLE audit_chain IS 'Where the chain of seals of the audit log begins: one row.';
COMMENT ON COLUMN audit_chain.only_row IS 'Always true: there is one row.';
COMMENT ON COLUMN audit_chain.first_day IS 'Oldest day that must have a seal, UTC.';

-- The last comparison is kept, so that an alarm lasts until a later one finds nothing, also across restarts.
ALTER TABLE audit_seals ADD COLUMN problem text;
GRANT UPDATE (problem) ON audit_seals TO voltstream_system_reader;
COMMENT ON COLUMN audit_seals.problem IS 'What did not fit when the rows were last compared with it; null: nothing.';
