-- A run is not only a tick of a schedule any more: every transaction may ask for one, and it leaves with the commit or
-- not at all. So a run carries its job, its payload and whose it is, and a key that makes it once.

ALTER TABLE schedules ADD COLUMN job text;
UPDATE schedules SET job = CASE
  WHEN id LIKE 'pull-tomorrow-%' OR id = 'pull-today' THEN 'pull-spot-prices'
  WHEN id LIKE 'pull-price-forecast-%' THEN 'pull-price-forecast'
  WHEN id LIKE 'run-price-model-%' THEN 'run-price-model'
  ELSE id END;
ALTER TABLE schedules ALTER COLUMN job SET NOT NULL;
COMMENT ON COLUMN schedules.job IS 'The job that its ticks run.';

-- A tick's key says schedule and instant, which was the unique pair before.
ALTER TABLE job_runs
  DROP CONSTRAINT job_runs_schedule_fkey,
  DROP CONSTRAINT job_runs_schedule_due_at_key,
  ALTER COLUMN schedule DROP NOT NULL,
  ADD COLUMN job text,
  ADD COLUMN organization_id text REFERENCES organizations (id),
  ADD COLUMN payload jsonb NOT NULL DEFAULT '{}' CHECK (length(payload::text) <= 8192),
  ADD COLUMN key text CHECK (length(key) <= 200);
UPDATE job_runs AS run
   SET job = schedule.job, payload = schedule.payload,
       key = schedule.id || ' ' || to_char(run.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  FROM schedules AS schedule
 WHERE schedule.id = run.schedule;
UPDATE job_runs SET attempts = fence;
ALTER TABLE job_runs
  ALTER COLUMN job SET NOT NULL,
  ALTER COLUMN next_at DROP DEFAULT,
  ADD COLUMN lane text NOT NULL GENERATED ALWAYS AS (job || ' ' || coalesce(organization_id, '')) STORED;

-- Runs of one job for one organization stand in a lane, and lanes take turns. What waits is found lane by lane, what
-- runs is small, and nothing that is done is looked at but for the instant at which a lane had its last turn.
DROP INDEX job_runs_unfinished;
CREATE UNIQUE INDEX job_runs_once ON job_runs (organization_id, job, key) NULLS NOT DISTINCT WHERE key IS NOT NULL;
CREATE INDEX job_runs_waiting ON job_runs (lane, next_at, id) WHERE state = 'queued';
CREATE INDEX job_runs_set_by_engine ON job_runs (next_at)
  WHERE state = 'queued' AND (schedule IS NOT NULL OR next_at > due_at);
CREATE INDEX job_runs_running ON job_runs (heartbeat_at) WHERE state = 'running';
CREATE INDEX job_runs_turns ON job_runs (lane, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX job_runs_failed ON job_runs (finished_at DESC, id DESC) WHERE state = 'failed';

-- Runs of the service itself belong to no organization. Who acts for a customer may ask for a run and sees none.
ALTER TABLE job_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON job_runs USING (
  (organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
   OR (organization_id IS NULL AND (SELECT nullif(current_setting('app.organization', true), '')) IS NULL))
  AND (SELECT nullif(current_setting('app.customer', true), '')) IS NULL
) WITH CHECK (
  organization_id IS NOT DISTINCT FROM (SELECT nullif(current_setting('app.organization', true), ''))
);
CREATE POLICY across_organizations ON job_runs TO voltstream_system_reader USING (true);
GRANT SELECT, UPDATE, DELETE ON job_runs TO voltstream_system_reader;

COMMENT ON TABLE job_runs IS 'Work that was asked for, by a schedule or by a transaction, and what became of it.';
COMMENT ON COLUMN job_runs.id IS 'Order of asking.';
COMMENT ON COLUMN job_runs.schedule IS 'The schedule that asked for it; null: a transaction did.';
COMMENT ON COLUMN job_runs.due_at IS 'The instant it fell due, whenever it runs.';
COMMENT ON COLUMN job_runs.state IS 'queued, running, done, or failed: given up.';
COMMENT ON COLUMN job_runs.queued_at IS 'Asked for at.';
COMMENT ON COLUMN job_runs.next_at IS 'From here on it may be started.';
COMMENT ON COLUMN job_runs.attempts IS 'How often it was started since it was asked for, or since an operator asked again.';
COMMENT ON COLUMN job_runs.job IS 'Name of the job.';
COMMENT ON COLUMN job_runs.organization_id IS 'The tenant it works for; null: the service itself.';
COMMENT ON COLUMN job_runs.payload IS 'Handed to the job; ids and dates only.';
COMMENT ON COLUMN job_runs.key IS 'Makes it once: a second run of this job with this key is not written, whatever became of the first.';
COMMENT ON COLUMN job_runs.lane IS 'Job and organization: lanes take turns.';
