-- The answers of creating calls that carried an Idempotency-Key, written in the transaction that creates the thing.
CREATE TABLE idempotency_keys (
  organization_id text NOT NULL,
  client_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  body_hash bytea NOT NULL CHECK (octet_length(body_hash) = 32),
  status integer NOT NULL,
  response json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  customer_id text,
  PRIMARY KEY (organization_id, client_id, route, key),
  FOREIGN KEY (organization_id, client_id) REFERENCES auth_clients (organization_id, id),
  FOREIGN KEY (organization_id, customer_id) REFERENCES customers (organization_id, id)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (organization_id, created_at);

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON idempotency_keys USING (
  organization_id = (SELECT nullif(current_setting('app.organization', true), ''))
  AND ((SELECT nullif(current_setting('app.customer', true), '')) IS NULL
       OR customer_id = (SELECT nullif(current_setting('app.customer', true), '')))
);

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO voltstream_app;

COMMENT ON TABLE idempotency_keys IS 'First answers of creating calls, repeated for 24 hours.';
COMMENT ON COLUMN idempotency_keys.organization_id IS 'The tenant.';
COMMENT ON COLUMN idempotency_keys.client_id IS 'The client that sent the key.';
COMMENT ON COLUMN idempotency_keys.route IS 'Method and path, and the customer whom the token acted for.';
COMMENT ON COLUMN idempotency_keys.key IS 'The header as sent.';
COMMENT ON COLUMN idempotency_keys.body_hash IS 'SHA-256 of the body: the same key with another body is a conflict.';
COMMENT ON COLUMN idempotency_keys.status IS 'HTTP status of the first answer.';
COMMENT ON COLUMN idempotency_keys.response IS 'Body of the first answer; json keeps its text as it was.';
COMMENT ON COLUMN idempotency_keys.created_at IS 'Instant of the first call; kept for 24 hours.';
COMMENT ON COLUMN idempotency_keys.customer_id IS 'Whom the token acted for; null: for the organization.';

-- Repeating work. The database is the truth, the queue a nudge: a tick that fell due is a row here, unique by
-- schedule and instant, whatever happens to the queue.
CREATE TABLE schedules (
  id text PRIMARY KEY,
  cron text NOT NULL,
  time_zone text NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}',
  catch_up text NOT NULL CHECK (catch_up IN ('all', 'last', 'skip')),
  max_age_seconds integer CHECK (max_age_seconds > 0),
  enabled boolean NOT NULL DEFAULT true,
  last_due_at timestamptz NOT NULL DEFAULT now(),
  job text NOT NULL
);

CREATE TABLE job_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule text,
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
  fence integer NOT NULL DEFAULT 0,
  heartbeat_at timestamptz,
  queued_at timestamptz NOT NULL DEFAULT now(),
  next_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  error text,
  result jsonb,
  -- Not only a tick of a schedule is a run: every transaction may ask for one, and it leaves with the commit or not at
  -- all. So a run carries its job, its payload and whose it is, and a key that makes it once. A tick's key says schedule
  -- and instant.
  job text NOT NULL,
  organization_id text REFERENCES organizations (id),
  payload jsonb NOT NULL DEFAULT '{}' CHECK (length(payload::text) <= 8192),
  key text CHECK (length(key) <= 200),
  -- Runs of one job for one organization stand in a lane, and lanes take turns. What waits is found lane by lane, what
  -- runs is small, and nothing that is done is looked at but for the instant at which a lane had its last turn.
  lane text NOT NULL GENERATED ALWAYS AS (job || ' ' || coalesce(organization_id, '')) STORED
);
-- Every hour the runs that ended long ago.
CREATE INDEX job_runs_finished ON job_runs (finished_at) WHERE state IN ('done', 'failed');
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

GRANT SELECT, INSERT, UPDATE, DELETE ON schedules, job_runs TO voltstream_app;
GRANT SELECT, UPDATE, DELETE ON job_runs TO voltstream_system_reader;

COMMENT ON TABLE schedules IS 'Repeating work: one row per line of workers/schedules.ts.';
COMMENT ON COLUMN schedules.id IS 'Name of the schedule.';
COMMENT ON COLUMN schedules.cron IS 'Pattern with seconds, in the schedule''s time zone.';
COMMENT ON COLUMN schedules.time_zone IS 'IANA name of the time zone.';
COMMENT ON COLUMN schedules.payload IS 'Handed to the job; ids and dates only.';
COMMENT ON COLUMN schedules.catch_up IS 'Missed ticks after a stop: all, last, or skip.';
COMMENT ON COLUMN schedules.max_age_seconds IS 'Older missed ticks are left out, in seconds; null: none is too old.';
COMMENT ON COLUMN schedules.enabled IS 'Whether ticks fall due.';
COMMENT ON COLUMN schedules.last_due_at IS 'Ticks up to here have been listed.';
COMMENT ON COLUMN schedules.job IS 'The job that its ticks run.';

COMMENT ON TABLE job_runs IS 'Work that was asked for, by a schedule or by a transaction, and what became of it.';
COMMENT ON COLUMN job_runs.id IS 'Order of asking.';
COMMENT ON COLUMN job_runs.schedule IS 'The schedule that asked for it; null: a transaction did.';
COMMENT ON COLUMN job_runs.due_at IS 'The instant it fell due, whenever it runs.';
COMMENT ON COLUMN job_runs.state IS 'queued, running, done, or failed: given up.';
COMMENT ON COLUMN job_runs.fence IS 'Raised with each start: a process that was overtaken cannot write its end.';
COMMENT ON COLUMN job_runs.heartbeat_at IS 'Last sign of life of the process that runs it.';
COMMENT ON COLUMN job_runs.queued_at IS 'Asked for at.';
COMMENT ON COLUMN job_runs.next_at IS 'From here on it may be started.';
COMMENT ON COLUMN job_runs.started_at IS 'Last started at.';
COMMENT ON COLUMN job_runs.finished_at IS 'Ended at.';
COMMENT ON COLUMN job_runs.attempts IS 'How often it was started since it was asked for, or since an operator asked again.';
COMMENT ON COLUMN job_runs.error IS 'What the last failure said.';
COMMENT ON COLUMN job_runs.result IS 'What the run reported.';
COMMENT ON COLUMN job_runs.job IS 'Name of the job.';
COMMENT ON COLUMN job_runs.organization_id IS 'The tenant it works for; null: the service itself.';
COMMENT ON COLUMN job_runs.payload IS 'Handed to the job; ids and dates only.';
COMMENT ON COLUMN job_runs.key IS 'Makes it once: a second run of this job with this key is not written, whatever became of the first.';
COMMENT ON COLUMN job_runs.lane IS 'Job and organization: lanes take turns.';
