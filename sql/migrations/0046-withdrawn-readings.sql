-- A reading that was wrong is taken back by the back office: it stays stored and counts no more, so that another one of its day
-- may come in its place. Processes of before go on counting it until they are replaced.
ALTER TABLE meter_readings ADD COLUMN withdrawn_at timestamptz;
COMMENT ON COLUMN meter_readings.withdrawn_at IS 'When it was found to be wrong: from then on it counts no more; null: it counts.';
DROP INDEX meter_readings_one_a_day;
CREATE UNIQUE INDEX meter_readings_one_a_day ON meter_readings (organization_id, meter_id, register, read_on)
  WHERE type <> 'grid_estimation' AND withdrawn_at IS NULL;
CREATE INDEX meter_readings_withdrawn ON meter_readings (organization_id, withdrawn_at) WHERE withdrawn_at IS NOT NULL;
GRANT UPDATE (withdrawn_at) ON meter_readings TO voltstream_app;
GRANT SELECT (withdrawn_at) ON meter_readings TO voltstream_analyst_reader;
COMMENT ON TABLE meter_readings IS 'Readings of meters, cumulative; append-only but for a wrong one, which is marked.';
