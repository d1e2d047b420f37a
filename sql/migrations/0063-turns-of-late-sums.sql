-- Late quarter hours are summed again by turns of organizations, so that what one sends again after an outage holds up nobody
-- else. Whose they are is looked up where an entry comes in: a group of batches is of several organizations. Those that wait
-- stay as they are, and have turns of their own: writers of late rows wait for this file.
ALTER TABLE late_quarter_hours ADD COLUMN organization text NOT NULL DEFAULT '';
COMMENT ON COLUMN late_quarter_hours.organization IS
  'Whose asset it is; empty: there is no such asset, or the entry came in before the column did.';
CREATE INDEX late_quarter_hours_in_turn ON late_quarter_hours (organization, id);
CREATE INDEX late_quarter_hours_oldest ON late_quarter_hours (organization, queued_at);
CREATE INDEX late_quarter_hours_equal ON late_quarter_hours (asset_id, start, quarter_hours);

CREATE FUNCTION name_late_organization() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  NEW.organization := coalesce((SELECT a.organization_id FROM public.assets AS a WHERE a.key = NEW.asset_id), '');
  RETURN NEW;
END
$$;
COMMENT ON FUNCTION name_late_organization IS 'Says of an entry of late_quarter_hours whose asset it is.';
REVOKE ALL ON FUNCTION name_late_organization FROM PUBLIC;
CREATE TRIGGER name_organization BEFORE INSERT ON late_quarter_hours FOR EACH ROW EXECUTE FUNCTION name_late_organization();

ALTER TABLE quarter_hour_progress ADD COLUMN late_turn text NOT NULL DEFAULT '';
COMMENT ON COLUMN quarter_hour_progress.late_turn IS
  'The organization whose late quarter hours had the last turn; empty: none had one.';
COMMENT ON COLUMN quarter_hour_progress.summed_at IS
  'Instant of the clock up to which the sums know what was sent, but for what waits in late_quarter_hours; null: the job never ran.';

-- Analysts see of their own organization what waits. Last, because everybody waits for who waits for organizations.
GRANT SELECT (organization, queued_at) ON late_quarter_hours TO voltstream_analyst_reader;
GRANT SELECT (id) ON organizations TO voltstream_analyst_reader;
CREATE POLICY analysts ON organizations FOR SELECT TO voltstream_analyst_reader USING (true);
