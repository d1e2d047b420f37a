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
  last_due_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE job_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule text NOT NULL REFERENCES schedules (id),
  due_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
  fence integer NOT NULL DEFAULT 0,
  heartbeat_at timestamptz,
  queued_at timestamptz NOT NULL DEFAULT now(),
  next_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  error text,
  result jsonb,
  UNIQUE (schedule, due_at)
);
CREATE INDEX job_runs_unfinished ON job_runs (state, next_at) WHERE state IN ('queued', 'running');

GRANT SELECT, INSERT, UPDATE, DELETE ON schedules, job_runs TO voltstream_app;

COMMENT ON TABLE schedules IS 'Repeating work: one row per line of workers/schedules.ts.';
COMMENT ON COLUMN schedules.id IS 'Name of the schedule.';
COMMENT ON COLUMN schedules.cron IS 'Pattern with seconds, in the schedule''s time zone.';
COMMENT ON COLUMN schedules.time_zone IS 'IANA name of the time zone.';
COMMENT ON COLUMN schedules.payload IS 'Handed to the job; ids and dates only.';
COMMENT ON COLUMN schedules.catch_up IS 'Missed ticks after a stop: all, last, or skip.';
COMMENT ON COLUMN schedules.max_age_seconds IS 'Older missed ticks are left out, in seconds; null: none is too old.';
COMMENT ON COLUMN schedules.enabled IS 'Whether ticks fall due.';
COMMENT ON COLUMN schedules.last_due_at IS 'Ticks up to here have been listed.';

COMMENT ON TABLE job_runs IS 'Ticks that fell due, and what became of them.';
COMMENT ON COLUMN job_runs.id IS 'Names the run in the queue.';
COMMENT ON COLUMN job_runs.schedule IS 'The schedule it belongs to.';
COMMENT ON COLUMN job_runs.due_at IS 'The instant it fell due, whenever it runs.';
COMMENT ON COLUMN job_runs.state IS 'queued, running, done or failed.';
COMMENT ON COLUMN job_runs.fence IS 'Raised with each start: a process that was overtaken cannot write its end.';
COMMENT ON COLUMN job_runs.heartbeat_at IS 'Last sign of life of the process that runs it.';
COMMENT ON COLUMN job_runs.queued_at IS 'Listed as due at.';
COMMENT ON COLUMN job_runs.next_at IS 'From here on it is handed to the queue, again if it got lost there.';
COMMENT ON COLUMN job_runs.started_at IS 'Last started at.';
COMMENT ON COLUMN job_runs.finished_at IS 'Ended at.';
COMMENT ON COLUMN job_runs.attempts IS 'How often it was handed to the queue.';
COMMENT ON COLUMN job_runs.error IS 'What the last failure said.';
COMMENT ON COLUMN job_runs.result IS 'What the run reported.';
